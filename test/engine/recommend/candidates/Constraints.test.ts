import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Constraints } from "../../../../src/domain/Constraints.ts"
import { allowed, removals } from "../../../../src/engine/recommend/candidates/Constraints.ts"
import { namedModels } from "../../../../src/engine/recommend/candidates/NamedModels.ts"
import { card, snapshot } from "../../../support/builders.ts"

const small = card("small", { contextWindow: 8_000, aliases: ["small-latest"] })
const cached = card("cached", { provider: "Bolt", supportsPromptCaching: true, contextWindow: 200_000 })
const large = card("large", { provider: "Bolt", contextWindow: 1_000_000 })
const three = snapshot([small, cached, large])

const asked = (constraints: Constraints) => ({ constraints, inferredRequirements: null })

const given = (constraints: Constraints, of: typeof three) =>
  allowed(of, asked(constraints), namedModels(of, { constraints, incumbentModelId: null, baselineModelId: null }))
const ids = (constraints: Partial<Constraints>, of = three): ReadonlyArray<string> =>
  given(Constraints.make(constraints), of).map((each) => each.modelId)

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

it("what each constraint removed is counted among what those before it had left", () => {
  const constraints = Constraints.make({
    candidateModels: ["small", "cached", "openai/large"], allowedProviders: ["Bolt"], requireContextWindow: 1_000_000
  })
  const named = namedModels(three, { constraints, incumbentModelId: "nobody", baselineModelId: "nobody" })
  assert.deepStrictEqual(removals(three, asked(constraints), named), [
    { constraint: "candidate_models", count: 1, unknown: 0 },
    { constraint: "allowed_providers", count: 1, unknown: 0 },
    { constraint: "require_context_window", count: 1, unknown: 0 }
  ])
  assert.deepStrictEqual(named.unknownIds, ["openai/large", "nobody"])
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
