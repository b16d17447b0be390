import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { UntriedCheaper } from "../../../src/domain/UntriedCheaper.ts"
import { Probability } from "../../../src/domain/Units.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import * as Rounding from "../../../src/domain/Rounding.ts"
import { decision, priced } from "../../support/builders.ts"
import { asked, type AskedChoice, atLeastOne, attemptsBy, type Candidates, choiceOf } from "../../support/choices.ts"
import { guaranteeBy } from "../../support/guarantees.ts"
import { bundledCatalog } from "../../support/undatedCatalog.ts"
import { engine, learn, recommend } from "../pipelines.ts"

/** The choice, and what it names. */
const named = (
  candidates: Candidates,
  over: Partial<AskedChoice> = {},
  draw = 0,
  settings: EngineSettings = defaults
) => {
  const choice = choiceOf(settings, candidates, asked(over), draw)
  const nameOf = () => ({ modelId: "", effort: null, requestedModelId: null })
  const answers: ReadonlyArray<UntriedCheaper> = choice.fields.flatMap(({ answered }) =>
    answered?.(choice, nameOf).untriedCheaper ?? [])
  return { choice, untried: answers[0] ?? null }
}
const nameIn = (...all: Parameters<typeof named>) => named(...all).untried?.modelId ?? null

/** The pick at a threshold of 0.7, and a cheap model that its first outcomes left below it. */
const dear = priced("dear", 0.9, 0.0126, { cellWeight: 40 })
const left = priced("left", 0.6, 0.0021, { cellWeight: 5 })
const two: Candidates = [dear, left]
/** The same where the lane's level is known. */
const known = { ...dear, laneWeight: 400 }

describe("a choice names a much cheaper candidate that was hardly tried", () => {
  it("with what 1,000 calls would save, whatever its first outcomes say of it", () => {
    const { choice, untried } = named(two)
    assert.deepStrictEqual([choice.pick.card.modelId, untried?.modelId], ["dear", "left"])
    assert.closeTo(untried?.couldSaveUsdPer_1000 ?? 0, 10.5, 1e-9)
    assert.isAtLeast(untried?.trials ?? 0, 1)
  })

  it("with the outcomes that its prior needs, or those up to ten, less those that it has", () => {
    const trialsAt = (prior: number, cellWeight: number, laneWeight = 400) =>
      named([{ ...dear, laneWeight }, { ...left, prior, cellWeight }]).untried?.trials
    assert.deepStrictEqual([trialsAt(0.7, 0), trialsAt(0.7, 5), trialsAt(0.7, 0, 0)], [59, 54, 19])
    // By its prior it is above 0.7 beyond doubt, and yet five outcomes left it below.
    assert.deepStrictEqual([trialsAt(0.9, 0), trialsAt(0.9, 5), trialsAt(0.9, 9.5)], [10, 5, 1])
  })

  it("and keeps the same in the decision's record", () => {
    const { choice, untried } = named(two)
    const kept = choice.fields.flatMap(({ recorded }) => recorded?.(choice, decision()).untriedCheaper ?? [])
    assert.deepStrictEqual(kept, [untried])
  })

  it("at a level of effort as a request names it", () => {
    assert.strictEqual(nameIn([dear, { ...left, card: { ...left.card, modelId: "left#effort=low" } }]), "left#low")
  })

  it.each<[string, Candidates, Partial<AskedChoice>]>([
    ["has ten outcomes", [dear, { ...left, cellWeight: 10 }], {}],
    ["costs more than half as much", [dear, priced("left", 0.6, 0.0064)], {}],
    ["is unlikely to do by its prior", [known, { ...left, prior: 0.4 }], {}],
    // sqrt(0.4 * 0.6 / 25) = 0.098, so that 0.4 is more than three of it below 0.7.
    ["is ruled out by its outcomes", [dear, { ...left, predictedSuccess: 0.4, sampleSize: 24 }], {}],
    ["cannot be called now", two, { health: { unhealthy: new Map([["left", {} as never]]), tried: null } }],
    ["is over the limit of latency",
      [dear, { ...left, latencyMs: { p50: 9, p75: 9 } }], { limits: { maxCostPerCall: null, maxLatencyMs: 5 } }],
    ["is over a limit of cost that was relaxed", two, { limits: { maxCostPerCall: 0.001, maxLatencyMs: null } }],
    ["would not be worth more at this value", [known, left], { threshold: 0, valueUsd: 10 }]
  ])("but none that %s", (_, candidates, over) => {
    assert.isNull(nameIn(candidates, over))
  })

  it("but none for the lowest latency, nor for a plan of attempts", () => {
    const timed: Candidates = [
      { ...dear, latencyMs: { p50: 1, p75: 1 } }, { ...left, latencyMs: { p50: 2, p75: 2 } }
    ]
    assert.isNull(nameIn(timed, { optimizeFor: "latency" }))
    assert.isNull(nameIn(two, { plan: attemptsBy() }))
  })

  it("by value, where it may be worth as much as the pick", () => {
    // Worth $0.0774 and $0.0579: as much from a success of 0.795 on.
    assert.strictEqual(nameIn([dear, { ...left, prior: 0.75 }], { threshold: 0, valueUsd: 0.1 }), "left")
  })

  it("whose saving times its chance is highest", () => {
    const free = priced("free", 0.5, 0, { prior: 0.6 })
    assert.strictEqual(nameIn([dear, left, free]), "left")
    assert.strictEqual(nameIn([dear, { ...left, prior: 0.62 }, { ...free, prior: 0.7 }]), "free")
  })

  it("also where the account explores: no draw goes below the threshold, and one above is drawn", () => {
    const exploring = { selectionPolicy: "epsilon_softmax" } as const
    const above = { ...left, predictedSuccess: 0.75, prior: 0.75 }
    assert.strictEqual(nameIn(two, exploring), "left")
    // By value the pick may be the dearer of two that reach the least success: the other is drawn.
    assert.strictEqual(nameIn([dear, above], { valueUsd: 0.1 }), "left")
    assert.isNull(nameIn([dear, above], { valueUsd: 0.1, ...exploring }))
  })

  it("but not beside a pick that was drawn", () => {
    const drawn = { ...defaults, explorationShare: 1 }
    const { choice, untried } = named([dear, priced("mid", 0.8, 0.01), left], { selectionPolicy: "epsilon_softmax" }, 0.999_999,
      drawn)
    assert.strictEqual(choice.pick.card.modelId, "dear")
    assert.notStrictEqual(choice.pick, choice.deterministic)
    assert.isNull(untried)
  })

  it("under a guarantee, where its trials do not reach the candidate or are off", () => {
    const above = { ...left, predictedSuccess: 0.75 }
    const under = (over: Parameters<typeof guaranteeBy>[0]) => ({ guarantee: guaranteeBy(over) })
    assert.strictEqual(nameIn(two, under({}), 0.9), "left")
    assert.isNull(nameIn([dear, above], under({}), 0.9))
    assert.isNull(nameIn([dear, above], under({ trialShare: 0, isPaired: true }), 0.9))
    assert.strictEqual(nameIn([dear, above], under({ trialShare: 0 }), 0.9), "left")
  })
})

