import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ModelCard } from "../../../../src/domain/model/Model.ts"
import { Probability } from "../../../../src/domain/Units.ts"
import type { CostedCandidate } from "../../../../src/engine/recommend/candidates/Candidate.ts"
import { asked, type AskedChoice, atLeastOne, type Candidates, choiceOf } from "../../../support/choices.ts"
import { rationales } from "../../../../src/engine/recommend/answer/Rationale.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { card, neighbours, priced, weighed } from "../../../support/builders.ts"

/** Every candidate's sentence, by model id. */
const said = (candidates: Candidates, over: Partial<AskedChoice> = {}, uniform = 0) => {
  const ask = asked({ threshold: 0.735, ...over })
  const choice = choiceOf({ ...defaults, explorationShare: 1 }, candidates, ask, uniform)
  const rationale = rationales(choice)
  return Object.fromEntries(choice.ranked.map((each) => [each.card.modelId, rationale(each)]))
}

const weighing = (count: number) => weighed(neighbours(count, "a"))
const benchmarked = (modelId: string): ModelCard => card(modelId, { capabilitySource: "benchmark" })
const seen = (modelId: string, p: number, usd: number, count: number, over: Partial<CostedCandidate> = {}) =>
  priced(modelId, p, usd, {
    card: benchmarked(modelId), decisionBasis: "memory", neighbours: weighing(count), costBasis: "rescaled",
    successLow: p - 0.08, successHigh: p + 0.045, ...over
  })

const trio: Candidates = [
  seen("gpt-x", 0.713, 0.00012, 1), seen("sonnet-9", 0.812, 0.00123456, 12), seen("opus-9", 0.94, 0.0456, 3)
]

describe("a rationale", () => {
  it("says why the pick was chosen, and why a model below the threshold and a dearer one are not", () => {
    assert.deepStrictEqual(said(trio), {
      "gpt-x": "71 % likely to succeed (95 % interval 63 % to 76 %) going by 1 similar outcome, "
        + "at $0.00012 (obs), but short of tau 0.735.",
      "sonnet-9": "81 % likely to succeed (95 % interval 73 % to 86 %) going by 12 similar outcomes, and at "
        + "$0.00123 (obs) the cheapest of the 2 candidates that reach tau 0.735; Sextant picks gpt-x if tau "
        + "is at most 0.71.",
      "opus-9": "94 % likely to succeed (95 % interval 86 % to 99 %) going by 3 similar outcomes, at $0.0456 "
        + "(obs), but dearer than sonnet-9 at $0.00123."
    })
  })
  it("names the higher tau that would change the pick, where that is the nearest change", () => {
    assert.strictEqual(said(trio, { threshold: 0.8 })["sonnet-9"],
      "81 % likely to succeed (95 % interval 73 % to 86 %) going by 12 similar outcomes, and at $0.00123 "
        + "(obs) the cheapest of the 2 candidates that reach tau 0.8; Sextant picks opus-9 if tau is at "
        + "least 0.82.")
  })
  it("says that no candidate reaches the threshold, and at which tau the pick would", () => {
    const sentences = said(trio, { threshold: 0.97 })
    assert.strictEqual(sentences["opus-9"],
      "94 % likely to succeed (95 % interval 86 % to 99 %) going by 3 similar outcomes, and at $0.0456 (obs) "
        + "the likeliest of 3 candidates, none of which reaches tau 0.97; it clears tau from 0.92 down and "
        + "Sextant picks sonnet-9 if tau is at most 0.81.")
    assert.match(sentences["gpt-x"] ?? "", /, but less likely than opus-9\.$/)
  })
  it("says that a prediction rests on its prior alone, and that one candidate is good enough", () => {
    const cold = (modelId: string, p: number, usd: number) =>
      seen(modelId, p, usd, 0, { decisionBasis: "prior", costBasis: "estimate" })
    assert.deepStrictEqual(said([cold("a", 0.8, 1.5), cold("b", 0.5, 0.5)]), {
      a: "80 % likely to succeed (95 % interval 72 % to 85 %) going by its benchmark prior alone, and at "
        + "$1.50 (est) the only one of 2 candidates that reaches tau 0.735.",
      b: "50 % likely to succeed (95 % interval 42 % to 55 %) going by its benchmark prior alone, at $0.50 "
        + "(est), but short of tau 0.735."
    })
  })
  it("says that a single candidate had no alternative, whether or not it reaches the threshold", () => {
    assert.match(said([seen("a", 0.8, 1, 2)])["a"] ?? "",
      /\(obs\) the only candidate, which reaches tau 0\.735\.$/)
    assert.match(said([seen("a", 0.6, 1, 2)])["a"] ?? "",
      /the only candidate, though short of tau 0\.735; it clears tau from 0\.6 down\.$/)
  })
  it("explains a tie in cost by the higher prediction, and a tie in both without a preference", () => {
    const sentences = said([
      seen("a", 0.9, 1, 2), seen("b", 0.8, 1, 2), seen("c", 0.9, 1, 2, { confidence: 0.1 })
    ])
    assert.match(sentences["a"] ?? "", /\(obs\) as cheap as any of the 3 candidates that reach tau 0\.735\.$/)
    assert.match(sentences["b"] ?? "", /, but less likely than a at the same cost\.$/)
    assert.match(sentences["c"] ?? "", /, but no better than a at the same cost\.$/)
  })
  it("calls one of two costs that round to the same figure a shade dearer", () => {
    assert.match(said([seen("a", 0.8, 0.001234, 2), seen("b", 0.9, 0.0012341, 2)])["b"] ?? "",
      /, but a shade dearer than a\.$/)
  })
  it("names the model that an exploration pick displaced, and no tau that would change it", () => {
    const sentences = said(trio, { selectionPolicy: "epsilon_softmax" }, 0.999_999)
    assert.match(sentences["opus-9"] ?? "",
      /\(obs\) drawn to explore in place of sonnet-9, the cheapest that reaches tau 0\.735\.$/)
    assert.match(sentences["sonnet-9"] ?? "", /, but passed over this time to explore opus-9\.$/)
  })
  it("names the limits that were relaxed, and only those", () => {
    const slow = (modelId: string, p: number, usd: number) =>
      seen(modelId, p, usd, 2, { latencyMs: { p50: 2_300, p75: 2_300 } })
    const two: Candidates = [slow("a", 0.8, 0.02), slow("b", 0.6, 0.01)]
    const limits = { maxCostPerCall: 0.0001, maxLatencyMs: 1_000 }
    const sentences = said(two, { limits })
    assert.strictEqual(sentences["a"],
      "80 % likely to succeed (95 % interval 72 % to 85 %) going by 2 similar outcomes, and at $0.02 (obs) "
        + "the only one of 2 candidates that reaches tau 0.735, though over the relaxed cost budget of "
        + "$0.0001 and the relaxed latency budget of 1 s; Sextant picks b if tau is at most 0.6.")
    assert.match(sentences["b"] ?? "",
      /but short of tau 0\.735 and over the relaxed cost budget of \$0\.0001 and the relaxed/)
    const kept = said(two, { limits: { ...limits, maxCostPerCall: 1 } })
    assert.notInclude(kept["a"], "cost budget")
  })
})

