import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { AccountModelsStore, noModels } from "../../src/accounts/AccountModels.ts"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { lived } from "../support/builders.ts"
import { ledgerOf, memoryOf, memoryOver, memoryWithout, withWrites } from "../support/fakes.ts"
import { engine, learn, localMemory, recommend, teach } from "./pipelines.ts"

const partly = (kind: "teach" | "reinforce" | "recordSteps" | "promote") => memoryWithout(localMemory(), kind)
const steps = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ stepId: `s${i}`, outcome: "success" as const }))
const evidence = Effect.map(recommend(), ({ ranked }) => lived(ranked.flatMap((each) => each.evidence!)))

const refusal: FeedbackResponse = {
  accepted: false, recordId: null, reinforcedEntryIds: [], updatedConfidence: null,
  reflectionTriggered: false, lessonPromoted: false, stepOutcomesRecorded: 0, costSource: null,
  computedCostUsd: null,
  warnings: ["unknown_recommendation"]
}

describe("feedback", () => {
  it.effect("is refused, to be repeated, while the account's models cannot be read", () => {
    let isOut = false
    const store = Layer.succeed(AccountModelsStore, {
      read: () => isOut ? Effect.fail(LedgerUnavailable.timedOut(1)) : Effect.succeed(noModels),
      write: () => Effect.succeed(noModels)
    })
    return Effect.gen(function*() {
      const asked = yield* recommend()
      isOut = true
      assert.strictEqual((yield* Effect.flip(learn(asked)))._tag, "LedgerUnavailable")
      isOut = false
      assert.isTrue((yield* learn(asked)).accepted)
      assert.lengthOf(yield* evidence, 1)
    }).pipe(Effect.provide(engine().pipe(Layer.provide(store))))
  })

  it.effect("under a key that was used for something else tells a memory elsewhere nothing", () => {
    let tried = 0
    const memory = memoryOver(localMemory(), (real) => {
      const elsewhere = withWrites(real, (_write, writing) => writing)
      return {
        ...elsewhere,
        deliver: (...args) => Effect.tap(elsewhere.deliver(...args), () => Effect.sync(() => tried++))
      }
    })
    return Effect.gen(function*() {
      yield* learn(yield* recommend(), { idempotencyKey: "one" })
      const answer = yield* learn(yield* recommend(), { idempotencyKey: "one", stepOutcomes: steps(2) })
      assert.include(answer.warnings, "idempotency_key_reused")
      assert.strictEqual(tried, 1)
      assert.lengthOf(yield* evidence, 1)
    }).pipe(Effect.provide(engine({ memory })))
  })

  it.effect("that names no model is about the one reported last, else about the recommended one", () =>
    Effect.gen(function*() {
      const modelsOf = Effect.map(evidence, (entries) => entries.map(({ modelId }) => modelId))
      const alone = yield* recommend()
      assert.isTrue((yield* learn(alone, { chosenModelId: null })).accepted)
      assert.deepStrictEqual(yield* modelsOf, [alone.recommendedModel.modelId])

      const other = alone.ranked.find(({ modelId }) => modelId !== alone.recommendedModel.modelId)?.modelId ?? ""
      const ran = yield* recommend()
      yield* learn(ran, { chosenModelId: other, evidenceSource: "none" })
      const answer = yield* learn(ran, { chosenModelId: null, idempotencyKey: "verdict" })
      assert.deepStrictEqual([answer.accepted, answer.warnings], [true, []])
      assert.sameMembers(yield* modelsOf, [alone.recommendedModel.modelId, other])
    }).pipe(Effect.provide(engine())))

  it.effect("that names no model counts once when it is repeated, also after a report on another model", () =>
    Effect.gen(function*() {
      for (const idempotencyKey of ["verdict", null]) {
        const known = (yield* evidence).length
        const asked = yield* recommend()
        const verdict = { chosenModelId: null, idempotencyKey }
        const first = yield* learn(asked, verdict)
        const usage = { evidenceSource: "none", idempotencyKey: `usage ${idempotencyKey}` } as const
        yield* learn(asked, { ...usage, chosenModelId: "dear" })
        assert.deepStrictEqual(yield* learn(asked, verdict), first)
        assert.lengthOf(yield* evidence, known + 1)
      }
    }).pipe(Effect.provide(engine())))

  it.effect("that names no model is in shadow about the caller's baseline, unless another was reported", () =>
    Effect.gen(function*() {
      const inShadow = { shadow: true, baselineModelId: "dear" }
      const asked = yield* recommend(inShadow)
      assert.notStrictEqual(asked.recommendedModel.modelId, "dear")
      yield* learn(asked, { chosenModelId: null })
      assert.deepStrictEqual((yield* evidence).map(({ modelId }) => modelId), ["dear"])

      const ran = yield* recommend(inShadow)
      yield* learn(ran, { chosenModelId: "cheap", evidenceSource: "none" })
      yield* learn(ran, { chosenModelId: null })
      const models = (yield* evidence).map(({ modelId }) => modelId)
      assert.sameMembers(models, ["dear", "cheap"])
    }).pipe(Effect.provide(engine())))

  it.effect("that names no model is a report of its own beside the usage of the model that ran", () =>
    Effect.gen(function*() {
      const asked = yield* recommend()
      yield* learn(asked, { chosenModelId: "dear", evidenceSource: "none" })
      const answer = yield* learn(asked, { chosenModelId: null })
      assert.deepStrictEqual([answer.accepted, answer.warnings], [true, []])
      assert.deepStrictEqual((yield* evidence).map(({ modelId }) => modelId), ["dear"])
    }).pipe(Effect.provide(engine())))

  it.effect("teaches, promotes a gate-verified success, and is valid on the wire", () =>
    Effect.gen(function*() {
      const answer = yield* learn(yield* recommend(), { stepOutcomes: steps(2) })
      assert.isTrue(answer.accepted)
      assert.isNotNull(answer.recordId)
      assert.isTrue(answer.lessonPromoted)
      assert.deepStrictEqual([answer.stepOutcomesRecorded, answer.warnings], [2, []])
      const wire = Schema.encodeSync(FeedbackResponse)(answer)
      assert.deepStrictEqual(Schema.decodeSync(FeedbackResponse)(wire), answer)
      assert.lengthOf(yield* evidence, 1)
    }).pipe(Effect.provide(engine())))

  it.effect("of a failure with an error's text is kept as a lesson, and at a gate a reflection is due", () =>
    Effect.gen(function*() {
      const failed = { outcome: "failure", notes: "TypeError: x is not a function" } as const
      const answer = yield* learn(yield* recommend(), failed)
      assert.deepStrictEqual([answer.reflectionTriggered, answer.lessonPromoted], [true, false])
      const judged = yield* learn(yield* recommend(), { ...failed, evidenceSource: "judge" })
      assert.isFalse(judged.reflectionTriggered)
    }).pipe(Effect.provide(engine())))

  it.effect("number 25 of a lane makes a reflection due", () =>
    Effect.gen(function*() {
      assert.isFalse((yield* teach(24))?.reflectionTriggered)
      assert.isTrue((yield* teach(1))?.reflectionTriggered)
      assert.isFalse((yield* teach(1))?.reflectionTriggered)
    }).pipe(Effect.provide(engine())))

  it.effect("goes to one record per cluster and model", () =>
    Effect.gen(function*() {
      const id = (said: Parameters<typeof teach>[1], ask = {}) =>
        Effect.map(teach(1, said, ask), (answer) => answer?.recordId)
      const first = yield* id({})
      assert.strictEqual(yield* id({ outcome: "failure" }), first)
      assert.notStrictEqual(yield* id({ chosenModelId: "dear" }), first)
      assert.notStrictEqual(yield* id({}, { task: { task: "sum", taskType: "qa" } }), first)
    }).pipe(Effect.provide(engine())))

  it.effect("credits the chosen model's recalled neighbours", () =>
    Effect.gen(function*() {
      yield* teach(2)
      const about = yield* recommend()
      const recalled = about.ranked.flatMap((each) => lived(each.evidence).map(({ entryId }) => entryId))
      const answer = yield* learn(about)
      assert.sameMembers([...answer.reinforcedEntryIds], recalled)
      assert.isNumber(answer.updatedConfidence)
    }).pipe(Effect.provide(engine())))

  it.effect("that is telemetry or an infrastructure fault is accepted and never recalled as evidence", () =>
    Effect.gen(function*() {
      for (const said of [
        { evidenceSource: "none" }, { outcome: "failure", errorCause: "infra" },
        { outcome: "partial", errorCause: "infra" }, { evidenceSource: null, judged: false },
        { evidenceSource: null, judged: false, verifiedInProduction: true }
      ] as const) {
        assert.isTrue((yield* learn(yield* recommend(), said)).accepted)
      }
      assert.deepStrictEqual(yield* evidence, [])
    }).pipe(Effect.provide(engine())))

  it.effect("after seven days still teaches and credits nobody", () =>
    Effect.gen(function*() {
      yield* teach(1)
      const about = yield* recommend()
      yield* TestClock.adjust("7 days")
      yield* TestClock.adjust("1 second")
      const answer = yield* learn(about)
      assert.deepStrictEqual(answer.warnings, ["late_feedback_no_attribution"])
      assert.deepStrictEqual(answer.reinforcedEntryIds, [])
      assert.lengthOf(yield* evidence, 2)
    }).pipe(Effect.provide(engine())))

  it.effect("that contradicts itself is clamped with a warning", () =>
    Effect.gen(function*() {
      const answer = yield* learn(yield* recommend(), { outcome: "failure", qualityScore: 0.9 })
      assert.deepStrictEqual(answer.warnings, ["quality_outcome_mismatch"])
      assert.strictEqual((yield* evidence)[0]?.observedSuccess, 0.4)
    }).pipe(Effect.provide(engine())))

  it.effect("with 33 steps keeps 32 and says how many it dropped", () =>
    Effect.gen(function*() {
      const answer = yield* learn(yield* recommend(), { stepOutcomes: steps(33) })
      assert.deepStrictEqual([answer.stepOutcomesRecorded, answer.warnings], [32, ["step_outcomes_capped:1"]])
      const whole = yield* learn(yield* recommend(), { stepOutcomes: steps(32) })
      assert.deepStrictEqual([whole.stepOutcomesRecorded, whole.warnings], [32, []])
    }).pipe(Effect.provide(engine())))
})

