import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { factsOver } from "../../src/domain/model/Facts.ts"
import { dayMs, dayOf } from "../../src/domain/Time.ts"
import type { ArmSums } from "../../src/reports/advice/ArmSums.ts"
import { ObservedCalls } from "../../src/reports/ObservedCalls.ts"
import { card, measuredCard, snapshot, unknownFacts } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const inDays = (days: number): string => dayOf(Date.now() + days * dayMs)

const dated = (modelId: string, capability: number, usdPerMtok: number, days: number) => ({
  ...measuredCard(modelId, capability, usdPerMtok),
  ...factsOver(undefined, { ...unknownFacts, retiresOn: inDays(days) }, "docs")
})

const catalog = catalogOf(snapshot([
  dated("old", 0.8, 5, 30), dated("soon", 0.8, 1, 40), measuredCard("good", 0.79, 1), measuredCard("weak", 0.3, 0.1),
  card("lone")
]))

const get = (path: string) => sendRequest("GET", `/v1/${path}`, { key })
const retirement = (modelId: string, more = "") =>
  Effect.map(get(`retirement?model_id=${encodeURIComponent(modelId)}${more}`), ({ body }) => body as any)

const calls = (model: string, count: number, usd: number, over: object = {}) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function*() {
      const { body } = yield* recommend({ namespace: "shop", user_id: "ann", ...over })
      yield* feedback(body["recommendation_id"], {
        chosen_model_id: model, outcome: "success", evidence_source: "gate", actual_cost_usd: usd
      })
    }))

/** Calls that telemetry told of, in a lane of their own. */
const observedArm = (modelId: string): ArmSums => ({
  lane: "sextant:search", cluster: "code:medium", modelId, nCalls: 50, firstMs: Date.now() - 10 * dayMs, nVerdicts: 40, weight: 40,
  successWeight: 32, predictedWeight: 0, predicted: 0, nCosted: 50, costUsd: 0.5, costSquares: 0.005, estimatedUsd: 0,
  newestId: null, observed: { nCalls: 50, nVerdicts: 40, weight: 40, successWeight: 32 }
})
const observing = (modelId: string) =>
  Layer.succeed(ObservedCalls, {
    add: () => Effect.void, sums: () => Effect.succeed({ groups: [], leftOut: [] }),
    arms: () => Effect.succeed([observedArm(modelId)]),
    uses: (_window, of) => Effect.succeed(of === modelId ? [{ by: "all", name: "", nCalls: 50, spentUsd: 0.5 }] : [])
  })

describe("a model's retirement, over HTTP", () => {
  it.live("names its use, a successor that lasts, and the lines to it, and stands in the advice", () =>
    Effect.gen(function*() {
      assert.notProperty((yield* get("advice")).body as object, "retiring")
      yield* calls("old", 40, 0.01)
      yield* calls("good", 5, 0.002, { user_id: "ben" })
      const answer = yield* retirement("old")
      assert.deepInclude(answer, {
        model_id: "old", retires_on: inDays(30), days_left: 30, retires_on_source: "docs", n_calls: 40, n_observed: 0,
        users: [{ name: "ann", n_calls: 40, spent_usd: 0.4 }]
      })
      assert.closeTo(answer.spent_usd, 0.4, 1e-9)
      const [{ successors, usual }] = answer.kinds
      assert.strictEqual(usual.n_verdicts, 40)
      assert.sameMembers(successors.map(({ model }: any) => model.model_id), ["good", "weak", "lone"])
      assert.strictEqual(successors[0].model.model_id, "good")
      assert.notStrictEqual(answer.successor.certainty, "known")
      assert.include(answer.guarantee, "--guarantee-baseline old")
      assert.deepStrictEqual(answer.switch.aliases, { old: "good" })
      const { retiring: [first, ...rest] } = (yield* get("advice")).body as any
      assert.lengthOf(rest, 0)
      assert.deepInclude(first, { model_id: "old", days_left: 30, lanes: ["sextant:shop"], successor: answer.successor })
      assert.deepStrictEqual((yield* retirement("old", "&namespace=elsewhere")).kinds, [])
    }).pipe(Effect.provide(engineService({ catalog }))), 60_000)

  it.live("may be asked of any model of the catalog, and of no other", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* retirement("lone"), { retires_on: null, days_left: null, n_calls: 0, kinds: [], successor: null, switch: null })
      for (const hostile of ["theirs", "<b>x</b>", "a'; drop table decision; --", "x".repeat(256), "old\u202e"]) {
        const { body, headers, status } = yield* get(`retirement?model_id=${encodeURIComponent(hostile)}`)
        assert.strictEqual(status, 400)
        assert.strictEqual(headers.get("content-type"), "application/problem+json")
        assert.match(String(body["detail"]), /^model_id: /)
      }
      for (const query of ["", "?model_id=", `?model_id=${"x".repeat(257)}`, "?model_id=%00", "?model_id=old&model=good"]) {
        assert.strictEqual((yield* get(`retirement${query}`)).status, 400)
      }
    }).pipe(Effect.provide(engineService({ catalog }))), 60_000)

  it.live("of a model that telemetry alone tells of has successors by priors, none of them known", () =>
    Effect.gen(function*() {
      const answer = yield* retirement("old")
      assert.deepInclude(answer, { n_calls: 50, n_observed: 50, guarantee: null })
      const [{ lane, successors, usual }] = answer.kinds
      assert.strictEqual(lane, "sextant:search")
      assert.deepInclude(usual, { success: 0.8, success_basis: "verdicts", n_observed: 50 })
      assert.includeMembers(successors.map(({ model }: any) => model.model_id), ["good", "weak"])
      for (const { is_candidate: isCandidate, model, certainty } of successors) {
        assert.deepInclude({ isCandidate, certainty, basis: model.success_basis }, { isCandidate: false, certainty: "believed", basis: "prediction" })
      }
      const { n, rows } = (yield* get("advice")).body as any
      assert.strictEqual(n, 50)
      assert.deepInclude(rows[0], { lane: "sextant:search", certainty: "believed", action: "audition" })
    }).pipe(Effect.provide(engineService({ catalog, health: observing("old") }))), 60_000)

  it.live("of a model that the catalog lacks is one that the account's own calls have", () =>
    Effect.gen(function*() {
      const answer = yield* retirement("our-own")
      assert.deepInclude(answer, { model_id: "our-own", retires_on: null, n_calls: 50 })
      assert.strictEqual((yield* get("retirement?model_id=our-other")).status, 400)
    }).pipe(Effect.provide(engineService({ catalog, health: observing("our-own") }))), 60_000)
})
