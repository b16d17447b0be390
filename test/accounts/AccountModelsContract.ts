import { assert, type Vitest } from "@effect/vitest"
import { AccountModelsStore, noModels } from "../../src/accounts/AccountModels.ts"
import { AccountModels, noAccountModels } from "../../src/domain/account/AccountModels.ts"
import { measuredCard, snapshot } from "../support/builders.ts"
import { contractTest } from "../support/Contract.ts"
import { newAccount } from "./KeysContract.ts"

/** A document that declares everything, or what a test gives. */
export const documentOf = (over: Partial<typeof AccountModels["~type.make.in"]> = {}): AccountModels =>
  AccountModels.make({
    defaultCandidates: ["gpt-5", "llama"],
    defaultProviders: ["on-prem", "openai"],
    models: [{
      modelId: "llama", provider: "on-prem", inputCostPerMtok: 0, outputCostPerMtok: 1e-6, contextWindow: 8_000,
      capabilityByTaskType: { code: 0.7 }, aliases: ["“ours” 🦙"]
    }],
    ...over
  })

/** The catalog that the documents are written over. */
export const shared = snapshot([measuredCard("gpt-5", 0.8, 1.25), measuredCard("gpt-5-mini", 0.7, 0.25)])

/** What documents of accounts promise, wherever they are kept. */
export const accountModelsContract = (tests: Vitest.MethodsNonLive<never>) => {
  const it = contractTest(tests, AccountModelsStore, newAccount)

  it("an account that has set nothing declares nothing", function*(store, mine) {
    assert.deepInclude(yield* store.read(mine), noModels)
  })

  it("a document is read as it was written, at once, and by its account alone", function*(store, mine) {
    const other = newAccount()
    yield* store.read(mine)
    const written = yield* store.write(mine, documentOf(), shared)
    assert.deepStrictEqual(written.document, documentOf())
    assert.isNotNull(written.updatedAt)
    assert.deepInclude(yield* store.read(mine), { document: documentOf() })
    assert.deepInclude(yield* store.read(other), noModels)
  })

  it("a document replaces the one before as a whole, and an empty one removes it", function*(store, mine) {
    yield* store.write(mine, documentOf(), shared)
    const next = documentOf({ defaultCandidates: null, models: [] })
    yield* store.write(mine, next, shared)
    assert.deepStrictEqual((yield* store.read(mine)).document, next)
    assert.deepStrictEqual((yield* store.write(mine, noAccountModels, shared)).document, noAccountModels)
    assert.deepStrictEqual((yield* store.read(mine)).document, noAccountModels)
  })

  it("a model that becomes another one is known from the moment of the write", function*(store, mine) {
    const other = newAccount()
    const served = (provider: string) => documentOf({
      defaultCandidates: null, defaultProviders: null, models: [{ modelId: "llama", baseModel: "gpt-5", provider }]
    })
    assert.strictEqual((yield* store.write(mine, served("here"), shared)).restarts.size, 0)
    yield* store.write(mine, noAccountModels, shared)
    assert.strictEqual((yield* store.write(mine, served("HERE"), shared)).restarts.size, 0)
    yield* store.write(mine, noAccountModels, shared)
    const moved = yield* store.write(mine, served("there"), shared)
    assert.deepStrictEqual([...moved.restarts], [["llama", moved.updatedAt?.getTime()]])
    assert.deepStrictEqual(moved.identities, [{
      modelId: "llama", baseModel: "gpt-5", provider: "there", version: null, changed: ["provider"],
      since: moved.updatedAt?.toISOString() ?? null
    }])
    assert.deepStrictEqual((yield* store.write(mine, served("there"), shared)).restarts, moved.restarts)
    assert.deepStrictEqual((yield* store.read(mine)).restarts, moved.restarts)
    assert.strictEqual((yield* store.write(other, served("elsewhere"), shared)).restarts.size, 0)
  })

  it("a document stays one object until another is written", function*(store, mine) {
    yield* store.write(mine, documentOf(), shared)
    const { document } = yield* store.read(mine)
    assert.strictEqual((yield* store.read(mine)).document, document)
  })
}
