/* Plans the reports of a group, one after another, from the state of the log. */
import { Effect, type Schema } from "effect"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { Lane } from "../../domain/Scope.ts"
import { keyAfter } from "../../domain/TaskKey.ts"
import * as LaneNumbers from "../../stats/LaneNumbers.ts"
import type {
  AppliedReport, PlannedCalibration, RepeatedReport, ReportPlan, ReportResult, ReportSubmission
} from "../ReportSubmission.ts"
import type { DecisionState, LogState } from "./ReadLogState.ts"
import { storedAnswer } from "./StoredAnswer.ts"

export interface PlannedReport {
  readonly submission: ReportSubmission
  readonly revision: number
  readonly plan: ReportPlan
  readonly before: ReadonlyArray<ReportedOutcome>
}

export interface AnsweredReport extends PlannedReport {
  readonly answer: AppliedReport
}

/** `repeats` is an earlier report with the same key in the same transaction. */
type Fate = PlannedReport | RepeatedReport | { readonly repeats: PlannedReport } | null

/**
 * A report whose key is in the log gets the stored answer. A report whose decision is missing gets the result
 * null. Repeated reports and reports of missing decisions take no revision, so they leave no gaps in the log.
 */
export const planAll = Effect.fnUntraced(function*(
  group: ReadonlyArray<ReportSubmission>,
  firstRevision: number,
  state: LogState
): Effect.fn.Return<
  { readonly fates: ReadonlyArray<Fate>; readonly decisions: ReadonlyMap<string, DecisionState> },
  Schema.SchemaError
> {
  const decisions = new Map<string, DecisionState>(state.decisions)
  const planned = new Map<string, PlannedReport>()
  const fates: Array<Fate> = []
  let next = firstRevision
  for (const submission of group) {
    const { key, decision: { recommendationId }, plan, taskKey } = submission
    const answered = state.answers.get(key.idempotencyKey)
    const earlier = planned.get(key.idempotencyKey)
    const decision = decisions.get(recommendationId)
    if (answered !== undefined) fates.push(yield* storedAnswer(answered, key))
    else if (earlier !== undefined) fates.push({ repeats: earlier })
    else if (decision === undefined) fates.push(null)
    else {
      const revision = next++
      const own = plan({ ...decision, revision })
      const report = { submission, revision, plan: own, before: decision.outcomes }
      decisions.set(recommendationId, {
        outcomes: own.outcomes, taskKey: keyAfter(decision.taskKey, taskKey)
      })
      planned.set(key.idempotencyKey, report)
      fates.push(report)
    }
  }
  return { fates, decisions }
})

export const isPlanned = (fate: Fate): fate is PlannedReport => fate !== null && "plan" in fate

/** Returns the new calibration numbers of each lane whose numbers the reports change. */
export const movedNumbers = (
  reports: ReadonlyArray<PlannedReport>,
  held: LogState["numbers"]
): ReadonlyMap<Lane, LaneNumbers.LaneNumbers> => {
  const moved = new Map<Lane, LaneNumbers.LaneNumbers>()
  const move = ({ lane, replaced, rule, start, trial }: PlannedCalibration): void => {
    const now = moved.get(lane) ?? held.get(lane) ?? start
    moved.set(lane, replaced === null || now.outcomes === 0
      ? LaneNumbers.observe(now, trial, rule)
      : LaneNumbers.replace(now, replaced, trial, rule))
  }
  for (const { plan: { calibration } } of reports) if (calibration !== null) move(calibration)
  return moved
}

/** @param first the results of the reports that were appended in this transaction, by revision */
export const resultsOf = (
  group: ReadonlyArray<ReportSubmission>,
  fates: ReadonlyArray<Fate>,
  first: ReadonlyMap<number, AppliedReport>
): ReadonlyArray<ReportResult | null> =>
  group.map(({ key }, position) => {
    const fate = fates[position] ?? null
    if (fate === null || "response" in fate) return fate
    const { revision, submission } = "repeats" in fate ? fate.repeats : fate
    const own = first.get(revision) ?? null
    if (own === null || !("repeats" in fate)) return own
    const isSame = submission.key.fingerprint === key.fingerprint
    return { reception: isSame ? "same" : "other", response: own.response }
  })
