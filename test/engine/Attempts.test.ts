import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { memoryOf } from "../support/fakes.ts"
import { engine, learn, recommend } from "./pipelines.ts"

const gate = { kind: "gate", passWrong: 0, failRight: 0, costUsd: null } as const
const attempt = (over: object) => ({
  recommendationId: null, modelId: null, effort: null, outcome: null, evidenceSource: null, errorCause: null, ...over
})
const failed = (modelId: string, over: object = {}) => attempt({ modelId, outcome: "failure", ...over })
const predictionOf = (
  { ranked }: { readonly ranked: ReadonlyArray<{ readonly modelId: string; readonly predictedSuccess: number }> },
  modelId: string
) => ranked.find((each) => each.modelId === modelId)?.predictedSuccess ?? assert.fail(`no ${modelId}`)

it.effect("a request that is not about attempts is answered without a plan", () =>
  Effect.gen(function*() {
    const answer = yield* recommend()
    assert.deepStrictEqual([answer.plan, answer.attemptNumber, answer.isRetry], [null, null, null])
  }).pipe(Effect.provide(engine())))

it.effect("a failed attempt lowers every prediction, and another model is named", () =>
  Effect.gen(function*() {
    const first = yield* recommend({ costQualityTradeoff: 0 })
    assert.strictEqual(first.recommendedModel.modelId, "cheap")
    const next = yield* recommend({ costQualityTradeoff: 0, attempts: [failed("cheap", { evidenceSource: "gate" })] })
    for (const modelId of ["cheap", "middle", "dear"]) {
      assert.isBelow(predictionOf(next, modelId), predictionOf(first, modelId))
    }
    assert.notStrictEqual(next.recommendedModel.modelId, "cheap")
    assert.deepStrictEqual([next.attemptNumber, next.isRetry, next.plan?.attempts.length], [2, false, 1])
    assert.match(next.recommendedModel.rationale ?? "", /cheap failed here, which makes this task look hard: \d+ % instead of \d+ %\.$/)
  }).pipe(Effect.provide(engine())))

it.effect("an outage, a partial result and an attempt that nobody judged change no prediction", () =>
  Effect.gen(function*() {
    const first = yield* recommend()
    for (const over of [{ errorCause: "infra" }, { outcome: "partial" }, { evidenceSource: "none" }, { outcome: null }]) {
      const next = yield* recommend({ attempts: [failed("cheap", over)] })
      assert.deepStrictEqual(next.ranked.map((each) => each.predictedSuccess), first.ranked.map((each) => each.predictedSuccess))
      assert.strictEqual(next.recommendedModel.modelId, first.recommendedModel.modelId)
    }
  }).pipe(Effect.provide(engine())))

it.effect("an attempt teaches nothing: the next task is predicted as before", () =>
  Effect.gen(function*() {
    const before = yield* recommend()
    yield* recommend({ attempts: [failed("cheap"), failed("middle"), failed("dear")] })
    const after = yield* recommend()
    assert.deepStrictEqual(after.ranked, before.ranked)
  }).pipe(Effect.provide(engine())))

it.effect("a failure where others failed teaches less than at a fresh task, and a success as much", () =>
  Effect.gen(function*() {
    const attempts = [failed("cheap", { evidenceSource: "gate" }), failed("middle", { evidenceSource: "gate" })]
    const afterwards = Effect.fnUntraced(function*(account: string, outcome: "success" | "failure", ask: object) {
      yield* learn(yield* recommend(ask, account), { chosenModelId: "dear", outcome }, account)
      return predictionOf(yield* recommend({}, account), "dear")
    })
    const fresh = yield* afterwards("fresh", "failure", {})
    const late = yield* afterwards("late", "failure", { attempts })
    assert.isBelow(fresh, late)
    assert.isBelow(late, predictionOf(yield* recommend({}, "nobody"), "dear"))
    const won = yield* afterwards("won", "success", {})
    assert.closeTo(yield* afterwards("wonLate", "success", { attempts }), won, 0.01)
  }).pipe(Effect.provide(engine())))