describe("an id", () => {
  it.effect("that is unknown is an answer, not an error", () =>
    Effect.gen(function*() {
      for (const recommendationId of ["nonsense", "00000000-0000-7000-8000-000000000009"]) {
        assert.deepStrictEqual(yield* learn({ recommendationId }), refusal)
      }
    }).pipe(Effect.provide(engine())))

  it.effect("of another account resolves to nothing, and leaves that account's lane alone", () =>
    Effect.gen(function*() {
      const about = yield* recommend()
      assert.deepStrictEqual(yield* learn(about, {}, "rival"), refusal)
      assert.deepStrictEqual(yield* evidence, [])
      assert.isTrue((yield* learn(about)).accepted)
    }).pipe(Effect.provide(engine())))
})

describe("idempotency", () => {
  it.effect("a repeat gets the first answer and teaches once", () =>
    Effect.gen(function*() {
      const about = yield* recommend()
      const first = yield* learn(about)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* learn(about), first)
      assert.lengthOf(yield* evidence, 1)
    }).pipe(Effect.provide(engine())))

  it.effect("another body under the same key gets the first answer and is told", () =>
    Effect.gen(function*() {
      const about = yield* recommend()
      for (const idempotencyKey of [null, "mine"]) {
        const first = yield* learn(about, { idempotencyKey })
        const other = yield* learn(about, { idempotencyKey, outcome: "failure" })
        assert.deepStrictEqual(other, { ...first, warnings: [...first.warnings, "idempotency_key_reused"] })
      }
      // Two reports, of one decision and one model.
      const [only, ...others] = yield* evidence
      assert.deepStrictEqual([only?.observedSuccess, others], [1, []])
    }).pipe(Effect.provide(engine())))

  it.effect("one key serves two accounts apart", () =>
    Effect.gen(function*() {
      for (const account of ["acme", "rival"]) {
        const answer = yield* learn(yield* recommend({}, account), { idempotencyKey: "same" }, account)
        assert.deepStrictEqual([answer.accepted, answer.warnings], [true, []])
      }
    }).pipe(Effect.provide(engine())))
})

