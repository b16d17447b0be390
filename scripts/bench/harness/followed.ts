/* Ledgers of recorded outcomes, whose every counterfactual cost is known, for the savings of followed advice. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { taskTypes } from "../../../src/domain/Task.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { generator } from "../../../src/stats/Generator.ts"
import {
  followedCoverage, type FollowedCoverage, type KnownCall, ledgerOf, randomLedger
} from "../../../test/simulation/followed.ts"
import { fittedPrices, modelIdsOf, type OutcomeRow, readRows, recordedOf } from "../arena/outcomes.ts"
import { mean } from "../arena/figures.ts"
import { table } from "./figures.ts"

/**
 * The calls of a set as three models would have taken them: the dearest, which is the baseline, the one in the
 * middle, and the cheapest. Estimates are as the service's on a cold start: the prompt's tokens, and the task
 * type's own number of output tokens.
 */
const callsOf = (rows: ReadonlyArray<OutcomeRow>): ReadonlyArray<KnownCall> => {
  const costOf = (modelId: string) => mean(rows.map(({ models }) => recordedOf(models, modelId).cost_usd))
  const byCost = modelIdsOf(rows).map((modelId) => ({ modelId, usd: costOf(modelId) }))
    .toSorted((one, other) => other.usd - one.usd).map(({ modelId }) => modelId)
  const models = [byCost[0]!, byCost[byCost.length >> 1]!, byCost.at(-1)!]
    .map((modelId) => ({ modelId, price: fittedPrices(rows, modelId) }))
  return rows.map(({ models: recorded, task_type }) => {
    const taskType = taskTypes.find((type) => type === task_type) ?? "other"
    return {
      cluster: `${taskType}:medium`,
      estimates: models.map(({ modelId, price: [input, output] }) =>
        (recordedOf(recorded, modelId).input_tokens * input
          + defaults.tokensByTaskType[taskType].output * output) / 1e6),
      bills: models.map(({ modelId }) => recordedOf(recorded, modelId).cost_usd)
    }
  })
}

/** Ledgers of a set: samples of its calls, and habits, by seeds from 1. */
const recordedLedgers = (folder: string, set: string, seeds: number) => {
  const calls = callsOf(readRows(folder, set))
  return Array.from({ length: seeds }, (_, index) => {
    const uniform = generator(index + 1)
    const sample = Array.from({ length: Math.floor(60 * 30 ** uniform()) }, () =>
      calls[Math.floor(uniform() * calls.length)]!)
    const habits = {
      recommended: [0.03 + 0.2 * uniform(), 0.2], followed: 0.5 + 0.5 * uniform(),
      runsBaseline: uniform() < 0.5, billed: 0.8, declared: 0.9
    } as const
    return { ...ledgerOf(sample, habits, index + 1), isBaselineBilled: true }
  })
}

const head = ["ledgers", "n", "with interval", "covered", "estimate", "never billed", "width", "error", "of realized"]
const line = (name: string, of: FollowedCoverage): ReadonlyArray<string> => [
  name, String(of.ledgers), String(of.intervals), `${(100 * of.covered).toFixed(1)} %`, String(of.estimates),
  String(of.unbilled), of.width.toFixed(2), of.error.toFixed(3), of.errorOfRealized.toFixed(3)
]

/**
 * The savings of followed advice beside the truth: in random worlds, and in recorded sets where the folder has
 * them. Errors are medians, `of realized` of `realized.savings_vs_declared_est_usd`; widths and errors
 * are shares of the baseline's cost.
 */
export const followedTable = (worlds: number, folder: string): string => {
  const sets = ["mixed12", "routerbench", "zeroeval", "bfcl", "mmlu_pro"]
    .filter((set) => existsSync(join(folder, `${set}.jsonl.gz`)))
  return table(head, [
    line("random worlds", followedCoverage(Array.from({ length: worlds }, (_, index) => randomLedger(index + 1)))),
    ...sets.map((set) => line(set, followedCoverage(recordedLedgers(folder, set, worlds))))
  ])
}
