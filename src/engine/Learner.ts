import { Clock, Context, Data, Effect, Layer } from "effect"
import { Catalog } from "../catalog/Catalog.ts"
import { findModel } from "../catalog/Lookup.ts"
import { within } from "../domain/Budget.ts"
import type { FeedbackRequest, FeedbackResponse } from "../domain/Feedback.ts"
import type { Caller } from "../domain/Scope.ts"
import type { FeedbackWarning } from "../domain/Warning.ts"
import type { Lanes } from "../ledger/Lanes.ts"
import { type Claim, Ledger, LedgerUnavailable, type Settled } from "../ledger/Ledger.ts"
import { Memory, type Tried } from "../memory/Memory.ts"
import { degrade } from "./Degraded.ts"
import { credit, nobody } from "./learn/Credit.ts"
import { note } from "./learn/Note.ts"
import { promote } from "./learn/Promote.ts"
import { type Lesson, reconcile, record } from "./learn/Record.ts"
import { claimOf, observationIdOf, resolve } from "./learn/Resolve.ts"
import { steps } from "./learn/Steps.ts"
import { verdict } from "./learn/Verdict.ts"
import { weigh } from "./learn/Weigh.ts"
import { Settings } from "./Settings.ts"
import { span } from "./Span.ts"

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

/** The stages that tell memory, in the specification's order. */
const tell = Effect.fnUntraced(function*(lesson: Lesson) {
  const taught = yield* degrade(record(lesson), {
    orElse: () => null,
    warnings: { MemoryUnavailable: "memory_write_failed" }
  })
  const credited = yield* degrade(credit(lesson), {
    orElse: () => nobody,
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
  const noted = yield* degrade(note(lesson), {
    orElse: () => false,
    warnings: { MemoryUnavailable: "lesson_promotion_failed" }
  })
  return { taught, credited, kept, promoted, noted }
})

/** The stages of learning; runs inside the claim's transaction. */
const apply = Effect.fnUntraced(function*(
  lesson: Lesson
): Effect.fn.Return<FeedbackResponse, LedgerUnavailable, Lanes | Ledger | Memory | Settings> {
  const { stepOutcomesMax } = yield* Settings
  const { request } = lesson
  yield* reconcile(lesson)
  const { credited, kept, noted, promoted, taught } = yield* tell(lesson)
  yield* weigh(lesson)
  const dropped = request.stepOutcomes.length - stepOutcomesMax
  const isPartial = kept.value < Math.min(request.stepOutcomes.length, stepOutcomesMax)
  return {
    accepted: true,
    recordId: taught.value?.recordId ?? null,
    reinforcedEntryIds: credited.value.entryIds,
    updatedConfidence: credited.value.updatedConfidence,
    reflectionTriggered: taught.value?.reflectionTriggered ?? false,
    lessonPromoted: promoted.value,
    stepOutcomesRecorded: kept.value,
    warnings: [
      ...lesson.verdict.warnings,
      ...taught.warnings,
      ...credited.warnings,
      ...(dropped > 0 ? [`step_outcomes_capped:${dropped}` as const] : []),
      ...(isPartial ? ["step_outcomes_partial" as const] : []),
      ...promoted.warnings,
      ...noted.warnings
    ]
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

/** Memory that commits with the ledger has nothing to try ahead. */
const atOnce: Tried = { during: (work) => work }

type Ports = Catalog | Lanes | Ledger | Memory | Settings

/** Conductor of `learn/`: what does this outcome teach? */
export class Learner extends Context.Service<Learner, {
  /** Durable when it answers `accepted`; fails only when the ledger is out, and then left no trace. */
  readonly learn: (
    caller: Caller,
    request: FeedbackRequest
  ) => Effect.Effect<FeedbackResponse, LedgerUnavailable>
}>()("sextant/engine/Learner") {
  static readonly layer = Layer.effect(
    Learner,
    Effect.gen(function*() {
      const ports = yield* Effect.context<Ports>()
      const { feedbackBudgetMs } = yield* Settings

      const settle = Effect.fnUntraced(function*(
        caller: Caller,
        reported: FeedbackRequest
      ) {
        const settings = yield* Settings
        const ledger = yield* Ledger
        const memory = yield* Memory
        const snapshot = yield* (yield* Catalog).snapshot
        const decision = yield* resolve(caller.accountId, reported.recommendationId)
        // One spelling each: an alias is the same model, an id in capitals the same decision, claimed once.
        const request = {
          ...reported,
          recommendationId: decision.recommendationId,
          chosenModelId: findModel(snapshot, reported.chosenModelId)?.modelId ?? reported.chosenModelId
        }
        const nowMillis = yield* Clock.currentTimeMillis
        const now = new Date(nowMillis)
        const ownClaim = claimOf(caller.accountId, request)
        const observationId = observationIdOf(ownClaim, request.recommendationId)
        const lesson = {
          caller, decision, request, now, observationId, verdict: verdict(settings, decision, request, now)
        }
        const counted = Effect.gen(function*() {
          const tried = yield* memory.ahead?.(tell(lesson)) ?? Effect.succeed(atOnce)
          return yield* ledger.settle(ownClaim, tried.during(apply(lesson)))
        })
        // A memory elsewhere takes for good what it is told ahead: not what its claim will then refuse.
        const settled = memory.ahead === undefined ? null : yield* earlier(ownClaim)
        const { claim, response } = settled ?? (yield* counted)
        return claim === "other"
          ? { ...response, warnings: [...response.warnings, "idempotency_key_reused" as const] }
          : response
      }, span("Learner.settle"))

      const learn = (caller: Caller, request: FeedbackRequest) =>
        settle(caller, request).pipe(
          within(
            feedbackBudgetMs,
            () => new LedgerUnavailable({ cause: `not done within ${feedbackBudgetMs} ms` })
          ),
          Effect.catchTag("UnknownRecommendation", () => Effect.succeed(refused("unknown_recommendation"))),
          Effect.provide(ports)
        )

      return Learner.of({ learn })
    })
  )
}
