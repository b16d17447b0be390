import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Constraints } from "../../../src/domain/Constraints.ts"
import { allowed, cap, filter } from "../../../src/engine/recommend/Filter.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import { candidate, card, classified, measuredCard, request, snapshot } from "../../support/builders.ts"
import { catalogOf } from "../../support/fakes.ts"

const small = card("small", { contextWindow: 8_000, aliases: ["small-latest"] })
const cached = card("cached", { provider: "Bolt", supportsPromptCaching: true, contextWindow: 200_000 })
const large = card("large", { provider: "Bolt", contextWindow: 1_000_000 })
const three = snapshot([small, cached, large])

const ids = (constraints: Partial<Constraints>, of = three): ReadonlyArray<string> =>
  allowed(of, { constraints: Constraints.make(constraints) }).map((each) => each.modelId)

it("without constraints every model of the catalog is allowed", () => {
  assert.deepStrictEqual(ids({}), ["small", "cached", "large"])
})

it("a provider whitelist ignores case", () => {
  assert.deepStrictEqual(ids({ allowedProviders: ["bOLT"] }), ["cached", "large"])
})

it("candidate models match exactly or by alias, never by prefix, and unknown ids are ignored", () => {
  assert.deepStrictEqual(ids({ candidateModels: ["large", "nobody"] }), ["large"])
  assert.deepStrictEqual(ids({ candidateModels: ["small-latest"] }), ["small"])
  assert.deepStrictEqual(ids({ candidateModels: ["sma", "Large"] }), [])
})

it("excluded models go, by id or alias", () => {
  assert.deepStrictEqual(ids({ excludedModels: ["large", "small-latest", "nobody"] }), ["cached"])
})

it("exclusion beats being a candidate", () => {
  assert.deepStrictEqual(ids({ candidateModels: ["small", "large"], excludedModels: ["small"] }), ["large"])
})

it("required prompt caching keeps only models that support it", () => {
  assert.deepStrictEqual(ids({ requirePromptCaching: true }), ["cached"])
})

it("a required context window keeps models at least that large", () => {
  assert.deepStrictEqual(ids({ requireContextWindow: 200_000 }), ["cached", "large"])
  assert.deepStrictEqual(ids({ requireContextWindow: 200_001 }), ["large"])
})

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))
const Some = Schema.NullOr(Schema.Array(Index).check(Schema.isMaxLength(4)))
const Wanted = Schema.Struct({
  listed: Some, providers: Some, excluded: Some, caching: Schema.Boolean, window: Schema.NullOr(Index)
})

const nine = snapshot(Array.from({ length: 7 }, (_, i) =>
  card(`m${i}`, { provider: `p${i % 3}`, supportsPromptCaching: i % 2 === 0, contextWindow: (i + 1) * 1_000 })
))

const constraintsOf = (wanted: typeof Wanted.Type): Constraints =>
  Constraints.make({
    candidateModels: wanted.listed?.map((i) => `m${i}`) ?? null,
    allowedProviders: wanted.providers?.map((i) => `p${i}`) ?? null,
    excludedModels: wanted.excluded?.map((i) => `m${i}`) ?? null,
    requirePromptCaching: wanted.caching,
    requireContextWindow: wanted.window === null ? null : wanted.window * 1_000 + 1
  })

/** Both, where both say something. */
const both = (one: ReadonlyArray<string> | null, other: ReadonlyArray<string> | null) =>
  one === null || other === null ? one ?? other : one.filter((name) => other.includes(name))

it.prop("tightening constraints never allows another model", {
  one: Wanted, other: Wanted
}, ({ one, other }) => {
  const [a, b] = [constraintsOf(one), constraintsOf(other)]
  const tight = Constraints.make({
    candidateModels: both(a.candidateModels, b.candidateModels),
    allowedProviders: both(a.allowedProviders, b.allowedProviders),
    excludedModels: [...a.excludedModels ?? [], ...b.excludedModels ?? []],
    requirePromptCaching: a.requirePromptCaching || b.requirePromptCaching,
    requireContextWindow: Math.max(a.requireContextWindow ?? 1, b.requireContextWindow ?? 1)
  })
  assert.includeMembers([...ids(a, nine)], [...ids(tight, nine)])
  assert.includeMembers([...ids(b, nine)], [...ids(tight, nine)])
})

const entry = (modelId: string, prior: number, costUsd: number) => ({
  candidate: candidate(modelId, { prior }),
  costUsd
})

/** Three on the front (cheap, middle, best) and three that another beats on both. */
const six = [
  entry("beaten-1", 0.85, 9), entry("cheap", 0.5, 1), entry("beaten-2", 0.84, 8), entry("middle", 0.7, 3),
  entry("best", 0.9, 7), entry("beaten-3", 0.45, 2)
]
const capped = (limit: number, kept: ReadonlyArray<string> = [], entries = six) =>
  cap(entries, limit, new Set(kept)).map((each) => each.card.modelId).sort()

