/* The reference implementation of the reports' aggregates. */
import { Effect, Layer } from "effect"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { Aggregates, type LedgerWindow } from "../../../src/reports/Aggregates.ts"
import { trialsOf } from "./Calibration.ts"
import { overviewSums } from "./Overview.ts"
import { savingsFigures } from "./Savings.ts"
import { taskSums } from "./Tasks.ts"
import { trustedOf } from "./PolicyValue.ts"

const make = Effect.gen(function*() {
  const ledger = yield* Ledger
  const over = <A>(window: LedgerWindow, aggregate: (rows: ReadonlyArray<LedgerRow>) => A) =>
    Effect.map(ledger.window(window), aggregate)
  return Aggregates.of({
    savings: (window, groupBy) =>
      over({ ...window, lane: null }, (rows) => ({
        ...savingsFigures(rows, groupBy, window.lane),
        tasks: taskSums(rows.filter(({ decision }) => window.lane === null || decision.lane === window.lane))
      })),
    trials: (window) => over(window, trialsOf),
    trusted: (window) => over(window, trustedOf),
    overview: (window, newest) =>
      over({ ...window, lane: null }, (rows) => overviewSums(rows, newest, window.lane))
  })
})

/**
 * The reference aggregates: sums over the rows of any ledger, with which every other driver must agree. They
 * read every row, so they are for tests and for ledgers in the process.
 */
export const layer: Layer.Layer<Aggregates, never, Ledger> = Layer.effect(Aggregates, make)
