/* The pipeline of an audition: reserves, asks, grades and records, until the best model is clear. */
import { Clock, Effect, type Exit, Queue } from "effect"
import { hashOf } from "../../../src/stats/Hash.ts"
import { chat, type Purse, worstOf } from "./Chat.ts"
import { reportOf } from "./Figures.ts"
import { type CellResult, passingReasons, type UnusableJournal } from "./Journal.ts"
import type { AuditionPlan } from "./Plan.ts"
import { type Contender, nextContender, standing } from "./Race.ts"
import type { AuditionReport } from "./Report.ts"

export interface Auditioned {
  readonly report: AuditionReport
  readonly results: ReadonlyArray<CellResult>
}

interface Cell {
  readonly cell: number
  readonly model: number
  readonly prompt: number
  readonly worstUsd: number
}

/** The indexes of the prompts in the shuffled order that every model takes. */
const orderOf = ({ digest, prompts }: Pick<AuditionPlan, "digest" | "prompts">): ReadonlyArray<number> =>
  prompts.map((_, place) => ({ place, key: hashOf(`${digest}:${place}`) }))
    .sort((one, other) => one.key - other.key || one.place - other.place)
    .map(({ place }) => place)

const makeState = (plan: AuditionPlan) => {
  const { budgetUsd, grader, journal, models, outputTokensMax, prompts, settings, valueUsd } = plan
  const order = orderOf(plan)
  const results: Array<CellResult> = [...journal.results]
  const begun = models.map(() => new Set<number>())
  for (const { leftOut, model, prompt } of results) {
    // A prompt that an earlier run left out for a passing reason, such as an outage, is asked again.
    if (leftOut === null || !passingReasons.includes(leftOut)) begun[model]?.add(prompt)
  }
  const underWay = models.map(() => 0)
  const state = {
    results,
    committedUsd: results.reduce((sum, { spentUsd }) => sum + spentUsd, journal.unfinishedUsd),
    cells: journal.cells
  }

  const worstUsd = (model: number, prompt: number): number =>
    worstOf(models[model]!, prompts[prompt]!.messages, outputTokensMax, settings)
      + grader.worstUsd(prompts[prompt]!)
  const nextPrompt = (model: number): number | undefined => order.find((place) => !begun[model]!.has(place))
  /** True if a model's last `leftOutRunMax` calls of this run got no grade, so that it is not asked again. */
  const isSilent = (model: number): boolean => {
    const own = results.slice(journal.results.length).filter((result) => result.model === model)
      .slice(-settings.leftOutRunMax)
    return own.length === settings.leftOutRunMax && own.every(({ leftOut }) => leftOut !== null)
  }
  const hasPrompts = (model: number): boolean => !isSilent(model) && nextPrompt(model) !== undefined
  const isOpen = (model: number): boolean => {
    const prompt = nextPrompt(model)
    return prompt !== undefined && !isSilent(model)
      && state.committedUsd + worstUsd(model, prompt) <= budgetUsd
  }

  const contenders = (): ReadonlyArray<Contender> =>
    models.map((_, model) => {
      const own = results.filter((result) => result.model === model)
      const graded = own.filter(({ quality }) => quality !== null)
      const successes = graded.filter(({ quality }) => quality! >= settings.successFrom).length
      const costs = graded.map(({ costUsd }) => costUsd ?? 0)
      const spent = own.reduce((sum, { spentUsd }) => sum + spentUsd, 0)
      // Before a model's first result, the expected cost of its call is half the worst-case cost.
      const expected = own.length > 0 ? spent / own.length : worstUsd(model, order[0]!) / 2
      return {
        successes, failures: graded.length - successes, begun: begun[model]!.size, underWay: underWay[model]!,
        costUsd: costs.reduce((sum, usd) => sum + usd, 0), isOpen: isOpen(model),
        costSquares: costs.reduce((sum, usd) => sum + usd * usd, 0), nextUsd: Math.max(expected, 1e-9)
      }
    })

  /** True if all models that can be asked have `firstPrompts` grades, and one is almost surely best. */
  const isClear = (): boolean => {
    const all = contenders()
    const isEarly = all.some(({ failures, successes }, model) =>
      hasPrompts(model) && successes + failures < settings.firstPrompts && isOpen(model))
    const graded = all.filter(({ failures, successes }) => successes + failures > 0)
    if (isEarly || graded.length < 2) return false
    return (standing(all, valueUsd)?.chance ?? 0) >= settings.sureFrom
  }

  /** Begins the next cell; null if no cell can begin now. */
  const begin = (): Cell | null => {
    const { firstPrompts } = settings
    const model = nextContender(contenders(), { firstPrompts, valueUsd })
    const prompt = model === null ? undefined : nextPrompt(model)
    if (model === null || prompt === undefined) return null
    const cell: Cell = { cell: state.cells++, model, prompt, worstUsd: worstUsd(model, prompt) }
    begun[model]!.add(prompt)
    underWay[model]!++
    state.committedUsd += cell.worstUsd
    return cell
  }

  const end = (result: CellResult, reservedUsd: number): void => {
    results.push(result)
    underWay[result.model]!--
    state.committedUsd += result.spentUsd - reservedUsd
  }

  const ended = (): AuditionReport["ended"] => {
    const places = models.map((_, model) => model)
    if (places.every(isSilent)) return "no_answers"
    return places.some(hasPrompts) ? "budget" : "prompts"
  }
  return { state, begin, end, ended, isClear, contenders }
}

