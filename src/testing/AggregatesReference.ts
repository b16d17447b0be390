import { Effect, Layer } from "effect"
import type { LedgerRow } from "../domain/Decision.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Aggregates, type Window } from "../reports/Aggregates.ts"
import { trialsOf } from "../reports/Calibration.ts"
import { overviewSums } from "../reports/Overview.ts"
import { trustedOf } from "../reports/PolicyValue.ts"
import { savingsGroups } from "../reports/Savings.ts"

const make = Effect.gen(function*() {
  const ledger = yield* Ledger
  const over = <A>(window: Window, fold: (rows: ReadonlyArray<LedgerRow>) => A) =>
    Effect.map(ledger.window(window), fold)
  return Aggregates.of({
    savings: (window, groupBy) => over(window, (rows) => savingsGroups(rows, groupBy)),
    trials: (window) => over(window, trialsOf),
    trusted: (window) => over(window, trustedOf),
    overview: (window, newest) => over(window, (rows) => overviewSums(rows, newest))
  })
})

/**
 * The folds of any ledger, over its rows: what every other driver has to agree with. Reads all of them, so it
 * is for tests and ledgers in the process.
 */
export const layer: Layer.Layer<Aggregates, never, Ledger> = Layer.effect(Aggregates, make)
