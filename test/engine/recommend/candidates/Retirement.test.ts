import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { noAccountModels } from "../../../../src/domain/account/AccountModels.ts"
import { factsOver } from "../../../../src/domain/model/Facts.ts"
import { retiringWarnings } from "../../../../src/engine/recommend/candidates/Retirement.ts"
import { filter } from "../../../../src/engine/recommend/Filter.ts"
import { defaults, Settings } from "../../../../src/engine/Settings.ts"
import { card, classified, request, snapshot, unknownFacts } from "../../../support/builders.ts"
import { catalogOf } from "../../../support/fakes.ts"

/** A model whose last day is this one. */
const until = (modelId: string, retiresOn: string) =>
  card(modelId, factsOver(undefined, { ...unknownFacts, retiresOn }, "docs"))

const old = until("old", "2026-11-30")
const models = snapshot([old, until("later", "2027-06-01"), card("new")])

const on = (day: string, ask: Parameters<typeof request>[0] = {}) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(Date.parse(day))
    const { candidates, warnings } = yield* filter(request(ask), classified(), noAccountModels, () => new Map())
    return { ids: candidates.map((each) => each.card.modelId).toSorted(), warnings }
  }).pipe(Effect.provide(Layer.mergeAll(catalogOf(models), Settings.layer())))

describe("a model whose provider retires it", () => {
  it.effect("is a candidate on its last day, and none afterwards", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* on("2026-11-30T23:59:59Z"), { ids: ["later", "new", "old"], warnings: [] })
      assert.deepStrictEqual(yield* on("2026-12-01T00:00:00Z"), { ids: ["later", "new"], warnings: [] })
    }))

  it.effect("is warned of afterwards where the request names it as candidate, incumbent or baseline", () =>
    Effect.gen(function*() {
      for (
        const ask of [
          { constraints: { candidateModels: ["old", "new"] } }, { incumbentModelId: "old" }, { baselineModelId: "old" }
        ]
      ) {
        const { ids, warnings } = yield* on("2026-12-01", ask)
        assert.notInclude(ids, "old")
        assert.deepStrictEqual(warnings, ["model_retired:old"])
      }
    }))

  it.effect("is no candidate alone: the refusal counts it", () =>
    Effect.gen(function*() {
      const { removals } = yield* Effect.flip(on("2026-12-01", { constraints: { candidateModels: ["old"] } }))
      assert.deepInclude(removals, { constraint: "retires_on", count: 1, unknown: 0 })
    }))

  it("is warned of with its day from 60 days before, as pick, incumbent and baseline", () => {
    const said = (day: string, over: Partial<Parameters<typeof retiringWarnings>[2]> = {}, pick = card("new")) =>
      retiringWarnings(defaults, models, { incumbentModelId: null, baselineModelId: null, ...over }, pick, Date.parse(day))
    const warning = ["model_retiring:old:2026-11-30" as const]
    assert.deepStrictEqual(said("2026-10-01", {}, old), warning)
    assert.deepStrictEqual(said("2026-11-30T12:00:00Z", {}, old), warning)
    assert.deepStrictEqual(said("2026-09-30", {}, old), [])
    assert.deepStrictEqual(said("2026-12-01", {}, old), [])
    assert.deepStrictEqual(said("2026-11-01", { incumbentModelId: "old" }), warning)
    assert.deepStrictEqual(said("2026-11-01", { baselineModelId: "old" }), warning)
    assert.deepStrictEqual(said("2026-11-01", { incumbentModelId: "later" }), [])
  })
})