it("the cap keeps the front of prior and cost before better priors that cost more", () => {
  assert.deepStrictEqual(capped(3), ["best", "cheap", "middle"])
  assert.deepStrictEqual(capped(4), ["beaten-1", "best", "cheap", "middle"])
  assert.deepStrictEqual(capped(6).length, 6)
})

it("a front longer than the cap keeps both its ends, and its best end when one place is left", () => {
  assert.deepStrictEqual(capped(2), ["best", "cheap"])
  assert.deepStrictEqual(capped(1), ["best"])
})

it("kept ids have a place whatever they are, and cost the front none of its own members", () => {
  assert.deepStrictEqual(capped(2, ["beaten-3"]), ["beaten-3", "best"])
  for (const kept of ["cheap", "middle", "best"]) {
    assert.deepStrictEqual(capped(3, [kept]), ["best", "cheap", "middle"])
  }
  assert.deepStrictEqual(capped(4, ["beaten-3"]), ["beaten-3", "best", "cheap", "middle"])
})

const Entries = Schema.Array(Schema.Tuple([Index, Index]))
  .check(Schema.isMinLength(1), Schema.isMaxLength(20))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 }))

it.prop("the cap is full, keeps what is kept, and does not depend on the catalog's order", {
  pairs: Entries, limit: Limit, kept: Index, turn: Index
}, ({ kept, limit, pairs, turn }) => {
  const entries = pairs.map(([prior, usd], i) => entry(`m${i}`, (prior + 1) / 10, usd))
  const turned = [...entries.slice(turn), ...entries.slice(0, turn)].reverse()
  const chosen = capped(limit, [`m${kept}`], entries)
  assert.deepStrictEqual(capped(limit, [`m${kept}`], turned), chosen)
  assert.strictEqual(chosen.length, Math.min(limit, entries.length))
  if (kept < entries.length) assert.include(chosen, `m${kept}`)
})

const run = (ask: Parameters<typeof request>[0], models = three) =>
  filter(request(ask), classified()).pipe(Effect.provide(Layer.mergeAll(catalogOf(models), Settings.layer())))

it.effect("constraints that leave no model fail with no candidate models", () =>
  Effect.gen(function*() {
    for (const constraints of [
      { candidateModels: ["nobody"] }, { candidateModels: [] }, { allowedProviders: ["nobody"] },
      { excludedModels: ["small", "cached", "large"] }, { requireContextWindow: 2_000_000 }
    ]) {
      const failure = yield* Effect.flip(run({ constraints }))
      assert.deepStrictEqual([failure._tag, failure.stepId], ["NoCandidateModels", null])
    }
  }))

const many = snapshot(Array.from({ length: 12 }, (_, i) => measuredCard(`m${i}`, 0.4 + i / 25, i + 1)))

it.effect("an explicit list longer than the cap says how many were cut, a cut catalog says nothing", () =>
  Effect.gen(function*() {
    const listed = { candidateModels: many.models.map((each) => each.modelId) }
    assert.deepStrictEqual((yield* run({ constraints: listed }, many)).notes, ["candidates_capped:4"])
    assert.deepStrictEqual((yield* run({ constraints: listed, maxCandidates: 12 }, many)).notes, [])
    const whole = yield* run({}, many)
    assert.deepStrictEqual(whole.notes, [])
    assert.strictEqual(whole.candidates.length, 8)
  }))

it.effect("incumbent and baseline keep a place, by alias too, unless a constraint removes them", () =>
  Effect.gen(function*() {
    const dull = [
      card("dull-1", { inputCostPerMtok: 50, aliases: ["dull"] }), card("dull-2", { inputCostPerMtok: 50 })
    ]
    const models = snapshot([...many.models, ...dull])
    const of = (ask: Parameters<typeof request>[0]) =>
      Effect.map(run({ maxCandidates: 3, ...ask }, models), ({ candidates }) =>
        candidates.map((each) => each.card.modelId))
    const kept = yield* of({ incumbentModelId: "dull", baselineModelId: "dull-2" })
    assert.includeMembers([...kept], ["dull-1", "dull-2"])
    const gone = yield* of({ incumbentModelId: "dull", constraints: { excludedModels: ["dull-1"] } })
    assert.notInclude([...gone], "dull-1")
  }))

it.effect("with one place for both, the incumbent's warm cache beats the baseline in any catalog order", () =>
  Effect.gen(function*() {
    for (const models of [three.models, [...three.models].reverse()]) {
      const { candidates } = yield* run(
        { maxCandidates: 1, incumbentModelId: "cached", baselineModelId: "small" },
        snapshot(models)
      )
      assert.deepStrictEqual(candidates.map((each) => each.card.modelId), ["cached"])
    }
  }))

it.effect("stale prices are said", () =>
  Effect.gen(function*() {
    const { notes } = yield* run({}, snapshot(three.models, { stale: true }))
    assert.deepStrictEqual(notes, ["prices_stale"])
  }))
