/* The conductor of `learn/`: from a feedback to what it teaches and its answer. */
import { Clock, Context, Effect, Layer } from "effect"
import { readAccountModels } from "../accounts/AccountModels.ts"
import { accountCatalog } from "../catalog/AccountCatalog.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { findModel } from "../catalog/Lookup.ts"
import { modelIdOf } from "../domain/Arm.ts"
import type { FeedbackResponse, IdentifiedFeedback } from "../domain/Feedback.ts"
import { restartOf } from "../domain/ModelIdentity.ts"
import { type Foreseen, reported } from "../domain/ReportPrecedence.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { FeedbackWarning } from "../domain/Warning.ts"
import { LaneCalibrations } from "../ledger/LaneCalibration.ts"
import { type Claim, Ledger, LedgerUnavailable, type SettledFeedback } from "../ledger/Ledger.ts"
import { Memory, type PreparedFeedback } from "../memory/Memory.ts"
import type { PlannedSettlement } from "../ledger/Settlement.ts"
import type { MemoryWrite, Written } from "../memory/MemoryWrite.ts"
import { carryOver } from "../memory/PreparedWrites.ts"
import { deadline } from "../resilience/Deadline.ts"
import { span, stage } from "../telemetry/Tracing.ts"
import { degrade } from "./Degraded.ts"
import { annotateDecision, measureFeedback, measureUnknown } from "./EngineTelemetry.ts"
import { answerOf, refusedAnswer, type WriteOutcome } from "./learn/Answer.ts"
import { attributed } from "./learn/attribution/RanArm.ts"
import { laneCalibrationChange, laneTrialOf } from "./learn/CalibrateLane.ts"
import { reinforcementWrite } from "./learn/Credit.ts"
import { failureLessonWrite } from "./learn/FailureLesson.ts"
import type { FeedbackContext, ReconciledFeedback } from "./learn/FeedbackContext.ts"
import { successLessonWrite } from "./learn/Promote.ts"
import { expectedFeedback, reportOf } from "./learn/Reconcile.ts"
import { observationWrite } from "./learn/Record.ts"
import { attribute, claimOf, observationIdOf, resolve, UnknownRecommendation } from "./learn/Resolve.ts"
import { stepsWrite } from "./learn/Steps.ts"
import { usageOf } from "./learn/Usage.ts"
import { verdict } from "./learn/Verdict.ts"
import { Settings } from "./Settings.ts"

const reused: FeedbackWarning = "idempotency_key_reused"

/** What a feedback writes to memory, in the order of the specification. */
const planWrites = (
  feedback: ReconciledFeedback,
  settings: (typeof Settings)["Service"]
): ReadonlyArray<MemoryWrite> =>
  [
    observationWrite(feedback, settings),
    reinforcementWrite(feedback, settings),
    stepsWrite(feedback, settings),
    successLessonWrite(feedback, settings),
    failureLessonWrite(feedback, settings)
  ].filter((write) => write !== null)

/** The warning of a write that the memory did not take. */
const lossOf = {
  teach: "memory_write_failed",
  reinforce: "reinforcement_failed",
  recordSteps: "step_outcomes_partial",
  promote: "lesson_promotion_failed"
} as const satisfies { readonly [Kind in MemoryWrite["kind"]]: FeedbackWarning }

/** Takes the feedback as one more report of its decision: durable with the claim it runs under. */
const reconcile = Effect.fnUntraced(function*(
  context: FeedbackContext,
  foreseen: Foreseen
): Effect.fn.Return<ReconciledFeedback, LedgerUnavailable, Ledger | Settings> {
  const { modelsPerDecisionMax } = yield* Settings
  const { accountId, decision: { recommendationId } } = context
  const report = reportOf(context)
  const rule = { modelsMax: modelsPerDecisionMax, foreseen }
  const counted = yield* (yield* Ledger).reconcile(accountId, recommendationId, report, rule)
  // A decision that retention deleted meanwhile has no other reports.
  const { after, before } = counted ?? reported([], report, 1, rule)
  return { ...context, before, outcome: after }
}, stage("reconcile"))

