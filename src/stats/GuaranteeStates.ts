/*
 * The states of a guarantee: whether a cheaper candidate's success is within a loss of the baseline's, for
 * each kind of task, as trials come in one after the other.
 *
 * A candidate is held once both tests of {@link scoresWithin} have reached log(1/α). It is withdrawn when a
 * detector says that the difference is beyond the loss, whether it was held before or not, rests for a number
 * of tasks, and then starts again from nothing. Every start, of any candidate and kind, is numbered: start m
 * tests at α · 6 / (π² m²), and these sum to α. So the probability that any candidate is ever held whose
 * success was beyond the loss at every trial is at most α.
 */
import { type Arms, noTrials, scoresWithin, type Trial, withTrial } from "./ArmContrast.ts"
import { bet, type Capital, detect, evidence, highestEvidence, stake } from "./Betting.ts"

type CandidateState = "earning" | "held" | "withdrawn"

/** What the promise is, and when it is given up. */
export interface GuaranteeRule {
  /** Largest difference of success that is accepted, in (0, 1). */
  readonly loss: number
  /** Probability that the promise is broken at any time, in (0, 1). */
  readonly alpha: number
  /** Trials between two false alarms, on average at least, count. */
  readonly alarmTrials: number
  /** Tasks of a kind for which a withdrawn candidate rests the first time, count; twice as many each time. */
  readonly restTasks: number
}

/** Losses for which it is also noted whether they are ruled out, so that the proven loss is known. */
const ladder = [0.02, 0.05, 0.1, 0.2]

/** The evidence about one loss, by both tests, and the highest that each has reached, in logarithms. */
interface Rung {
  readonly loss: number
  readonly capital: readonly [Capital, Capital]
  readonly best: readonly [number, number]
}

/** What is known of a candidate in one kind of task. Plain data, which a checkpoint keeps as JSON. */
export interface CandidateEvidence {
  readonly state: CandidateState
  /** The number of this start, from 1. */
  readonly start: number
  /** How often it was withdrawn, and the number of tasks of its kind at which it may start again. */
  readonly withdrawals: number
  readonly restsUntil: number
  /** Whether it was held when it was withdrawn last. */
  readonly wasHeld: boolean
  readonly arms: Arms
  /** The loss itself comes first. */
  readonly rungs: ReadonlyArray<Rung>
  /** Detectors of a difference beyond the loss. */
  readonly against: readonly [Capital, Capital]
  /** Which candidate and baseline these trials are of, as {@link GuaranteedTask}; absent for 0. */
  readonly since?: number
}

export interface KindEvidence {
  /** Tasks of the kind under the guarantee, count. */
  readonly tasks: number
  readonly candidates: { readonly [candidate: string]: CandidateEvidence }
}

/** What is known of the candidates of one baseline, by kind of task. */
export interface GuaranteeEvidence {
  /** Starts so far, over all kinds and candidates, count. */
  readonly starts: number
  readonly kinds: { readonly [kind: string]: KindEvidence }
}

/** Candidates of a kind of task that are kept, count: a caller may name ever new models. */
const candidatesMax = 32

export const noEvidence: GuaranteeEvidence = { starts: 0, kinds: {} }

/** One task under the guarantee. Null without a candidate on trial. */
export interface GuaranteedTask {
  readonly kind: string
  readonly candidate: string | null
  readonly trial: Trial | null
  /**
   * A number that rises whenever the candidate or the baseline becomes another model, such as the time of
   * that; absent for 0. Trials of one with a lower number are no evidence about it.
   */
  readonly since?: number
}

/** log(1/α) of start number `start`, from 1. */
export const barOf = (alpha: number, start: number): number =>
  -Math.log(alpha * 6 / (Math.PI * start) ** 2)

const started = (
  rule: GuaranteeRule,
  start: number,
  before: CandidateEvidence | null,
  since: number
): CandidateEvidence => ({
  state: "earning",
  start,
  withdrawals: before?.withdrawals ?? 0,
  restsUntil: 0,
  wasHeld: false,
  arms: { candidate: noTrials, baseline: noTrials },
  rungs: [rule.loss, ...ladder.filter((loss) => loss !== rule.loss)].map((loss) =>
    ({ loss, capital: [stake, stake], best: [0, 0] })),
  against: [stake, stake],
  ...(since === 0 ? {} : { since })
})

const climbed = ({ best, capital, loss }: Rung, arms: Arms, trial: Trial): Rung => {
  const [success, failure] = scoresWithin(loss, arms, trial)
  const next = [
    bet(capital[0], success.value, -success.lowest), bet(capital[1], failure.value, -failure.lowest)
  ] as const
  return {
    loss,
    capital: next,
    best: [highestEvidence(best[0], next[0]), highestEvidence(best[1], next[1])]
  }
}

