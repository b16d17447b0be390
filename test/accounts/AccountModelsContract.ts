import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { AccountModelsStore, noModels } from "../../src/accounts/AccountModels.ts"
import { AccountModels, noAccountModels } from "../../src/domain/AccountModels.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { newInstance } from "./KeysContract.ts"

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

export const newAccount = () => AccountId.make(newInstance())

/** What documents of accounts promise, wherever they are kept. */
export const accountModelsContract = <R>(it: Vitest.MethodsNonLive<R>) => {
  it.effect("an account that has set nothing declares nothing", () =>
    Effect.gen(function*() {
      const store = yield* AccountModelsStore
      assert.deepInclude(yield* store.read(newAccount()), noModels)
    }))

  it.effect("a document is read as it was written, at once, and by its account alone", () =>
    Effect.gen(function*() {
      const store = yield* AccountModelsStore
      const [mine, other] = [newAccount(), newAccount()]
      yield* store.read(mine)
      const written = yield* store.write(mine, documentOf())
      assert.deepStrictEqual(written.document, documentOf())
      assert.isNotNull(written.updatedAt)
      assert.deepInclude(yield* store.read(mine), { document: documentOf() })
      assert.deepInclude(yield* store.read(other), noModels)
    }))

  it.effect("a document replaces the one before as a whole, and an empty one removes it", () =>
    Effect.gen(function*() {
      const store = yield* AccountModelsStore
      const mine = newAccount()
      yield* store.write(mine, documentOf())
      const next = documentOf({ defaultCandidates: null, models: [] })
      yield* store.write(mine, next)
      assert.deepStrictEqual((yield* store.read(mine)).document, next)
      assert.deepInclude(yield* store.write(mine, noAccountModels), noModels)
      assert.deepInclude(yield* store.read(mine), noModels)
    }))

  it.effect("a document stays one object until another is written", () =>
    Effect.gen(function*() {
      const store = yield* AccountModelsStore
      const mine = newAccount()
      yield* store.write(mine, documentOf())
      const { document } = yield* store.read(mine)
      assert.strictEqual((yield* store.read(mine)).document, document)
    }))
}
