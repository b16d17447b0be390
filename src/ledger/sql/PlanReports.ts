/* Plans the reports of a group one after another, from what the log has; and says what became of each. */
import { Effect, type Schema } from "effect"
import type { ReportedOutcome } from "../../domain/FeedbackPrecedence.ts"
import type { Lane } from "../../domain/Scope.ts"
import { keyAfter } from "../../domain/TaskKey.ts"
import * as LaneNumbers from "../../stats/LaneNumbers.ts"
import type {
  FirstSettlement, Plan, PlannedCalibration, RepeatedSettlement, SettledFeedback, Settlement
} from "../Settlement.ts"
import type { DecisionState, LogState } from "./TakeReports.ts"
import { storedAnswer } from "./StoredAnswer.ts"

/** A report with the plan that was made for it. */
export interface PlannedReport {
  readonly settlement: Settlement
  readonly revision: number
  readonly plan: Plan
  /** What its decision's reports came to before it. */
  readonly before: ReadonlyArray<ReportedOutcome>
}

/** A planned report whose writes are stored, with its answer. */
export interface AnsweredReport extends PlannedReport {
  readonly answer: FirstSettlement
}

/** What becomes of a settlement before anything is written: null where its decision is not there. */
type Fate = PlannedReport | RepeatedSettlement | { readonly repeats: PlannedReport } | null

/**
 * Plans the settlements one after another, each from what those before it come to. One under a key that was
 * settled before is answered as that was.
 */
export const planAll = Effect.fnUntraced(function*(
  group: ReadonlyArray<Settlement>,
  firstRevision: number,
  state: LogState
): Effect.fn.Return<
  { readonly fates: ReadonlyArray<Fate>; readonly decisions: ReadonlyMap<string, DecisionState> },
  Schema.SchemaError
> {
  const decisions = new Map<string, DecisionState>(state.decisions)
  const planned = new Map<string, PlannedReport>()
  const fates: Array<Fate> = []
  for (const [position, settlement] of group.entries()) {
    const { claim, decision: { recommendationId }, plan, taskKey } = settlement
    const answered = state.answers.get(claim.idempotencyKey)
    const earlier = planned.get(claim.idempotencyKey)
    const decision = decisions.get(recommendationId)
    if (answered !== undefined) fates.push(yield* storedAnswer(answered, claim))
    else if (earlier !== undefined) fates.push({ repeats: earlier })
    else if (decision === undefined) fates.push(null)
    else {
      const revision = firstRevision + position
      const own = plan({ ...decision, revision })
      const report = { settlement, revision, plan: own, before: decision.outcomes }
      decisions.set(recommendationId, {
        outcomes: own.outcomes, taskKey: keyAfter(decision.taskKey, taskKey)
      })
      planned.set(claim.idempotencyKey, report)
      fates.push(report)
    }
  }
  return { fates, decisions }
})

export const isPlanned = (fate: Fate): fate is PlannedReport => fate !== null && "plan" in fate

/** A lane's numbers after the trials of reports, by lane. */
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

/** What becomes of each settlement of the group. */
export const resultsOf = (
  group: ReadonlyArray<Settlement>,
  fates: ReadonlyArray<Fate>,
  first: ReadonlyMap<number, FirstSettlement>
): ReadonlyArray<SettledFeedback | null> =>
  group.map(({ claim }, position) => {
    const fate = fates[position] ?? null
    if (fate === null || "response" in fate) return fate
    const { revision, settlement } = "repeats" in fate ? fate.repeats : fate
    const own = first.get(revision) ?? null
    if (own === null || !("repeats" in fate)) return own
    const isSame = settlement.claim.fingerprint === claim.fingerprint
    return { claim: isSame ? "same" : "other", response: own.response }
  })