it.effect("of a recommendation its model and what was reported count, not the fields beside it", () =>
  Effect.gen(function*() {
    const first = yield* recommend()
    yield* learn(first, { chosenModelId: "middle", outcome: "failure" })
    const { recommendationId } = first
    const said = yield* recommend({ attempts: [failed("middle", { evidenceSource: "gate" })] })
    const named = yield* recommend({ attempts: [attempt({ recommendationId, modelId: "cheap", outcome: "success" })] })
    assert.deepStrictEqual(named.ranked.map((each) => each.predictedSuccess), said.ranked.map((each) => each.predictedSuccess))
    const twice = yield* recommend({ attempts: [attempt({ recommendationId }), attempt({ recommendationId })] })
    assert.deepStrictEqual(twice.ranked.map((each) => each.predictedSuccess), said.ranked.map((each) => each.predictedSuccess))
    assert.strictEqual(twice.attemptNumber, 2)
  }).pipe(Effect.provide(engine())))

it.effect("of a recommendation that was not reported yet, the fields beside it count", () =>
  Effect.gen(function*() {
    const { recommendationId, recommendedModel: { modelId } } = yield* recommend()
    const named = yield* recommend({ attempts: [attempt({ recommendationId, outcome: "failure", evidenceSource: "gate" })] })
    const said = yield* recommend({ attempts: [failed(modelId, { evidenceSource: "gate" })] })
    assert.deepStrictEqual(named.ranked.map((each) => each.predictedSuccess), said.ranked.map((each) => each.predictedSuccess))
    assert.deepStrictEqual(named.warnings, said.warnings)
  }).pipe(Effect.provide(engine())))

it.effect("whose usage alone was reported counts the fields beside it for the model that ran", () =>
  Effect.gen(function*() {
    const first = yield* recommend()
    yield* learn(first, { chosenModelId: "middle", outcome: "success", evidenceSource: "none" })
    const { recommendationId } = first
    const of = (over: object) => Effect.map(
      recommend({ attempts: [attempt({ recommendationId, outcome: "failure", evidenceSource: "gate", ...over })] }),
      ({ ranked }) => ranked.map((each) => each.predictedSuccess)
    )
    const said = yield* recommend({ attempts: [failed("middle", { evidenceSource: "gate" })] })
    assert.deepStrictEqual(yield* of({}), said.ranked.map((each) => each.predictedSuccess))
    assert.deepStrictEqual(yield* of({ modelId: "dear" }), first.ranked.map((each) => each.predictedSuccess))
  }).pipe(Effect.provide(engine())))

it.effect("a recommendation of another account is unknown, and the fields beside it count", () =>
  Effect.gen(function*() {
    const { recommendationId } = yield* recommend({}, "other")
    const next = yield* recommend({ attempts: [attempt({ recommendationId, modelId: "dear", outcome: "failure" })] })
    assert.include(next.warnings, "unknown_attempts:1")
    const said = yield* recommend({ attempts: [failed("dear")] })
    assert.deepStrictEqual(next.ranked.map((each) => each.predictedSuccess), said.ranked.map((each) => each.predictedSuccess))
  }).pipe(Effect.provide(engine())))

const unread = Layer.effect(Ledger, Effect.map(Ledger, (ledger) =>
  Ledger.of({ ...ledger, find: () => Effect.fail(LedgerUnavailable.timedOut(1)) })
)).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))

it.effect("while the ledger is out the fields beside the ids count", () =>
  Effect.gen(function*() {
    const { recommendationId } = yield* recommend()
    const next = yield* recommend({ attempts: [attempt({ recommendationId, modelId: "dear", outcome: "failure" })] })
    assert.include(next.warnings, "attempts_unavailable")
    const said = yield* recommend({ attempts: [failed("dear")] })
    assert.deepStrictEqual(next.ranked.map((each) => each.predictedSuccess), said.ranked.map((each) => each.predictedSuccess))
  }).pipe(Effect.provide(engine({ ledger: unread }))))