/** Commits the feedback's writes; those that the memory did not take become warnings. */
const commit = Effect.fnUntraced(function*(
  prepared: PreparedFeedback
): Effect.fn.Return<ReadonlyArray<WriteOutcome>, never, Memory> {
  const [results = []] = yield* (yield* Memory).commit([prepared])
  return yield* Effect.forEach(results, (result, index) =>
    Effect.gen(function*() {
      const { write } = prepared[index]!
      const { value, warnings } = yield* degrade(Effect.fromResult(result), {
        orElse: () => null,
        warnings: { MemoryUnavailable: lossOf[write.kind] }
      })
      return { write, written: value, warnings }
    }))
}, stage("commit"))

/** Lets the lane learn from what became of its forecasts. */
const calibrate = Effect.fnUntraced(function*(
  feedback: ReconciledFeedback
): Effect.fn.Return<void, LedgerUnavailable, LaneCalibrations | Settings> {
  const { accountId, lane } = feedback.decision
  const change = laneCalibrationChange(feedback, yield* Settings)
  if (change !== null) yield* (yield* LaneCalibrations).change(accountId, lane, change)
}, stage("calibrate"))

/** What is settled with the claim, in one transaction: the report, the prepared writes and the counters. */
const settleFeedback = Effect.fnUntraced(function*(
  context: FeedbackContext,
  foreseen: Foreseen,
  prepared: PreparedFeedback
): Effect.fn.Return<FeedbackResponse, LedgerUnavailable, LaneCalibrations | Ledger | Memory | Settings> {
  const settings = yield* Settings
  const feedback = yield* reconcile(context, foreseen)
  const outcomes = yield* commit(carryOver(prepared, planWrites(feedback, settings)))
  yield* calibrate(feedback)
  return answerOf(feedback, outcomes, settings)
}, span("Learner.settleFeedback"))

/** What a write is answered as far as that is known before it is made. */
const expectedAnswer = (write: MemoryWrite): Written | null => {
  switch (write.kind) {
    case "teach":
      return { kind: "teach", taught: { recordId: "", laneTaught: 0, reflectionTriggered: false } }
    case "reinforce":
      return { kind: "reinforce", reinforced: { entryIds: [], updatedConfidence: null } }
    case "recordSteps":
      return null
    case "promote":
      return { kind: "promote" }
  }
}

/** The settlement as values, where the memory can plan it and the feedback is the first of its decision. */
const planSettlement = Effect.fnUntraced(function*(
  feedback: ReconciledFeedback,
  isFirst: boolean,
  prepared: PreparedFeedback
): Effect.fn.Return<PlannedSettlement | null, never, LaneCalibrations | Memory | Settings> {
  const { remember } = yield* LaneCalibrations
  const { plan } = yield* Memory
  const { outcome } = feedback
  if (!isFirst || outcome === null || plan === undefined || remember === undefined) return null
  const writes = yield* plan(prepared)
  if (writes === null) return null
  const settings = yield* Settings
  const { accountId, lane } = feedback.decision
  const trial = laneTrialOf(feedback, settings)?.trial
  const outcomes = prepared.map(({ write }) => ({ write, written: expectedAnswer(write), warnings: [] }))
  return {
    outcome,
    writes,
    calibration: trial === undefined ? null : {
      trial,
      rule: settings.laneRule,
      start: settings.laneStart,
      remember: (numbers) => remember(accountId, lane, numbers)
    },
    response: answerOf(feedback, outcomes, settings)
  }
})

/** Plans and prepares the feedback's writes, and settles it under its claim. */
const prepareAndSettle = Effect.fnUntraced(function*(
  context: FeedbackContext,
  claim: Claim,
  known: Parameters<typeof expectedFeedback>[1]
): Effect.fn.Return<SettledFeedback, LedgerUnavailable, LaneCalibrations | Ledger | Memory | Settings> {
  const settings = yield* Settings
  const { feedback, foreseen } = expectedFeedback(context, known, settings)
  const writes = planWrites(feedback, settings)
  const [prepared = []] = yield* (yield* Memory).prepare([writes]).pipe(stage("prepare"))
  const planned = yield* planSettlement(feedback, known?.outcomes.length === 0, prepared)
  return yield* (yield* Ledger).settle(claim, settleFeedback(context, foreseen, prepared), planned)
    .pipe(stage("settle"))
})

