/*
 * The states of a guarantee: for each kind of task, whether a cheaper candidate's success is within a loss of
 * the baseline's. Trials come in one after the other.
 *
 * A candidate is held once both tests of {@link scoresWithin} have reached their bar. It is withdrawn once a
 * detector shows that the difference is beyond the loss. It then rests for a number of tasks, and starts
 * again without evidence.
 *
 * All starts, of any candidate and kind, are numbered. Start m tests at α · 6 / (π² m²), so its bar is the
 * logarithm of the inverse. These levels sum to α. So with probability 1 - α at least, no candidate is ever
 * held whose success was beyond the loss at every trial.
 */
import { bet, type Capital, detect, evidence, highestEvidence, stake } from "./Betting.ts"
import { type ComparedSums, noTrials, scoresWithin, type Trial, withTrial } from "./TrialScores.ts"

type CandidateState = "earning" | "held" | "withdrawn"

/** The promise of a guarantee, and when a candidate is withdrawn. */
export interface GuaranteeRule {
  /** Largest accepted loss of success, in (0, 1). */
  readonly loss: number
  /** Probability that the promise is ever broken, in (0, 1). */
  readonly alpha: number
  /** Least mean number of trials between two false alarms. */
  readonly alarmTrials: number
  /** Tasks during which a withdrawn candidate rests, count. The number doubles with each withdrawal. */
  readonly restTasks: number
}

/** Losses that are tested too, so that the smallest proven loss is known. */
const ladder = [0.02, 0.05, 0.1, 0.2]

/** The capital of both tests of a loss, and the highest evidence that each has reached, in logarithms. */
interface Rung {
  readonly loss: number
  readonly capital: readonly [Capital, Capital]
  readonly best: readonly [number, number]
}

/** The evidence about a candidate in one kind of task: plain data, which a checkpoint keeps as JSON. */
export interface CandidateEvidence {
  readonly state: CandidateState
  /** The number of this start, from 1. */
  readonly start: number
  readonly withdrawals: number
  /** Number of tasks of its kind at which a withdrawn candidate may start again. */
  readonly restsUntil: number
  /** The candidate was held when it was withdrawn last. */
  readonly wasHeld: boolean
  readonly arms: ComparedSums
  /** The tested losses; the promised loss comes first. */
  readonly rungs: ReadonlyArray<Rung>
  /** Detectors of a difference beyond the loss. */
  readonly against: readonly [Capital, Capital]
  /** Number of the candidate and baseline that these trials ran, see {@link GuaranteedTask}; absent for 0. */
  readonly since?: number
}

export interface KindEvidence {
  /** Tasks of the kind under the guarantee, count. */
  readonly tasks: number
  readonly candidates: { readonly [candidate: string]: CandidateEvidence }
}

/** The evidence about the candidates of one baseline, by kind of task. */
export interface GuaranteeEvidence {
  /** Starts so far, over all kinds and candidates, count. */
  readonly starts: number
  readonly kinds: { readonly [kind: string]: KindEvidence }
}

/** Most candidates that are kept per kind of task, because a caller may name ever new models. */
const candidatesMax = 32

export const noEvidence: GuaranteeEvidence = { starts: 0, kinds: {} }

/** One task under the guarantee. Candidate and trial are null if no candidate is on trial. */
export interface GuaranteedTask {
  readonly kind: string
  readonly candidate: string | null
  readonly trial: Trial | null
  /**
   * A number that rises when the candidate's or the baseline's id gets another model, such as the time of the
   * change. Trials with a lower number are no evidence. Absent for 0.
   */
  readonly since?: number
}

/** The bar of start number `start`, from 1: the logarithm of the inverse of its level. */
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

const climbed = ({ best, capital, loss }: Rung, arms: ComparedSums, trial: Trial): Rung => {
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

/** True if both tests of a loss have ever reached the bar. Evidence is valid at any time. */
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
  // Each of the two detectors has half of the false alarms.
  if (Math.max(...against.map(evidence)) >= Math.log(2 * rule.alarmTrials)) {
    return {
      ...next,
      state: "withdrawn",
      wasHeld: own.state === "held",
      withdrawals: own.withdrawals + 1,
      restsUntil: tasks + rule.restTasks * 2 ** own.withdrawals
    }
  }
  if (own.state === "held" || !isProven(rungs[0]!, barOf(rule.alpha, own.start))) return next
  // Only later trials may count against a candidate that is held.
  return { ...next, state: "held", against: [stake, stake] }
}

/**
 * Makes room for one more candidate: drops the first candidate that is not held. A dropped candidate that
 * comes back has a new start, so the promise stays true.
 */
const withRoom = (candidates: KindEvidence["candidates"]): KindEvidence["candidates"] => {
  const all = Object.entries(candidates)
  if (all.length < candidatesMax) return candidates
  const first = all.find(([, { state }]) => state !== "held") ?? all[0]
  return Object.fromEntries(all.filter((each) => each !== first))
}

/** True if the evidence is older than the present model of the candidate's or the baseline's id. */
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
  // Another copy began this trial before it knew of the withdrawal.
  if (known !== null && isResting(known, tasks)) return withKind(before.starts, own.candidates)
  const isNew = known === null || known.state === "withdrawn"
  const starts = before.starts + (isNew ? 1 : 0)
  const current = isNew ? started(rule, starts, known, Math.max(since, known?.since ?? 0)) : known
  const others = kept === null ? withRoom(own.candidates) : own.candidates
  return withKind(starts, { ...others, [candidate]: tried(rule, current, trial, tasks) })
}

/** The evidence without some candidates. They begin again with a new start. */
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

/** True if a candidate was withdrawn and may not be tried yet. */
export const isResting = ({ restsUntil, state }: CandidateEvidence, tasks: number): boolean =>
  state === "withdrawn" && tasks < restsUntil

/** The smallest loss that is proven at the level of the candidate's start; null if no loss is. */
export const provenLoss = (alpha: number, { rungs, start }: CandidateEvidence): number | null => {
  const bar = barOf(alpha, start)
  const proven = rungs.filter((rung) => isProven(rung, bar)).map(({ loss }) => loss)
  return proven.length === 0 ? null : Math.min(...proven)
}
