/*
 * The states of a guarantee: for each kind of task, whether a cheaper candidate's success is within a loss of
 * the baseline's. A candidate is held (it replaces the baseline) once both tests of {@link scoresWithin} have
 * reached their bar, and withdrawn once a detector shows that the difference exceeds the loss.
 *
 * All starts, of any candidate and kind, are numbered. Start number m tests at the level α · 6 / (π² m²), and
 * these levels sum to α. So with a probability of at least 1 - α, no candidate that lost too much success at
 * every trial ever replaces the baseline.
 */
import { bet, type Capital, detect, evidence, highestEvidence, stake } from "./Betting.ts"
import { type ComparedSums, noTrials, scoresWithin, type Trial, withTrial } from "./TrialScores.ts"

type CandidateState = "earning" | "held" | "withdrawn"

export interface GuaranteeRule {
  /** Largest accepted loss of success, in (0, 1). */
  readonly loss: number
  /** Maximum probability that the guarantee's promise is ever broken, in (0, 1). */
  readonly alpha: number
  /** Minimum mean number of trials between two false alarms. */
  readonly alarmTrials: number
  /** Number of tasks during which a candidate rests after its first withdrawal; later rests double. */
  readonly restTasks: number
}

/** Losses that are tested besides the promised loss, so that the smallest proven loss is known. */
const ladder = [0.02, 0.05, 0.1, 0.2]

/** Two tests of a loss, by successes and by failures: their log capital, and each test's highest evidence. */
interface Rung {
  readonly loss: number
  readonly capital: readonly [Capital, Capital]
  readonly best: readonly [number, number]
}

export interface CandidateEvidence {
  readonly state: CandidateState
  /** Number of the candidate's last start among all starts under the guarantee, from 1 on. */
  readonly start: number
  readonly withdrawals: number
  /** Total count of this kind's tasks, from the first on, at which a withdrawn candidate may start again. */
  readonly restsUntil: number
  readonly wasHeld: boolean
  readonly arms: ComparedSums
  /** The tested losses; the promised loss comes first. */
  readonly rungs: ReadonlyArray<Rung>
  /** Capital of two detectors, by successes and by failures, of a candidate that loses more than promised. */
  readonly against: readonly [Capital, Capital]
  /** Latest {@link GuaranteedTask.since} of the candidate's trials; absent if no trial has one. */
  readonly since?: number
}

export interface KindEvidence {
  readonly tasks: number
  readonly candidates: { readonly [candidate: string]: CandidateEvidence }
}

export interface GuaranteeEvidence {
  /** How often a candidate started, summed over all candidates and kinds of task. */
  readonly starts: number
  readonly kinds: { readonly [kind: string]: KindEvidence }
}

/** Maximum number of candidates for each kind of task, because a caller may name ever new models. */
const candidatesMax = 32

export const noEvidence: GuaranteeEvidence = { starts: 0, kinds: {} }

/** One task under the guarantee; the trial is null if none counts. */
export interface GuaranteedTask {
  readonly kind: string
  readonly candidate: string | null
  readonly trial: Trial | null
  /**
   * Time at which the candidate's or the baseline's id last began to name another model, ms since 1970.
   * Evidence from before `since` is dropped.
   */
  readonly since?: number
}

/** Computes the evidence that start number `start`, from 1 on, must reach: log(1 / level). */
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

/** True if both tests of the loss have ever reached the bar, because evidence is valid at any time. */
const isProven = ({ best }: Rung, bar: number): boolean => Math.min(...best) >= bar

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
  // Either of two detectors may raise a false alarm, so each needs twice the capital of a single detector.
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
  // Trials before a candidate replaces the baseline do not count against the candidate afterwards.
  return { ...next, state: "held", against: [stake, stake] }
}

/**
 * If a new candidate has no room, drops another one, preferably one that does not replace the baseline. A
 * dropped candidate that returns begins with a new start, so the guarantee's promise stays true.
 */
const withRoom = (candidates: KindEvidence["candidates"]): KindEvidence["candidates"] => {
  const all = Object.entries(candidates)
  if (all.length < candidatesMax) return candidates
  const first = all.find(([, { state }]) => state !== "held") ?? all[0]
  return Object.fromEntries(all.filter((each) => each !== first))
}

/** True if the evidence is older than the present model behind the candidate's or the baseline's id. */
export const isFormer = (own: CandidateEvidence, since: number): boolean => (own.since ?? 0) < since

/** Returns the evidence after one more task; tasks are added in their order. */
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
  // A withdrawn candidate's trial is ignored: the deciding process did not know of the withdrawal yet.
  if (known !== null && isResting(known, tasks)) return withKind(before.starts, own.candidates)
  const isNew = known === null || known.state === "withdrawn"
  const starts = before.starts + (isNew ? 1 : 0)
  const current = isNew ? started(rule, starts, known, Math.max(since, known?.since ?? 0)) : known
  const others = kept === null ? withRoom(own.candidates) : own.candidates
  return withKind(starts, { ...others, [candidate]: tried(rule, current, trial, tasks) })
}

/** Removes some candidates from the evidence; a removed candidate begins again with a new start. */
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

export const isResting = ({ restsUntil, state }: CandidateEvidence, tasks: number): boolean =>
  state === "withdrawn" && tasks < restsUntil

/** Returns the smallest loss that the candidate's tests have proven; null if they have proven none. */
export const provenLoss = (alpha: number, { rungs, start }: CandidateEvidence): number | null => {
  const bar = barOf(alpha, start)
  const proven = rungs.filter((rung) => isProven(rung, bar)).map(({ loss }) => loss)
  return proven.length === 0 ? null : Math.min(...proven)
}