type Ports = Catalog | LaneCalibrations | Ledger | Memory | Settings

/** Reads, plans, prepares and settles one feedback. */
const learnOnce = Effect.fnUntraced(function*(accountId: AccountId, reported: IdentifiedFeedback) {
  const settings = yield* Settings
  const ledger = yield* Ledger
  const { recommendationId } = reported
  if (recommendationId === null) return yield* new UnknownRecommendation({ recommendationId })
  // Without the account's models, a spelling of its own would be claimed as another model, and counted again
  // when the report is repeated. Such a report is refused instead.
  const { document, restarts } = yield* readAccountModels(accountId, settings.feedbackBudgetMs)
  const snapshot = accountCatalog(yield* (yield* Catalog).snapshot, document)
  const { claimRequest, known: ran, named } =
    yield* attribute(snapshot, accountId, { ...reported, recommendationId })
  const ownClaim = claimOf(accountId, claimRequest)
  // Asked in one turn, they are read in one transaction. An earlier answer is read before the settlement
  // because an external memory keeps what it is sent, also when the claim is then refused.
  const { decision, earlier, known } = yield* Effect.all({
    decision: ran === null ? resolve(accountId, recommendationId) : Effect.succeed(ran.decision),
    earlier: ledger.answered(ownClaim),
    known: ledger.reportedOutcomes(accountId, recommendationId)
  }, { concurrency: "unbounded" })
  yield* annotateDecision(decision)
  const { chosenModelId, isEffortKnown } = ran ?? attributed(snapshot, decision, named, null)
  const request = { ...reported, recommendationId, chosenModelId }
  const card = findModel(snapshot, chosenModelId) ?? findModel(snapshot, modelIdOf(chosenModelId))
  const now = new Date(yield* Clock.currentTimeMillis)
  const context: FeedbackContext = {
    accountId,
    decision,
    request,
    now,
    observationId: observationIdOf(accountId, recommendationId, chosenModelId),
    restartedAtMs: restartOf(restarts, chosenModelId),
    verdict: verdict(settings, decision, request, now),
    usage: usageOf(request, card),
    isEffortKnown,
    isModelKnown: card !== undefined || decision.candidates.some(({ modelId }) => modelId === chosenModelId)
  }
  const claim: Claim = {
    ...ownClaim,
    about: { recommendationId, report: reportOf(context) }
  }
  const settled = earlier ?? (yield* prepareAndSettle(context, claim, known))
  yield* measureFeedback(decision, request, context.verdict, settled)
  const { claim: claimed, response } = settled
  return claimed === "other" ? { ...response, warnings: [...response.warnings, reused] } : response
}, span("Learner.settle")) // The span keeps its earlier name: saved searches of traces use it.

/** Conductor of `learn/`: what does this outcome teach? */
export class Learner extends Context.Service<Learner, {
  /**
   * Durable when it answers `accepted`. It fails when the ledger is out or the time limit is reached. The
   * feedback may then still be settled, and a remote memory may have its writes; a repeat counts once.
   */
  readonly learn: (
    accountId: AccountId,
    request: IdentifiedFeedback
  ) => Effect.Effect<FeedbackResponse, LedgerUnavailable>
}>()("sextant/engine/Learner") {
  static readonly layer = Layer.effect(
    Learner,
    Effect.gen(function*() {
      const ports = yield* Effect.context<Ports>()
      const { feedbackBudgetMs } = yield* Settings
      return Learner.of({
        learn: (accountId, request) =>
          learnOnce(accountId, request).pipe(
            deadline(feedbackBudgetMs, () => LedgerUnavailable.timedOut(feedbackBudgetMs)),
            Effect.catchTag("UnknownRecommendation", () =>
              Effect.as(measureUnknown, refusedAnswer("unknown_recommendation"))),
            Effect.provide(ports)
          )
      })
    })
  )
}
