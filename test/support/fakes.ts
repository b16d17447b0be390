import { Effect, Layer } from "effect"
import { Catalog } from "../../src/catalog/Catalog.ts"
import type { CatalogSnapshot } from "../../src/domain/model/Model.ts"
import type { AccountId } from "../../src/domain/Scope.ts"
import { Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { Memory, MemoryUnavailable } from "../../src/memory/Memory.ts"
import type { MemoryWrite, Written } from "../../src/domain/MemoryWrite.ts"
import {
  type Classification, type Consulted, type Contender, type Opinion, Reasoner, ReasonerDisabled,
  type ReasonerFailed
} from "../../src/reasoner/Reasoner.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"
import type { LedgerWithRows } from "../reports/reference/LedgerRows.ts"

type Shape<S extends { readonly Service: unknown }> = S["Service"]

/** A catalog that never changes. */
export const catalogOf = (snapshot: CatalogSnapshot): Layer.Layer<Catalog> =>
  Layer.succeed(Catalog, { snapshot: Effect.succeed(snapshot) })

const memoryOut = Effect.fail(new MemoryUnavailable({ reason: new Reason.Unreachable({ cause: "out for this test" }) }))

/** Methods of a memory elsewhere that takes nothing. */
const leftToDeliver: Pick<Shape<typeof Memory>, "deliver" | "prepare" | "store"> = {
  prepare: ({ taskVectors = [] }) => Effect.succeed(taskVectors),
  store: (_accountId, writes) =>
    Effect.succeed({ written: writes.map(() => null), isElsewhere: true, onDurable: Effect.void }),
  deliver: (_accountId, _revision, { answer }) => Effect.succeed(answer([]))
}

/** A memory that is out, except for methods that a test gives. */
export const memoryOf = (over: Partial<Shape<typeof Memory>> = {}): Layer.Layer<Memory> =>
  Layer.succeed(Memory, {
    recall: () => memoryOut,
    knownModels: () => new Map(),
    ...leftToDeliver,
    write: () => memoryOut,
    strategies: () => memoryOut,
    diagnose: () => memoryOut,
    health: () => memoryOut,
    ping: () => memoryOut,
    ...over
  })

/** A driver with some methods overridden by a test; `over` gets the real driver. */
export const memoryOver = <E, R>(
  driver: Layer.Layer<Memory, E, R>,
  over: (real: Shape<typeof Memory>) => Partial<Shape<typeof Memory>>
): Layer.Layer<Memory, E, R> =>
  Layer.effect(Memory, Effect.map(Memory, (real) => Memory.of({ ...real, ...over(real) }))).pipe(
    Layer.provide(driver)
  )

/** A memory elsewhere whose writes go through a test's function. */
export const withWrites = (
  real: Shape<typeof Memory>,
  around: (
    write: MemoryWrite,
    writing: Effect.Effect<Written, MemoryUnavailable>
  ) => Effect.Effect<Written, MemoryUnavailable>
): Shape<typeof Memory> => {
  const write = (each: MemoryWrite) => around(each, real.write(each))
  return {
    ...real,
    ...leftToDeliver,
    deliver: (_accountId, _revision, { answer, writes }) =>
      Effect.map(
        Effect.forEach(writes, (each) => Effect.match(write(each), { onSuccess: (written) => written, onFailure: () => null })),
        answer
      ),
    write
  }
}

/** A driver that does not take writes of that kind. */
export const memoryWithout = <E, R>(
  driver: Layer.Layer<Memory, E, R>,
  kind: MemoryWrite["kind"]
): Layer.Layer<Memory, E, R> =>
  memoryOver(driver, (real) =>
    withWrites(real, (write, writing) => write.kind === kind ? memoryOut : writing))

const ledgerOut = Effect.fail(new LedgerUnavailable({ reason: new Reason.Unreachable({ cause: "out for this test" }) }))

/** A ledger that is out, except for methods that a test gives. */
export const ledgerOf = (over: Partial<Shape<typeof Ledger>> = {}): Layer.Layer<Ledger> => {
  const ledger: LedgerWithRows = {
    record: () => ledgerOut,
    recordWithin: () => ledgerOut,
    find: () => ledgerOut,
    applyReport: () => ledgerOut,
    rows: () => ledgerOut,
    ...over
  }
  return Layer.succeed(Ledger, ledger)
}

type Asking<A> = Effect.Effect<A, ReasonerFailed | ReasonerDisabled>

interface Says {
  readonly provider?: string | null
  readonly classify?: (accountId: AccountId, task: string) => Asking<Classification>
  readonly rank?: (
    accountId: AccountId,
    task: string,
    candidates: ReadonlyArray<Contender>
  ) => Asking<ReadonlyArray<Opinion>>
}

/** A reasoner with the test's answers, each at the cost `costUsd`. Without an answer it is not configured. */
export const reasonerOf = (
  { classify, provider = "fake", rank }: Says = {},
  costUsd = 0
): Layer.Layer<Reasoner> => {
  const paid = <A>(asking: Asking<A>) => Effect.map(asking, (answer): Consulted<A> => ({ answer, costUsd }))
  return Layer.succeed(Reasoner, {
    provider,
    classify: (...question) => paid(classify?.(...question) ?? new ReasonerDisabled()),
    rank: (...question) => paid(rank?.(...question) ?? new ReasonerDisabled())
  })
}

/** A function that keeps its questions in `asked`. */
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