const silentLedger = Layer.effect(Ledger, Effect.map(Ledger, (ledger) =>
  Ledger.of({ ...ledger, find: () => Effect.never })
)).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))
const silentMemory = memoryOf({ recall: () => Effect.never })

it.effect("attempts are read while the memory recalls: with both silent, one recall budget passes", () =>
  Effect.gen(function*() {
    const recommendationId = RecommendationId.make(0)
    const asking = yield* Effect.forkChild(
      recommend({ attempts: [attempt({ recommendationId, modelId: "dear", outcome: "failure" })] }),
      { startImmediately: true }
    )
    yield* TestClock.adjust(250)
    const exit = asking.pollUnsafe() ?? assert.fail("it waits for longer")
    assert.includeMembers([...(yield* exit).warnings], ["attempts_unavailable", "recall_timeout"])
  }).pipe(Effect.provide(engine({
    ledger: silentLedger, memory: silentMemory, settings: { recallBudgetMs: 250 }
  }))))

it.effect("with a check the plan goes on: its figures add up, and the second attempt is the fallback", () =>
  Effect.gen(function*() {
    const { fallbackModel, plan, recommendedModel } = yield* recommend({ verification: gate, successValueUsd: 1, maxAttempts: 2 })
    const [first, second] = plan?.attempts ?? []
    assert.strictEqual(first?.modelId, recommendedModel.modelId)
    assert.strictEqual(second?.modelId, fallbackModel?.modelId)
    const [p1, p2] = [first!.predictedSuccess, second!.predictedSuccess]
    assert.closeTo(plan!.expectedSuccess, p1 + (1 - p1) * p2, 1e-5)
    assert.closeTo(plan!.expectedCostUsd, first!.estCostUsd + (1 - p1) * second!.estCostUsd, 1e-9)
    assert.strictEqual(plan!.stopReason, "max_attempts")
  }).pipe(Effect.provide(engine())))

it.effect("what an answer plans second is named first once the first has failed", () =>
  Effect.gen(function*() {
    const ask = { verification: gate, successValueUsd: 1 }
    const { plan, recommendedModel } = yield* recommend(ask)
    const next = yield* recommend({
      ...ask, attempts: [failed(recommendedModel.modelId, { evidenceSource: "gate" })], maxAttempts: 2
    })
    assert.strictEqual(next.recommendedModel.modelId, plan?.attempts[1]?.modelId)
    assert.closeTo(next.recommendedModel.predictedSuccess, plan!.attempts[1]!.predictedSuccess, 1e-3)
  }).pipe(Effect.provide(engine())))

it.effect("where no attempt is worth its cost the plan is empty and says so", () =>
  Effect.gen(function*() {
    const { attemptNumber, plan, recommendedModel } = yield* recommend({ verification: gate, successValueUsd: 0 })
    assert.isNull(attemptNumber)
    assert.deepStrictEqual(plan, { attempts: [], expectedSuccess: 0, expectedCostUsd: 0, stopReason: "not_worth_it" })
    assert.strictEqual(recommendedModel.modelId, "cheap")
  }).pipe(Effect.provide(engine())))

it.effect("without a check a plan has one attempt, and by the threshold it is the usual pick", () =>
  Effect.gen(function*() {
    for (const costQualityTradeoff of [0, 5, 10]) {
      const usual = yield* recommend({ costQualityTradeoff })
      const { plan, recommendedModel } = yield* recommend({
        costQualityTradeoff, verification: { kind: "none", passWrong: null, failRight: null, costUsd: null }
      })
      assert.strictEqual(recommendedModel.modelId, usual.recommendedModel.modelId)
      assert.strictEqual(plan?.attempts.length, 1)
    }
  }).pipe(Effect.provide(engine())))