it("the basis is what the prediction rests on", () => {
  const basis = (over: Partial<CostedCandidate>, capabilitySource = "benchmark") =>
    /going by (.*?), (?:and )?at/.exec(
      said([seen("a", 0.8, 1, 0, { card: card("a", { capabilitySource }), ...over })])["a"] ?? "")?.[1]
  const alone = (source: string) => basis({ decisionBasis: "prior" }, source)
  assert.strictEqual(alone("benchmark-thin"), "its benchmark prior alone")
  assert.strictEqual(alone("none"), "the prior of an average measured model alone")
  assert.strictEqual(alone("catalog_file"), "the catalog file's prior alone")
  assert.strictEqual(alone("family+price"), "a prior inferred from its family and price alone")
  assert.strictEqual(alone("price+date"), "a prior inferred from its price and date alone")
  assert.strictEqual(basis({}), "this namespace's outcomes of the same task type")
  assert.strictEqual(basis({ decisionBasis: "llm" }), "the reasoner and its benchmark prior")
  const both = basis({ decisionBasis: "llm", neighbours: weighing(2) })
  assert.strictEqual(both, "the reasoner and 2 similar outcomes")
})

it("a cold cost is tagged est, an observed or rescaled one obs", () => {
  const tag = (costBasis: CostedCandidate["costBasis"]) => said([seen("a", 0.8, 1, 2, { costBasis })])["a"] ?? ""
  assert.include(tag("estimate"), "$1.00 (est)")
  assert.include(tag("observed"), "$1.00 (obs)")
  assert.include(tag("rescaled"), "$1.00 (obs)")
})

const Tenth = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))
const Rows = Schema.Array(Schema.Tuple([Probability, Tenth]))
  .check(Schema.isMinLength(1), Schema.isMaxLength(8))
const Bar = Schema.Finite.check(Schema.isBetween({ minimum: 0.55, maximum: 1 }))
const Uniform = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999_999 }))
const of = (rows: typeof Rows.Type): Candidates =>
  atLeastOne(rows.map(([p, usd], i) => priced(`m${i}`, 0.5 + p / 2, usd)))

it.prop("every rationale is one sentence with an interval and a tagged cost", {
  rows: Rows, bar: Bar, uniform: Uniform, explores: Schema.Boolean
}, ({ bar, explores, rows, uniform }) => {
  const selectionPolicy = explores ? "epsilon_softmax" : "argmin"
  for (const text of Object.values(said(of(rows), { threshold: bar, selectionPolicy }, uniform))) {
    assert.match(text, /^(over |under )?\d.* likely to succeed \(95 % interval .+ to .+\) going by .+\.$/)
    assert.match(text, / at \$\d+(\.\d+)? \((est|obs)\)/)
    assert.notMatch(text, /\.\s|\n|NaN|undefined|null|Infinity|\d e[+-]/)
  }
})

it.prop("what the sentence says would change the pick does change it", { rows: Rows, bar: Bar }, (
  { bar, rows }
) => {
  const pickAt = (threshold: number) =>
    choiceOf(defaults, of(rows), asked({ threshold }))
  const { pick } = pickAt(bar)
  const text = said(of(rows), { threshold: bar })[pick.card.modelId] ?? assert.fail("a sentence for the pick")
  const [, modelId, tau] = /Sextant picks (\S+) if tau is at (?:most|least) (\S+)\.$/.exec(text) ?? []
  if (tau !== undefined) assert.strictEqual(pickAt(Number(tau)).pick.card.modelId, modelId)
  const [, clears] = /it clears tau from (\S+) down/.exec(text) ?? []
  if (clears === undefined) return
  assert.strictEqual(pickAt(Number(clears)).pick.card.modelId, pick.card.modelId)
  assert.deepStrictEqual(pickAt(Number(clears)).warnings, [])
}, { arbitrary: { runs: 300 } })