/** Whether the tests of this loss have both reached the bar: valid at any time, so their highest count. */
const isProven = ({ best }: Rung, bar: number): boolean => Math.min(...best) >= bar

/** The evidence after one more trial of a candidate that is earning or held. */
const tried = (
  rule: GuaranteeRule,
  own: CandidateEvidence,
  trial: Trial,
  tasks: number
): CandidateEvidence => {
  const [success, failure] = scoresWithin(rule.loss, own.arms, trial)
  const against = [
    detect(own.against[0], -success.value, success.highest),
    detect(own.against[1], -failure.value, failure.highest)
  ] as const
  const rungs = own.rungs.map((rung) => climbed(rung, own.arms, trial))
  const arms = trial.ran === "both"
    ? {
      candidate: withTrial(own.arms.candidate, trial.candidate),
      baseline: withTrial(own.arms.baseline, trial.baseline)
    }
    : { ...own.arms, [trial.ran]: withTrial(own.arms[trial.ran], trial[trial.ran]) }
  const next = { ...own, arms, rungs, against }
  // Two detectors: each has half of the false alarms.
  if (Math.max(...against.map(evidence)) >= Math.log(2 * rule.alarmTrials)) {
    return {
      ...next,
      state: "withdrawn",
      wasHeld: own.state === "held",
      withdrawals: own.withdrawals + 1,
      restsUntil: tasks + rule.restTasks * 2 ** own.withdrawals
    }
  }
  const isHeld = own.state === "held" || isProven(rungs[0]!, barOf(rule.alpha, own.start))
  if (!isHeld || own.state === "held") return next
  // From here on only what comes later may count against it.
  return { ...next, state: "held", against: [stake, stake] }
}

/**
 * Room for one more candidate: where too many are kept, the one that came first and is not held makes it. A
 * candidate that is forgotten and comes back is a new start, so that the promise stays.
 */
const withRoom = (candidates: KindEvidence["candidates"]): KindEvidence["candidates"] => {
  const all = Object.entries(candidates)
  if (all.length < candidatesMax) return candidates
  const first = all.find(([, { state }]) => state !== "held") ?? all[0]
  return Object.fromEntries(all.filter((each) => each !== first))
}

/** Whether evidence is of trials before the candidate or the baseline became the model that it is. */
export const isFormer = (own: CandidateEvidence, since: number): boolean => (own.since ?? 0) < since

/** The evidence after one more task, in the order of the tasks. */
export const withTask = (
  rule: GuaranteeRule,
  before: GuaranteeEvidence,
  { candidate, kind, since = 0, trial }: GuaranteedTask
): GuaranteeEvidence => {
  const own = Object.hasOwn(before.kinds, kind) ? before.kinds[kind]! : { tasks: 0, candidates: {} }
  const tasks = own.tasks + 1
  const withKind = (starts: number, candidates: KindEvidence["candidates"]): GuaranteeEvidence =>
    ({ starts, kinds: { ...before.kinds, [kind]: { tasks, candidates } } })
  if (candidate === null || trial === null) return withKind(before.starts, own.candidates)
  const kept = Object.hasOwn(own.candidates, candidate) ? own.candidates[candidate]! : null
  const known = kept === null || isFormer(kept, since) ? null : kept
  // Trials that other copies began before they knew of a withdrawal.
  if (known !== null && isResting(known, tasks)) return withKind(before.starts, own.candidates)
  const isNew = known === null || known.state === "withdrawn"
  const starts = before.starts + (isNew ? 1 : 0)
  const current = isNew ? started(rule, starts, known, Math.max(since, known?.since ?? 0)) : known
  const others = kept === null ? withRoom(own.candidates) : own.candidates
  return withKind(starts, { ...others, [candidate]: tried(rule, current, trial, tasks) })
}

/** The evidence without that of some candidates, who begin again with a new start. */
export const withoutCandidates = (
  { kinds, starts }: GuaranteeEvidence,
  isDropped: (kind: string, candidate: string, own: CandidateEvidence) => boolean
): GuaranteeEvidence => ({
  starts,
  kinds: Object.fromEntries(Object.entries(kinds).map(([kind, { candidates, tasks }]) => [kind, {
    tasks,
    candidates: Object.fromEntries(
      Object.entries(candidates).filter(([id, own]) => !isDropped(kind, id, own))
    )
  }]))
})

/** Whether a candidate was withdrawn and may not be tried yet. */
export const isResting = ({ restsUntil, state }: CandidateEvidence, tasks: number): boolean =>
  state === "withdrawn" && tasks < restsUntil

/** The smallest loss that is proven at its start's α; null for none. */
export const provenLoss = (alpha: number, { rungs, start }: CandidateEvidence): number | null => {
  const bar = barOf(alpha, start)
  const proven = rungs.filter((rung) => isProven(rung, bar)).map(({ loss }) => loss)
  return proven.length === 0 ? null : Math.min(...proven)
}