describe("several reports of one decision", () => {
  const key = (idempotencyKey: string) => ({ idempotencyKey })

  it.effect("are one outcome: usage first and its score later, without a warning", () =>
    Effect.gen(function*() {
      const about = yield* recommend()
      const usage = yield* learn(about, { evidenceSource: "none", actualCostUsd: 0.001, outputTokens: 70 })
      const score = yield* learn(about, { ...key("score"), qualityScore: 0.8 })
      assert.deepStrictEqual([usage.warnings, score.warnings], [[], []])
      assert.strictEqual(score.recordId, usage.recordId)
      const [only, ...others] = yield* evidence
      assert.deepStrictEqual([only?.observedSuccess, others], [0.8, []])
      const later = yield* learn(about, { ...key("usage again"), evidenceSource: "none", latencyMs: 5 })
      assert.deepStrictEqual([later.warnings, later.reinforcedEntryIds], [[], []])
      assert.strictEqual((yield* evidence)[0]?.observedSuccess, 0.8)
    }).pipe(Effect.provide(engine())))

  it.effect("say whose label stands, and promote a lesson of that one alone", () =>
    Effect.gen(function*() {
      const about = yield* recommend()
      const judge = yield* learn(about, { ...key("judge"), evidenceSource: "judge", qualityScore: 1 })
      const gate = yield* learn(about, key("gate"))
      const failed = yield* learn(about, { ...key("again"), outcome: "failure" })
      const late = yield* learn(about, { ...key("human"), evidenceSource: "human" })
      assert.deepStrictEqual([judge, gate, failed, late].map(({ warnings }) => warnings), [
        [], ["outcome_replaced"], ["outcome_replaced"], ["outcome_outranked"]
      ])
      assert.deepStrictEqual([judge, gate, failed, late].map(({ lessonPromoted }) => lessonPromoted), [false, true, false, false])
      assert.strictEqual((yield* evidence)[0]?.observedSuccess, 0)
    }).pipe(Effect.provide(engine())))

  it.effect("on a 17th model are kept, and teach nothing", () =>
    Effect.gen(function*() {
      const about = yield* recommend()
      for (let i = 0; i < 16; i++) {
        assert.deepStrictEqual((yield* learn(about, { chosenModelId: `model ${i}` })).warnings, ["unknown_models:1"])
      }
      const capped = yield* learn(about, { chosenModelId: "cheap", stepOutcomes: steps(1) })
      assert.deepStrictEqual([capped.accepted, capped.recordId], [true, null])
      assert.deepStrictEqual(capped.warnings, ["chosen_models_capped", "step_outcomes_partial"])
      assert.deepStrictEqual(yield* evidence, [])
      const known = yield* learn(about, { ...key("again"), chosenModelId: "model 3", outcome: "failure" })
      assert.deepStrictEqual(known.warnings, ["unknown_models:1", "outcome_replaced"])
    }).pipe(Effect.provide(engine())))

  it.effect("with a bill beyond all estimates is said", () =>
    Effect.gen(function*() {
      const bill = yield* learn(yield* recommend(), { actualCostUsd: 1_000_000 })
      assert.deepStrictEqual(bill.warnings, ["cost_outlier"])
    }).pipe(Effect.provide(engine())))
})