it.effect("a limit of the total cost alone makes a plan of one attempt within it, or of none", () =>
  Effect.gen(function*() {
    const usual = yield* recommend({ costQualityTradeoff: 10 })
    const { estCostUsd } = usual.recommendedModel
    const within = yield* recommend({ costQualityTradeoff: 10, maxTotalCostUsd: estCostUsd })
    assert.strictEqual(within.plan?.attempts[0]?.modelId, usual.recommendedModel.modelId)
    const less = yield* recommend({ costQualityTradeoff: 10, maxTotalCostUsd: estCostUsd / 2 })
    assert.isBelow(less.recommendedModel.estCostUsd, estCostUsd)
    const { plan } = yield* recommend({ maxTotalCostUsd: 0 })
    assert.deepInclude(plan, { attempts: [], stopReason: "max_total_cost" })
  }).pipe(Effect.provide(engine())))

it.effect("a model that failed is named again only where it is a retry that the plan has", () =>
  Effect.gen(function*() {
    const all = ["cheap", "middle", "dear"]
    for (let made = 1; made <= all.length; made++) {
      const answer = yield* recommend({
        verification: gate, successValueUsd: 100, attempts: all.slice(0, made).map((each) => failed(each))
      })
      const { modelId } = answer.recommendedModel
      assert.strictEqual(answer.isRetry, all.slice(0, made).includes(modelId))
      if (answer.isRetry === true) assert.strictEqual(answer.plan?.attempts[0]?.modelId, modelId)
    }
  }).pipe(Effect.provide(engine())))

it.effect("under a guarantee a plan begins with the baseline, and no cheaper model follows it", () =>
  Effect.gen(function*() {
    const guarantee = { baselineModelId: "middle", maxQualityLoss: 0.05, confidence: 0.95, trialShare: 0, paired: false }
    const ask = { verification: gate, successValueUsd: 10, guarantee }
    const first = yield* recommend(ask)
    assert.strictEqual(first.recommendedModel.modelId, "middle")
    assert.isFalse(first.plan?.attempts.some(({ modelId }) => modelId === "cheap"))
    const next = yield* recommend({ ...ask, attempts: [failed("middle")] })
    assert.strictEqual(next.recommendedModel.modelId, "dear")
  }).pipe(Effect.provide(engine())))

const Outcome = Schema.Literals(["success", "partial", "failure"])
const Hostile = Schema.Array(Schema.Struct({
  recommendationId: Schema.NullOr(Schema.Literals(["none", "01920000-0000-7000-8000-000000000000", ""])),
  modelId: Schema.NullOr(Schema.Literals(["cheap", "middle#low", "nobody", "dear#effort=high"])),
  effort: Schema.NullOr(Schema.Literals(["low", " ", "HIGH!"])),
  outcome: Schema.NullOr(Outcome),
  evidenceSource: Schema.NullOr(Schema.Literals(["gate", "judge", "human", "none"])),
  errorCause: Schema.NullOr(Schema.Literals(["infra", "quality"]))
})).check(Schema.isMaxLength(16))

it.effect.prop("whatever attempts are sent, the answer names a model and its figures are in range", [Hostile], ([attempts]) =>
  Effect.gen(function*() {
    const answer = yield* recommend({ attempts, verification: gate, successValueUsd: 1 })
    const { plan, recommendedModel } = answer
    assert.include(["cheap", "middle", "dear"], recommendedModel.modelId)
    assert.isTrue(answer.ranked.every(({ predictedSuccess }) => predictedSuccess >= 0 && predictedSuccess <= 1))
    assert.isTrue(plan !== null && plan !== undefined && plan.expectedSuccess <= 1)
    const named = attempts.flatMap(({ recommendationId }) => recommendationId ?? [])
    const next = attempts.length - named.length + new Set(named).size + 1
    assert.strictEqual(answer.attemptNumber, plan?.attempts.length === 0 ? null : next)
  }).pipe(Effect.provide(engine())), { arbitrary: { runs: 100 } })
