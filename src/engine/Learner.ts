import { Clock, Context, Data, Effect, Layer } from "effect"
import { Catalog } from "../catalog/Catalog.ts"
import { findModel } from "../catalog/Lookup.ts"
import { deadline } from "../resilience/Deadline.ts"
import { isCostOutlier } from "../domain/CostOutlier.ts"
import type { FeedbackResponse, IdentifiedFeedback } from "../domain/Feedback.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { FeedbackWarning } from "../domain/Warning.ts"
import type { LaneCalibrations } from "../ledger/LaneCalibration.ts"
import { type Claim, Ledger, LedgerUnavailable, type Settled } from "../ledger/Ledger.ts"
import { Memory } from "../memory/Memory.ts"
import { type Foreseen, isRelabelled, outcomeOf, reported } from "../domain/ReportPrecedence.ts"
import { degrade } from "./Degraded.ts"
import { credit, noReinforcement } from "./learn/Credit.ts"
import { recordFailureLesson } from "./learn/Note.ts"
import { promote } from "./learn/Promote.ts"
import { type Lesson, reconcile, record, reportOf, type Told } from "./learn/Record.ts"
import { claimOf, observationIdOf, resolve } from "./learn/Resolve.ts"
import { steps } from "./learn/Steps.ts"
import { verdict } from "./learn/Verdict.ts"
import { updateLaneCalibration } from "./learn/Weigh.ts"
import { Settings } from "./Settings.ts"
import { span } from "../telemetry/Tracing.ts"
import { annotateDecision, measureFeedback, measureUnknown } from "./EngineTelemetry.ts"

const reused: FeedbackWarning = "idempotency_key_reused"

/** Nothing was learned, and why. */
const refused = (warning: FeedbackWarning): FeedbackResponse => ({
  accepted: false,
  recordId: null,
  reinforcedEntryIds: [],
  updatedConfidence: null,
  reflectionTriggered: false,
  lessonPromoted: false,
  stepOutcomesRecorded: 0,
  warnings: [warning]
})

/** What became of the labels of the feedback's decision and model. */
const labelWarnings = (lesson: Lesson): ReadonlyArray<FeedbackWarning> => {
  const { before, outcome, verdict } = lesson
  if (outcome === null) return ["chosen_models_capped"]
  if (before === null || !before.label.teaches || !verdict.teaches) return []
  return [isRelabelled(outcome) ? "outcome_replaced" : "outcome_outranked"]
}

/** The stages that tell memory, in the specification's order. */
const planWrites = Effect.fnUntraced(function*(lesson: Lesson) {
  const taught = yield* degrade(record(lesson), {
    orElse: () => null,
    warnings: { MemoryUnavailable: "memory_write_failed" }
  })
  const credited = yield* degrade(credit(lesson), {
    orElse: () => noReinforcement,
    warnings: { MemoryUnavailable: "reinforcement_failed" }
  })
  const kept = yield* degrade(steps(lesson), {
    orElse: () => 0,
    warnings: { MemoryUnavailable: "step_outcomes_partial" }
  })
  const promoted = yield* degrade(promote(lesson), {
    orElse: () => false,
    warnings: { MemoryUnavailable: "lesson_promotion_failed" }
  })
  const noted = yield* degrade(recordFailureLesson(lesson), {
    orElse: () => false,
    warnings: { MemoryUnavailable: "lesson_promotion_failed" }
  })
  return { taught, credited, kept, promoted, noted }
})

/** A feedback as it was planned before its settlement began, and the revision that it was given. */
interface Planned {
  readonly lesson: Lesson
  readonly foreseen: Foreseen
}

/** What the feedback will be if nothing else is reported of its decision meanwhile. */
const plan = Effect.fnUntraced(function*(
  told: Told
): Effect.fn.Return<Planned, LedgerUnavailable, Ledger | Settings> {
  const { modelsPerDecisionMax } = yield* Settings
  const { accountId, decision: { recommendationId }, request } = told
  const known = yield* (yield* Ledger).reportedOutcomes(accountId, recommendationId)
  const { outcomes, revision } = known ?? { outcomes: [], revision: 1 }
  const rule = { modelsMax: modelsPerDecisionMax }
  const { after, before } = reported(outcomes, reportOf(told), revision, rule)
  const basis = outcomeOf(outcomes, request.chosenModelId)?.revision ?? 0
  return { lesson: { ...told, before, outcome: after }, foreseen: { basis, revision } }
})

