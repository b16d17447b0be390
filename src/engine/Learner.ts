/* The pipeline of `learn/`: turns a feedback into writes to memory, and answers the feedback. */
import { Clock, Context, Effect, Layer } from "effect"
import { readAccountModels } from "../accounts/AccountModels.ts"
import { accountCatalog } from "../catalog/AccountCatalog.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { findModel } from "../catalog/Lookup.ts"
import { isPriceUnknown, offeringNamed } from "../catalog/Offerings.ts"
import { modelIdOf } from "../domain/model/ModelVariant.ts"
import { errorCauseOf, type FeedbackResponse, type IdentifiedFeedback } from "../domain/feedback/Feedback.ts"
import type { MemoryWrite } from "../domain/MemoryWrite.ts"
import { restartOf } from "../domain/model/ModelIdentity.ts"
import { unitOf } from "../domain/Task.ts"
import { keyOfTask } from "../domain/TaskKey.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { FeedbackWarning } from "../domain/Warning.ts"
import { LaneCalibrations } from "../ledger/LaneCalibration.ts"
import { Ledger, LedgerUnavailable } from "../ledger/Ledger.ts"
import type {
  DecisionOutcomes, PlannedCalibration, ReportKey, ReportPlan, ReportResult
} from "../ledger/ReportSubmission.ts"
import { Memory } from "../memory/Memory.ts"
import { span, stage } from "../telemetry/Tracing.ts"
import { CheckHistory } from "./CheckHistory.ts"
import { annotateDecision, measureFeedback, measureUnknown } from "./EngineTelemetry.ts"
import { addReport, reportOf } from "./learn/AddReport.ts"
import { answerOf, refusedAnswer } from "./learn/FeedbackAnswer.ts"
import { laneTrialOf } from "./learn/CalibrateLane.ts"
import { checkedAttemptOf } from "./learn/CheckedAttempt.ts"
import { reinforcementWrite } from "./learn/Credit.ts"
import type { FeedbackContext, CombinedFeedback } from "./learn/FeedbackContext.ts"
import { failureLessonWrite, successLessonWrite } from "./learn/Promote.ts"
import { findDecision, observationIdOf, UnknownRecommendation } from "./learn/FindDecision.ts"
import { reportedCall } from "./learn/ReportCall.ts"
import { stepsWrite } from "./learn/StepRewards.ts"
import { observationWrite } from "./learn/TeachOutcome.ts"
import { usageOf } from "./learn/Usage.ts"
import { verdict } from "./learn/Verdict.ts"
import { withPorts } from "./Ports.ts"
import { type EngineSettings, Settings } from "./Settings.ts"

const learnerKeys = [Catalog, CheckHistory, LaneCalibrations, Ledger, Memory, Settings] as const
type LearnerServices = Context.Service.Identifier<typeof learnerKeys[number]>

const learnerPorts = Effect.gen(function*() {
  return {
    catalog: yield* Catalog, checks: yield* CheckHistory, lanes: yield* LaneCalibrations,
    ledger: yield* Ledger, memory: yield* Memory,
    settings: yield* Settings
  }
})
type LearnerPorts = Effect.Success<typeof learnerPorts>

const reused: FeedbackWarning = "idempotency_key_reused"

/** Returns the writes to memory that a feedback leads to, in the specification's order. */
const planWrites = (
  feedback: CombinedFeedback,
  settings: EngineSettings
): ReadonlyArray<MemoryWrite> =>
  [
    observationWrite(feedback),
    reinforcementWrite(feedback, settings),
    stepsWrite(feedback, settings),
    successLessonWrite(feedback, settings),
    failureLessonWrite(feedback, settings)
  ].filter((write) => write !== null)

/** Returns the change of the lane's calibration numbers, or null if the lane learns nothing. */
const calibrationOf = (
  feedback: CombinedFeedback,
  { lanes: { remember }, settings }: LearnerPorts
): PlannedCalibration | null => {
  const { accountId, decision: { lane } } = feedback
  const found = laneTrialOf(feedback)
  return found === null ? null : {
    ...found,
    lane,
    rule: settings.laneRule,
    start: settings.laneStart,
    remember: (numbers) => remember(accountId, lane, numbers)
  }
}

const planOf = (ports: LearnerPorts, read: FeedbackContext) => (known: DecisionOutcomes): ReportPlan => {
  const { settings } = ports
  const context = { ...read, decision: { ...read.decision, taskKey: known.taskKey } }
  const { feedback, outcomes } = addReport(context, known, settings)
  const writes = planWrites(feedback, settings)
  return {
    outcomes,
    writes,
    call: reportedCall(feedback),
    calibration: calibrationOf(feedback, ports),
    answer: (results) => answerOf(feedback, writes, results)
  }
}

