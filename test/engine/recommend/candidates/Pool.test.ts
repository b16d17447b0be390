import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { accountCatalog } from "../../../../src/catalog/AccountCatalog.ts"
import { AccountModels } from "../../../../src/domain/account/AccountModels.ts"
import type { Unit } from "../../../../src/domain/Task.ts"
import { makePool, poolOf } from "../../../../src/engine/recommend/candidates/Pool.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { card, measuredCard, request, snapshot } from "../../../support/builders.ts"

const cards = Array.from({ length: 8 }, (_, i) => ({
  ...measuredCard(`m${i}`, 0.3 + i / 20, (i * 5) % 8 + 1),
  provider: `p${i % 3}`, aliases: [`alias-${i}`], supportsPromptCaching: i % 2 === 0, contextWindow: (i + 1) * 1_000
}))
const shared = snapshot(cards)
const document = AccountModels.make({
  models: [{
    modelId: "own", provider: "p1", inputCostPerMtok: 3, outputCostPerMtok: 4, contextWindow: 8_000, aliases: ["alias-1"]
  }]
})
const snapshots = [shared, accountCatalog(shared, document), snapshot([...cards, card("extra")])]
/** Fewer kept pools than there are kinds of requests below, so that some are made again. */
const rules = [{ ...defaults, poolsMax: 3 }, { ...defaults, poolsMax: 3, readDifficultyShare: 0.5, poolIdsMax: 2 }]

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
const Some = Schema.NullOr(Schema.Array(Index).check(Schema.isMaxLength(3)))
const Asked = Schema.Struct({
  settings: Schema.Literals([0, 1]), catalog: Schema.Literals([0, 1, 2]), listed: Some, providers: Some, excluded: Some,
  caching: Schema.Boolean, window: Schema.NullOr(Index), incumbent: Schema.NullOr(Index), baseline: Schema.NullOr(Index)
})

const requestOf = (asked: typeof Asked.Type) =>
  request({
    incumbentModelId: asked.incumbent === null ? null : `m${asked.incumbent}`,
    baselineModelId: asked.baseline === null ? null : `alias-${asked.baseline}`,
    constraints: {
      candidateModels: asked.listed?.map((i) => `alias-${i}`) ?? null,
      allowedProviders: asked.providers?.map((i) => `p${i}`) ?? null,
      excludedModels: asked.excluded?.map((i) => `m${i}`) ?? null,
      requirePromptCaching: asked.caching,
      requireContextWindow: asked.window === null ? null : asked.window * 1_000 + 1
    }
  })

it.prop("a kept pool is the one that would be made anew, whatever was asked before", {
  sequence: Schema.Array(Asked).check(Schema.isMaxLength(12)), again: Index
}, ({ again, sequence }) => {
  for (const asked of [...sequence, ...sequence.slice(again), ...sequence]) {
    const [settings, catalog] = [rules[asked.settings]!, snapshots[asked.catalog]!]
    const of = requestOf(asked)
    assert.deepStrictEqual(poolOf(settings, catalog, of), makePool(settings, catalog, of))
  }
})

it("the pool of a repeated request is the same object until too many others came between", () => {
  const [rule] = rules
  const at = (requireContextWindow: number) => poolOf(rule!, shared, request({ constraints: { requireContextWindow } }))
  const first = at(1)
  assert.strictEqual(at(1), first)
  at(2)
  at(3)
  assert.strictEqual(at(1), first)
  at(4)
  at(5)
  at(6)
  assert.notStrictEqual(at(1), first)
})

it("a run has a pool of its own, ordered by what runs say of its models", () => {
  const [strong, weak] = [measuredCard("strong", 0.8, 1), measuredCard("weak", 0.5, 2)]
  const catalog = snapshot([
    { ...strong, capabilityByTaskType: { ...strong.capabilityByTaskType, agent_run: 0.4 } },
    { ...weak, capabilityByTaskType: { ...weak.capabilityByTaskType, agent_run: 0.9 } }
  ])
  const priors = (unit: Unit) => [...poolOf(defaults, catalog, request({ task: { ...request().task, unit } })).rows.prior]
  const [ofCalls, ofRuns] = [priors("call"), priors("run")]
  assert.isAbove(ofCalls[0]!, ofCalls[1]!)
  assert.isBelow(ofRuns[0]!, ofRuns[1]!)
  assert.deepStrictEqual(priors("call"), ofCalls)
})

it("the pool of a request that names more models than are kept is made each time", () => {
  const rule = rules[1]!
  const three = request({ constraints: { excludedModels: ["m0", "m1", "m2"] } })
  assert.notStrictEqual(poolOf(rule, shared, three), poolOf(rule, shared, three))
  assert.deepStrictEqual(poolOf(rule, shared, three), poolOf(rule, shared, three))
})

it("a pool names its models cheapest standard request first, of equally cheap ones by id", () => {
  const { byCost, members } = makePool(defaults, snapshot([card("b"), card("a"), card("free", {
    inputCostPerMtok: 0, outputCostPerMtok: 0
  })]), request())
  assert.deepStrictEqual(byCost.map(({ facts }) => facts.card.modelId), ["free", "a", "b"])
  assert.deepStrictEqual(members.map(({ facts }) => facts.card.modelId), ["b", "a", "free"])
})