/** The stages of learning; runs inside the claim's transaction. */
const settleFeedback = Effect.fnUntraced(function*(
  told: Told,
  foreseen: Foreseen | null
): Effect.fn.Return<FeedbackResponse, LedgerUnavailable, LaneCalibrations | Ledger | Memory | Settings> {
  const settings = yield* Settings
  const { stepOutcomesMax } = settings
  const { decision, request, verdict } = told
  const lesson = yield* reconcile(told, foreseen)
  const { credited, kept, noted, promoted, taught } = yield* planWrites(lesson)
  yield* updateLaneCalibration(lesson)
  const dropped = request.stepOutcomes.length - stepOutcomesMax
  const isPartial = kept.value < Math.min(request.stepOutcomes.length, stepOutcomesMax)
  const isOutlier = isCostOutlier(request.actualCostUsd, decision.costPremiumUsd, settings)
  return {
    accepted: true,
    recordId: taught.value?.recordId ?? null,
    reinforcedEntryIds: credited.value.entryIds,
    updatedConfidence: credited.value.updatedConfidence,
    reflectionTriggered: taught.value?.reflectionTriggered ?? false,
    lessonPromoted: promoted.value,
    stepOutcomesRecorded: kept.value,
    warnings: [
      ...verdict.warnings,
      ...labelWarnings(lesson),
      ...(isOutlier ? ["cost_outlier" as const] : []),
      ...taught.warnings,
      ...credited.warnings,
      ...(dropped > 0 ? [`step_outcomes_capped:${dropped}` as const] : []),
      ...(isPartial ? ["step_outcomes_partial" as const] : []),
      ...promoted.warnings,
      ...noted.warnings
    ] satisfies ReadonlyArray<FeedbackWarning>
  }
}, span("Learner.apply"))

class Unsettled extends Data.TaggedError("Unsettled") {}

/** What an earlier feedback under this claim was answered; null when there was none. Leaves no trace. */
const earlier = Effect.fnUntraced(function*(
  claim: Claim
): Effect.fn.Return<Settled | null, LedgerUnavailable, Ledger> {
  return yield* (yield* Ledger).settle(claim, Effect.fail(new Unsettled())).pipe(
    Effect.catchTag("Unsettled", () => Effect.succeed(null))
  )
})

type Ports = Catalog | LaneCalibrations | Ledger | Memory | Settings

/** Conductor of `learn/`: what does this outcome teach? */
export class Learner extends Context.Service<Learner, {
  /** Durable when it answers `accepted`; fails only when the ledger is out, and then left no trace. */
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

      const settle = Effect.fnUntraced(function*(
        accountId: AccountId,
        reported: IdentifiedFeedback
      ) {
        const settings = yield* Settings
        const ledger = yield* Ledger
        const memory = yield* Memory
        const snapshot = yield* (yield* Catalog).snapshot
        const decision = yield* resolve(accountId, reported.recommendationId)
        yield* annotateDecision(decision)
        // One spelling each: an alias is the same model, an id in capitals the same decision, claimed once.
        const request = {
          ...reported,
          recommendationId: decision.recommendationId,
          chosenModelId: findModel(snapshot, reported.chosenModelId)?.modelId ?? reported.chosenModelId
        }
        const nowMillis = yield* Clock.currentTimeMillis
        const now = new Date(nowMillis)
        const told: Told = {
          accountId,
          decision,
          request,
          now,
          observationId: observationIdOf(accountId, request.recommendationId, request.chosenModelId),
          verdict: verdict(settings, decision, request, now)
        }
        const ownClaim: Claim = {
          ...claimOf(accountId, request),
          about: { recommendationId: request.recommendationId, report: reportOf(told) }
        }
        const counted = Effect.gen(function*() {
          if (memory.ahead === undefined) return yield* ledger.settle(ownClaim, settleFeedback(told, null))
          const { foreseen, lesson } = yield* plan(told)
          const tried = yield* memory.ahead(planWrites(lesson))
          return yield* ledger.settle(ownClaim, tried.during(settleFeedback(told, foreseen)))
        })
        // A memory elsewhere takes for good what it is told ahead: not what its claim will then refuse.
        const settled = (memory.ahead === undefined ? null : yield* earlier(ownClaim)) ?? (yield* counted)
        yield* measureFeedback(decision, request, told.verdict, settled)
        const { claim, response } = settled
        return claim === "other"
          ? { ...response, warnings: [...response.warnings, reused] }
          : response
      }, span("Learner.settle"))

      const learn = (accountId: AccountId, request: IdentifiedFeedback) =>
        settle(accountId, request).pipe(
          deadline(feedbackBudgetMs, () => LedgerUnavailable.timedOut(feedbackBudgetMs)),
          Effect.catchTag("UnknownRecommendation", () =>
            Effect.as(measureUnknown, refused("unknown_recommendation"))),
          Effect.provide(ports)
        )

      return Learner.of({ learn })
    })
  )
}
