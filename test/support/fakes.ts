import { Effect, Layer } from "effect"
import { Catalog } from "../../src/catalog/Catalog.ts"
import type { CatalogSnapshot } from "../../src/domain/Model.ts"
import { Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { Memory, MemoryUnavailable } from "../../src/memory/Memory.ts"
import { Reasoner, ReasonerDisabled } from "../../src/reasoner/Reasoner.ts"

type Shape<S extends { readonly Service: unknown }> = S["Service"]

/** A catalog that never changes. */
export const catalogOf = (snapshot: CatalogSnapshot): Layer.Layer<Catalog> =>
  Layer.succeed(Catalog, { snapshot: Effect.succeed(snapshot) })

const memoryOut = Effect.fail(new MemoryUnavailable({ cause: "out for this test" }))

/** A memory that is out, but for what a test gives it. */
export const memoryOf = (over: Partial<Shape<typeof Memory>> = {}): Layer.Layer<Memory> =>
  Layer.succeed(Memory, {
    recall: () => memoryOut,
    teach: () => memoryOut,
    reinforce: () => memoryOut,
    recordSteps: () => memoryOut,
    promote: () => memoryOut,
    strategies: () => memoryOut,
    diagnose: () => memoryOut,
    health: () => memoryOut,
    ping: () => memoryOut,
    ...over
  })

/** A driver whose named methods a test overrides: `over` sees the real one. */
export const memoryOver = <E, R>(
  driver: Layer.Layer<Memory, E, R>,
  over: (real: Shape<typeof Memory>) => Partial<Shape<typeof Memory>>
): Layer.Layer<Memory, E, R> =>
  Layer.effect(Memory, Effect.map(Memory, (real) => Memory.of({ ...real, ...over(real) }))).pipe(
    Layer.provide(driver)
  )

const ledgerOut = Effect.fail(new LedgerUnavailable({ cause: "out for this test" }))

/** A ledger that is out, but for what a test gives it. */
export const ledgerOf = (over: Partial<Shape<typeof Ledger>> = {}): Layer.Layer<Ledger> =>
  Layer.succeed(Ledger, {
    record: () => ledgerOut,
    find: () => ledgerOut,
    settle: () => ledgerOut,
    reconcile: () => ledgerOut,
    window: () => ledgerOut,
    ...over
  })

/** A reasoner that says what a test tells it to, and is otherwise not configured. */
export const reasonerOf = (over: Partial<Shape<typeof Reasoner>> = {}): Layer.Layer<Reasoner> =>
  Layer.succeed(Reasoner, {
    provider: "fake",
    classify: () => Effect.fail(new ReasonerDisabled()),
    rank: () => Effect.fail(new ReasonerDisabled()),
    ...over
  })

/** A function that remembers what it was asked. */
export const spy = <A, B>(
  answer: (question: A) => B
): ((question: A) => B) & { readonly asked: Array<A> } => {
  const asked: Array<A> = []
  const ask = (question: A): B => {
    asked.push(question)
    return answer(question)
  }
  return Object.assign(ask, { asked })
}
