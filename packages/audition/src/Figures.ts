/* Makes the report of an audition from its results. */
import { dollars, percent } from "../../../src/domain/text/Words.ts"
import type { Interval } from "../../backtest/src/Report.ts"
import type { AuditionPlan } from "./Plan.ts"
import { type CellResult, leftOutReasons } from "./Journal.ts"
import { type Contender, costInterval, standing, successInterval } from "./Race.ts"
import type { AuditionModel, AuditionNaming, AuditionReport } from "./Report.ts"

const successOf = (results: ReadonlyArray<CellResult>, successFrom: number): Interval => {
  const successes = results.filter(({ quality }) => quality! >= successFrom).length
  return { value: successes / results.length, ...successInterval(successes, results.length) }
}

const costOf = (costs: ReadonlyArray<number>): Interval | null => {
  const sum = costs.reduce((all, usd) => all + usd, 0)
  const interval = costInterval(sum, costs.reduce((all, usd) => all + usd * usd, 0), costs.length)
  return interval === null ? null : { value: sum / costs.length, ...interval }
}

const modelOf = (
  { prompts, settings: { successFrom } }: AuditionPlan,
  modelId: string,
  results: ReadonlyArray<CellResult>
): AuditionModel => {
  const graded = results.filter(({ quality }) => quality !== null)
  const byKind = Map.groupBy(graded, ({ prompt }) => prompts[prompt]!.kind)
  // Only a prompt's newest result can count as left out, because a later run may have answered the prompt.
  const newest = new Map(results.map((result) => [result.prompt, result]))
  const leftOut = Map.groupBy(
    [...newest.values()].filter(({ leftOut }) => leftOut !== null), ({ leftOut }) => leftOut!
  )
  const latencies = graded.flatMap(({ latencyMs }) => latencyMs ?? [])
  return {
    modelId, trials: graded.length,
    success: graded.length === 0 ? null : successOf(graded, successFrom),
    costUsd: costOf(graded.flatMap(({ costUsd }) => costUsd ?? [])),
    latencyMs: latencies.length === 0 ? null : latencies.reduce((sum, ms) => sum + ms, 0) / latencies.length,
    cutOff: graded.filter(({ isCutOff }) => isCutOff).length,
    leftOut: [...leftOut].map(([reason, { length: count }]) =>
      ({ reason, count, meaning: leftOutReasons[reason] })),
    kinds: [...byKind].sort(([one], [other]) => one < other ? -1 : 1).map(([kind, own]) =>
      ({ kind, trials: own.length, success: successOf(own, successFrom) }))
  }
}

/** "at $0.05 a success" */
export const atValue = (valueUsd: number | null): string =>
  valueUsd === null ? "by success alone" : `at ${dollars(valueUsd)} a success`

const endings: { readonly [E in AuditionReport["ended"]]: string } = {
  clear: "The order was clear enough to end.",
  budget: "The budget has no room for another call: a larger one goes on from here.",
  prompts: "All prompts are used up: more prompts would tell more.",
  no_answers: "No model answers any more; see what was left out."
}

const headlineOf = (named: AuditionNaming | null, ended: AuditionReport["ended"]): string => {
  if (named === null) return `Nothing was graded. ${endings[ended]}`
  const { chance, modelId, valueUsd } = named
  const sure = `with a chance of ${percent(chance)}`
  return ended === "clear"
    ? `${modelId} is best ${atValue(valueUsd)}, ${sure}. ${endings[ended]}`
    : `${modelId} leads ${atValue(valueUsd)}, and is best ${sure}. ${endings[ended]}`
}

export const reportOf = (
  plan: AuditionPlan,
  results: ReadonlyArray<CellResult>,
  ended: AuditionReport["ended"],
  contenders: ReadonlyArray<Contender>
): AuditionReport => {
  const { budgetUsd, grader, journal, models, prompts, settings, valueUsd } = plan
  const namedAt = (usd: number | null): AuditionNaming | null => {
    const stands = standing(contenders, usd)
    return stands === null
      ? null
      : { valueUsd: usd, modelId: models[stands.leader]!.model, chance: stands.chance }
  }
  const named = namedAt(valueUsd)
  return {
    headline: headlineOf(named, ended),
    prompts: prompts.length, gradedBy: grader.name, calls: results.length, budgetUsd,
    spentUsd: results.reduce((sum, { spentUsd }) => sum + spentUsd, journal.unfinishedUsd),
    judgeUsd: results.reduce((sum, { judgeUsd }) => sum + judgeUsd, 0),
    unfinishedUsd: journal.unfinishedUsd, ended, named,
    naming: [null, ...settings.valuesUsd].flatMap((usd) => namedAt(usd) ?? []),
    models: models.map(({ model }, place) =>
      modelOf(plan, model, results.filter((result) => result.model === place)))
  }
}