describe("degradation", () => {
  const said = { stepOutcomes: steps(2) }
  const warned = (layer: ReturnType<typeof engine>) =>
    Effect.gen(function*() {
      yield* teach(1)
      return yield* learn(yield* recommend(), said)
    }).pipe(Effect.provide(layer))

  it.effect("a write to memory that fails is said, and the feedback is accepted", () =>
    Effect.gen(function*() {
      const answer = yield* warned(engine({ memory: partly("teach") }))
      assert.deepStrictEqual([answer.accepted, answer.recordId], [true, null])
      assert.deepStrictEqual(answer.warnings, ["memory_write_failed"])
    }))
  it.effect("reinforcement that fails is said", () =>
    Effect.gen(function*() {
      const answer = yield* warned(engine({ memory: partly("reinforce") }))
      assert.deepStrictEqual([answer.reinforcedEntryIds, answer.warnings], [[], ["reinforcement_failed"]])
    }))
  it.effect("a promotion that fails is said", () =>
    Effect.gen(function*() {
      const answer = yield* warned(engine({ memory: partly("promote") }))
      assert.deepStrictEqual([answer.lessonPromoted, answer.warnings], [false, ["lesson_promotion_failed"]])
    }))
  it.effect("a failure whose lesson could not be kept is said", () =>
    Effect.gen(function*() {
      const answer = yield* learn(yield* recommend(), { outcome: "failure", notes: "TypeError" })
      assert.isTrue(answer.accepted)
      assert.deepStrictEqual(answer.warnings, ["lesson_promotion_failed"])
    }).pipe(Effect.provide(engine({ memory: partly("promote") }))))
  it.effect("steps of which none, or only some, were kept are said once", () =>
    Effect.gen(function*() {
      const none = yield* warned(engine({ memory: partly("recordSteps") }))
      assert.deepStrictEqual([none.stepOutcomesRecorded, none.warnings], [0, ["step_outcomes_partial"]])
      const some = yield* warned(engine({
        memory: memoryOver(localMemory(), (real) =>
          withWrites(real, (write, writing) =>
            write.kind === "recordSteps" ? Effect.succeed({ kind: "recordSteps", recorded: 1 }) : writing))
      }))
      assert.deepStrictEqual([some.stepOutcomesRecorded, some.warnings], [1, ["step_outcomes_partial"]])
    }))
  it.effect("a memory that is out altogether still answers", () =>
    Effect.gen(function*() {
      const answer = yield* learn(yield* recommend(), said)
      assert.isTrue(answer.accepted)
      assert.deepStrictEqual(answer.warnings,
        ["memory_write_failed", "step_outcomes_partial", "lesson_promotion_failed"])
    }).pipe(Effect.provide(engine({ memory: memoryOf() }))))
  it.effect("a memory elsewhere is told once the report is applied, and its answers complete the answer", () => {
    const asked: Array<string> = []
    const noting = (what: string) => <A>(effect: Effect.Effect<A>) => Effect.suspend(() => (asked.push(what), effect))
    const memory = memoryOver(localMemory(), (real) => {
      const elsewhere = withWrites(real, (_write, writing) => writing)
      return { ...elsewhere, deliver: (...args) => noting("deliver")(elsewhere.deliver(...args)) }
    })
    const ledger = Layer.effect(Ledger, Effect.map(Ledger, (real) => Ledger.of({
      ...real,
      applyReport: (submission) => Effect.suspend(() => (asked.push("apply"), real.applyReport(submission)))
    }))).pipe(Layer.provide(LedgerLocal.layer))
    return Effect.gen(function*() {
      const { recordId } = yield* learn(yield* recommend())
      assert.isNotNull(recordId)
      assert.deepStrictEqual(asked, ["apply", "deliver"])
    }).pipe(Effect.provide(engine({ memory, ledger })))
  })

  it.effect("a ledger that is out fails the call, which the caller may repeat", () =>
    Effect.gen(function*() {
      const failure = yield* Effect.flip(learn({ recommendationId: "00000000-0000-7000-8000-000000000001" }))
      assert.strictEqual(failure._tag, "LedgerUnavailable")
    }).pipe(Effect.provide(engine({ ledger: ledgerOf() }))))
  it.effect("a feedback whose report hangs fails within its budget", () => {
    const stuck = Layer.effect(Ledger, Effect.map(Ledger, (real) =>
      Ledger.of({ ...real, applyReport: () => Effect.uninterruptible(Effect.never) })
    )).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))
    return Effect.gen(function*() {
      const learning = yield* Effect.forkChild(Effect.flip(learn(yield* recommend())), { startImmediately: true })
      yield* TestClock.adjust(defaults.feedbackBudgetMs - 1)
      assert.isUndefined(learning.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.instanceOf(yield* Fiber.join(learning), LedgerUnavailable)
    }).pipe(Effect.provide(engine({ ledger: stuck })))
  })
  it.effect("a decision that is erased while its feedback is applied is unknown, and is planned once", () => {
    let plans = 0
    const erasing = Layer.effect(Ledger, Effect.map(Ledger, (real) => Ledger.of({
      ...real,
      applyReport: () => Effect.sync(() => {
        plans++
        return null
      })
    }))).pipe(Layer.provide(LedgerLocal.layer))
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* learn(yield* recommend()), refusal)
      assert.strictEqual(plans, 1)
    }).pipe(Effect.provide(engine({ ledger: erasing })))
  })
  it.effect("a call that failed leaves no key behind, so its repeat is the first", () => {
    let isOut = true
    const flaky = Layer.effect(Ledger, Effect.map(Ledger, (real) => Ledger.of({
      ...real,
      applyReport: (submission) =>
        isOut ? Effect.fail(new LedgerUnavailable({ reason: new Reason.Unreachable({ cause: "flaky" }) })) : real.applyReport(submission)
    }))).pipe(Layer.provide(LedgerLocal.layer))
    return Effect.gen(function*() {
      const about = yield* recommend()
      yield* Effect.flip(learn(about))
      isOut = false
      assert.isTrue((yield* learn(about)).accepted)
      assert.lengthOf(yield* evidence, 1)
    }).pipe(Effect.provide(engine({ ledger: flaky })))
  })
})
