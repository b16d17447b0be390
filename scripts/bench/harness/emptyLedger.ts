/* The ledger of the benchmarks that measure the engine alone. */
import { Effect, Layer } from "effect"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import * as LedgerLocal from "../../../test/local/LedgerLocal.ts"

/** A ledger that keeps nothing: kept decisions would make every later collection of garbage dearer. */
export const emptyLedger = Layer.effect(
  Ledger,
  Effect.map(Ledger, (ledger) => ({ ...ledger, record: () => Effect.void }))
).pipe(Layer.provide(LedgerLocal.layer))