type State = ReturnType<typeof makeState>

/** Asks and grades one cell. Writes a reservation to the journal before the call, and the result after it. */
const runCell = Effect.fnUntraced(function*(
  { client, budgetUsd, grader, journal, models, outputTokensMax, prompts, settings }: AuditionPlan,
  { end, state }: State,
  { cell, model, prompt, worstUsd }: Cell
): Effect.fn.Return<void, UnusableJournal> {
  const row = { cell, model, prompt }
  yield* journal.reserve({ ...row, reservedUsd: worstUsd })
  const asked = prompts[prompt]!
  const purse: Purse = {
    spentUsd: 0,
    reservedUsd: worstUsd,
    extend: Effect.fnUntraced(function*(usd) {
      if (state.committedUsd + usd > budgetUsd) return false
      state.committedUsd += usd
      yield* journal.reserve({ ...row, reservedUsd: usd })
      // `reservedUsd` grows after the write, so that an interruption frees only what the journal reserved.
      purse.reservedUsd += usd
      return true
    })
  }
  const keepUsd = grader.worstUsd(asked)
  const limits = { keepUsd, outputTokensMax, settings }
  const graded = Effect.gen(function*() {
    const answer = yield* chat(client, models[model]!, asked.messages, purse, limits)
    const ofModelUsd = purse.spentUsd
    return {
      answer, ofModelUsd,
      quality: typeof answer === "string" ? null : yield* grader.grade(asked, answer.text, purse)
    }
  })
  const { answer, ofModelUsd, quality } = yield* Effect.onInterrupt(graded, () =>
    // A resumed audition can use the money that an interrupted call reserved and did not spend.
    journal.reserve({ ...row, reservedUsd: purse.spentUsd - purse.reservedUsd }))
  const isAnswer = typeof answer !== "string"
  const result: CellResult = {
    ...row, at: yield* Clock.currentTimeMillis, spentUsd: purse.spentUsd,
    judgeUsd: purse.spentUsd - ofModelUsd, quality,
    costUsd: isAnswer ? answer.costUsd : null, latencyMs: isAnswer ? answer.latencyMs : null,
    inputTokens: isAnswer ? answer.usage?.input ?? null : null,
    outputTokens: isAnswer ? answer.usage?.output ?? null : null,
    isCutOff: isAnswer && answer.isCutOff,
    leftOut: isAnswer ? quality === null ? "ungraded" : null : answer
  }
  yield* journal.settle(result)
  end(result, purse.reservedUsd)
})

/**
 * Runs an audition to its end, and begins with the results in its journal. A call begins only if its
 * worst-case cost fits the rest of the budget. Fails only if the journal cannot be written.
 */
export const audition = (plan: AuditionPlan): Effect.Effect<Auditioned, UnusableJournal> =>
  // The scope interrupts calls under way if the audition fails, before the caller closes the journal.
  Effect.scoped(Effect.gen(function*() {
    const race = makeState(plan)
    const { begin, state } = race
    const ends = yield* Queue.unbounded<Exit.Exit<void, UnusableJournal>>()
    let underWay = 0
    const wasClear = plan.journal.clearAtUsd.includes(plan.valueUsd)
    let isOver = wasClear || race.isClear()
    for (;;) {
      while (!isOver && underWay < plan.settings.callsAtOnce) {
        const cell = begin()
        if (cell === null) break
        underWay++
        yield* Effect.forkScoped(
          Effect.flatMap(Effect.exit(runCell(plan, race, cell)), (exit) => Queue.offer(ends, exit))
        )
      }
      if (underWay === 0) break
      yield* yield* Queue.take(ends)
      underWay--
      plan.report(state.committedUsd, state.results.length)
      isOver ||= race.isClear()
    }
    if (isOver && !wasClear) yield* plan.journal.conclude({ clearAtUsd: plan.valueUsd })
    const ended = isOver ? "clear" : race.ended()
    const report = reportOf(plan, state.results, ended, race.contenders())
    return { results: state.results, report }
  }))