/** Embeds the task before the transaction, if necessary. */
const applyFeedback = Effect.fnUntraced(function*(
  ports: LearnerPorts,
  given: FeedbackContext,
  key: ReportKey
): Effect.fn.Return<ReportResult, LedgerUnavailable | UnknownRecommendation> {
  const { ledger, memory } = ports
  const { accountId, decision } = given
  const { recommendationId, taskExcerpt: task, taskVectors = [] } = decision
  const vectors = yield* memory.prepare({ accountId, task, taskVectors }).pipe(stage("prepare"))
  const context = vectors === taskVectors
    ? given
    : { ...given, decision: { ...decision, taskVectors: vectors } }
  const applied = yield* ledger.applyReport({
    key,
    decision,
    report: reportOf(context),
    taskKey: keyOfTask(context.request),
    plan: planOf(ports, context),
    store: memory.store
  }).pipe(stage("settle"))
  // The decision has been erased since it was read.
  if (applied === null) return yield* new UnknownRecommendation({ recommendationId })
  if (applied.reception !== "first" || !applied.isElsewhere) return applied
  const { plan, revision } = applied
  return { ...applied, response: yield* memory.deliver(accountId, revision, plan) }
})

const learnOnce = Effect.fnUntraced(function*(
  ports: LearnerPorts,
  accountId: AccountId,
  reported: IdentifiedFeedback,
  keyId: string
) {
  const { settings } = ports
  const { recommendationId } = reported
  if (recommendationId === null) return yield* new UnknownRecommendation({ recommendationId })
  // If the account's models cannot be read, the feedback fails, because its repetition could count twice.
  const { document, restarts } = yield* readAccountModels(accountId, settings.feedbackBudgetMs)
  const snapshot = accountCatalog(yield* ports.catalog.snapshot, document)
  const { chosenModelId, key, decision, nameWarnings } =
    yield* findDecision(ports.ledger, snapshot, accountId, { ...reported, recommendationId })
  yield* annotateDecision(decision)
  const request = { ...reported, recommendationId, chosenModelId, errorCause: errorCauseOf(reported) }
  const card = findModel(snapshot, chosenModelId) ?? findModel(snapshot, modelIdOf(chosenModelId))
  // A deployment has its own prices and health, but shares its model's outcomes.
  const served = offeringNamed(snapshot, reported.chosenModelId ?? "") ?? card
  const isKnown = card !== undefined || decision.candidates.some(({ modelId }) => modelId === chosenModelId)
  const now = new Date(yield* Clock.currentTimeMillis)
  const context: FeedbackContext = {
    accountId,
    decision,
    request,
    now,
    observationId: observationIdOf(accountId, recommendationId, chosenModelId),
    modelSinceMs: restartOf(restarts, chosenModelId),
    verdict: verdict(settings, decision, request, now),
    usage: usageOf(
      settings,
      request,
      served === undefined || isPriceUnknown(served) ? undefined : served,
      unitOf(decision.cluster)
    ),
    keyId,
    provider: served?.provider ?? null,
    nameWarnings: isKnown ? nameWarnings : ["unknown_models:1", ...nameWarnings]
  }
  const applied = yield* applyFeedback(ports, context, key)
  yield* measureFeedback(decision, request, context.verdict, applied)
  const { reception: received, response } = applied
  const attempt = applied.reception === "first" ? checkedAttemptOf(context, applied.plan) : null
  if (attempt !== null) yield* ports.checks.noteVerdict({ accountId, lane: decision.lane }, attempt)
  return received === "other" ? { ...response, warnings: [...response.warnings, reused] } : response
}, span("Learner.settle")) // The span keeps its earlier name: saved searches of traces use it.

export class Learner extends Context.Service<Learner, {
  /**
   * The answer `accepted: true` means that the feedback is stored durably. A feedback that fails by timeout
   * may still be applied, and a repeated feedback counts once. `keyId` is the id of the caller's API key.
   */
  readonly learn: (
    accountId: AccountId,
    request: IdentifiedFeedback,
    keyId?: string
  ) => Effect.Effect<FeedbackResponse, LedgerUnavailable>
}>()("sextant/engine/Learner") {
  static readonly layer = Layer.effect(
    Learner,
    Effect.gen(function*() {
      const ports = yield* learnerPorts
      const provided = withPorts(yield* Effect.context<LearnerServices>(), learnerKeys)
      return Learner.of({
        learn: (accountId, request, keyId = "") =>
          learnOnce(ports, accountId, request, keyId).pipe(
            LedgerUnavailable.within(ports.settings.feedbackBudgetMs),
            Effect.catchTag("UnknownRecommendation", () =>
              Effect.as(measureUnknown, refusedAnswer("unknown_recommendation"))),
            provided
          )
      })
    })
  ).pipe(Layer.provideMerge(CheckHistory.layer))
}
