import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { FeedbackRequest } from "../../../src/domain/feedback/Feedback.ts"
import { Identifier } from "../../../src/domain/text/Text.ts"
import { reportKeyOf, findDecision, observationIdOf, resolve } from "../../../src/engine/learn/FindDecision.ts"
import { type FoundDecision, Ledger } from "../../../src/ledger/Ledger.ts"
import { accountOf, card, decision, feedback, idOf, snapshot } from "../../support/builders.ts"
import { ledgerOf } from "../../support/fakes.ts"

const accountId = accountOf()
const claim = (over: Parameters<typeof feedback>[0] = {}) => reportKeyOf(accountId, feedback(over))

it("the key is the caller's, else recommendation and model", () => {
  assert.strictEqual(claim({ idempotencyKey: "k1" }).idempotencyKey, "caller:k1")
  assert.strictEqual(claim().idempotencyKey, `derived:${feedback().recommendationId}:cheap`)
  assert.notStrictEqual(claim({ chosenModelId: "dear" }).idempotencyKey, claim().idempotencyKey)
})

it("a fingerprint does not depend on the order or on spelled-out defaults of the body", () => {
  const decode = Schema.decodeUnknownSync(FeedbackRequest)
  const one = decode({ recommendation_id: "r", chosen_model_id: "m", outcome: "success", quality_score: 0.9 })
  const other = decode({
    quality_score: 0.9, verified_in_production: false, outcome: "success", step_outcomes: [], notes: null,
    chosen_model_id: "m", recommendation_id: "r", unknown: 1
  })
  assert.strictEqual(reportKeyOf(accountId, one).fingerprint, reportKeyOf(accountId, other).fingerprint)
  assert.match(claim().fingerprint, /^[0-9a-f]{64}$/)
})

it("a fingerprint differs when any meaning differs, a zero from nothing included", () => {
  const prints = [
    claim(), claim({ outcome: "partial" }), claim({ actualCostUsd: 0 }), claim({ latencyMs: 0 }),
    claim({ qualityScore: 0 }), claim({ notes: "x" }),
    claim({ stepOutcomes: [{ stepId: "a", outcome: "success" }] })
  ].map(({ fingerprint }) => fingerprint)
  assert.strictEqual(new Set(prints).size, prints.length)
})

it("a fingerprint is of what a body gives: a field that a version does not know leaves it", () => {
  const { recommendationId } = feedback()
  const body = {
    recommendationId, chosenModelId: "cheap", outcome: "success", inputTokens: 5, stepOutcomes: [],
    verifiedInProduction: false
  }
  const { fingerprint } = claim({ inputTokens: 5 })
  assert.strictEqual(fingerprint, createHash("sha256").update(JSON.stringify(body)).digest("hex"))
  for (const field of ["cachedInputTokens", "reasoningTokens", "timeToFirstTokenMs"] as const) {
    assert.notStrictEqual(claim({ inputTokens: 5, [field]: 0 }).fingerprint, fingerprint)
  }
})

it.prop("a caller's key never collides with a derived one", {
  key: Identifier, modelId: Identifier
}, ({ key, modelId }) => {
  const derived = claim({ chosenModelId: modelId }).idempotencyKey
  assert.notStrictEqual(claim({ idempotencyKey: key }).idempotencyKey, derived)
  assert.notStrictEqual(claim({ idempotencyKey: derived.slice(0, 256) }).idempotencyKey, derived)
})

const kept: FoundDecision = { decision: decision(), outcomes: [] }

it.effect("a decision that the ledger has is found, one that it has not is unknown", () =>
  Effect.gen(function*() {
    const find = (found: FoundDecision | null) =>
      Effect.flatMap(Ledger, (ledger) => resolve(ledger, accountId, decision().recommendationId, "now")).pipe(
        Effect.provide(ledgerOf({ find: () => Effect.succeed(found) })))
    assert.deepStrictEqual(yield* find(kept), kept)
    assert.strictEqual((yield* Effect.flip(find(null)))._tag, "UnknownRecommendation")
  }))

it.effect("a ledger that is out is not the same as an unknown id", () =>
  Effect.gen(function*() {
    const failure = yield* Effect.flip(resolve(yield* Ledger, accountId, decision().recommendationId, "now"))
    assert.strictEqual(failure._tag, "LedgerUnavailable")
  }).pipe(Effect.provide(ledgerOf())))

it.effect("a decision is read by one call, as of now where a feedback names no model", () =>
  Effect.gen(function*() {
    for (const [over, wanted] of [
      [{}, "given"], [{ chosenModelId: null }, "now"], [{ chosenEffort: "high" }, "given"]
    ] as const) {
      const asked: Array<string | undefined> = []
      const found = yield* Effect.flatMap(Ledger, (ledger) => findDecision(ledger, snapshot([card("cheap")]), accountId, {
        ...feedback(), recommendationId: decision().recommendationId, chosenModelId: "cheap", ...over
      })).pipe(Effect.provide(ledgerOf({
        find: (_accountId, _recommendationId, asOf) => Effect.sync(() => {
          asked.push(asOf)
          return kept
        })
      })))
      assert.deepStrictEqual(asked, [wanted])
      const named = "chosenModelId" in over ? decision().recommendedModelId : "cheap"
      assert.strictEqual(found.chosenModelId, named)
    }
  }))

it("an outcome's id is its account's, decision's and model's, whatever is reported of it", () => {
  const { recommendationId } = decision()
  const id = observationIdOf(accountId, recommendationId, "cheap")
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.strictEqual(observationIdOf(accountId, recommendationId, "cheap"), id)
  const others = [
    observationIdOf(accountId, recommendationId, "dear"),
    observationIdOf(accountOf("umbrella"), recommendationId, "cheap"),
    observationIdOf(accountId, idOf("00000000-0000-7000-8000-00000000000f"), "cheap")
  ]
  assert.strictEqual(new Set([id, ...others]).size, 4)
})