const Amount = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Rows = Schema.Array(Schema.Struct({
  success: Probability, prior: Probability, usd: Amount,
  outcomes: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 20 }))
})).check(Schema.isMinLength(2), Schema.isMaxLength(8))

it.prop("is never the pick, costs at most half, has under ten outcomes, and saves the difference", {
  rows: Rows, threshold: Probability, valueUsd: Schema.NullOr(Amount)
}, ({ rows, threshold, valueUsd }) => {
  const candidates = atLeastOne(rows.map(({ outcomes, prior, success, usd }, i) =>
    priced(`m${i}`, success, usd, { prior, cellWeight: outcomes, sampleSize: 10 + outcomes })))
  const { choice: { pick, ranked }, untried } = named(candidates, { threshold, valueUsd })
  const without = choiceOf({ ...defaults, untriedRule: { ...defaults.untriedRule, outcomesMax: 0 } }, candidates,
    asked({ threshold, valueUsd }))
  assert.strictEqual(pick.card.modelId, without.pick.card.modelId)
  if (untried === null) return
  const found = ranked.find(({ card }) => card.modelId === untried.modelId) ?? assert.fail("a candidate")
  assert.notStrictEqual(untried.modelId, pick.card.modelId)
  assert.isAtMost(found.cost.costUsd, pick.cost.costUsd / 2)
  assert.isBelow(found.cellWeight, 10)
  assert.strictEqual(untried.couldSaveUsdPer_1000, Rounding.figure(1_000 * (pick.cost.costUsd - found.cost.costUsd)))
  assert.isAtLeast(untried.trials, 1)
})

it.effect("after five tries of gpt-5-mini, staying on gpt-5 is answered with what these leave open", () =>
  Effect.gen(function*() {
    const tries = [false, false, true, true, true]
    const ask = (number: number, more: Parameters<typeof recommend>[0] = {}) => recommend({
      task: { task: `Summarise the notes of meeting ${number} about the budget`, taskType: "summarization", difficulty: "medium" },
      constraints: { candidateModels: ["gpt-5", "gpt-5-mini"] }, ...more
    })
    for (const [number, isGood] of tries.entries()) {
      const tried = yield* ask(number, { constraints: { candidateModels: ["gpt-5-mini"] } })
      yield* learn(tried, { chosenModelId: "gpt-5-mini", outcome: isGood ? "success" : "failure" })
    }
    for (let number = 5; number < 12; number++) {
      const answer = yield* ask(number)
      assert.strictEqual(answer.recommendedModel.modelId, "gpt-5")
      const cheap = answer.ranked.find(({ modelId }) => modelId === "gpt-5-mini") ?? assert.fail("a candidate")
      const { couldSaveUsdPer_1000: savedUsd, modelId, trials } = answer.untriedCheaper ?? assert.fail(`named by answer ${number}`)
      assert.strictEqual(modelId, "gpt-5-mini")
      assert.closeTo(savedUsd, 1_000 * (answer.recommendedModel.estCostUsd - cheap.estCostUsd), 1e-9)
      assert.isAtLeast(trials, 1)
      yield* learn(answer, { chosenModelId: "gpt-5" })
    }
  }).pipe(Effect.provide(engine({ catalog: bundledCatalog }))), 60_000)

it.effect("once the cheaper model has ten outcomes, nothing is named", () =>
  Effect.gen(function*() {
    const both = { constraints: { candidateModels: ["gpt-5", "gpt-5-mini"] } }
    const task = { task: "Summarise the minutes of the council", taskType: "summarization", difficulty: "medium" } as const
    assert.strictEqual((yield* recommend({ task, ...both })).untriedCheaper?.modelId, "gpt-5-mini")
    for (let number = 0; number < 11; number++) {
      const tried = yield* recommend({ task, constraints: { candidateModels: ["gpt-5-mini"] } })
      yield* learn(tried, { chosenModelId: "gpt-5-mini", outcome: number % 2 === 0 ? "success" : "failure" })
    }
    assert.isNull((yield* recommend({ task, ...both })).untriedCheaper)
  }).pipe(Effect.provide(engine({ catalog: bundledCatalog }))), 60_000)
