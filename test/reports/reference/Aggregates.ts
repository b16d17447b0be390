/* The reference implementation of the reports' aggregates. */
import { Effect, Layer } from "effect"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { Aggregates } from "../../../src/reports/Aggregates.ts"
import { type LedgerWindow, monthsOf } from "../../../src/reports/LedgerWindow.ts"
import { armsOf, usesOf } from "./Arms.ts"
import { trialsOf } from "./Calibration.ts"
import { type ReferenceRow, rowsOf } from "./LedgerRows.ts"
import { overviewSums } from "./Overview.ts"
import { savingsFigures } from "./Savings.ts"
import { taskSums } from "./Tasks.ts"
import { trustedOf } from "./PolicyValue.ts"

const make = Effect.gen(function*() {
  const context = yield* Effect.context<Ledger>()
  /** An aggregate over all rows of the months of a window, given which of them are the window's. */
  const over = <A>(
    window: LedgerWindow,
    aggregate: (rows: ReadonlyArray<ReferenceRow>, isOwn: (row: ReferenceRow) => boolean) => A
  ) => {
    const { lane, modelId, since, tag, until, userId } = window
    const months = monthsOf(window)
    const isOwn = ({ decision }: ReferenceRow): boolean =>
      (lane === null || decision.lane === lane)
      && (modelId === undefined || decision.recommendedModelId === modelId)
      && (tag === undefined || decision.tags.includes(tag))
      && (userId === undefined || decision.userId === userId)
      && decision.createdAt >= since && (until === undefined || decision.createdAt < until)
    return Effect.map(Effect.provideContext(rowsOf(months), context), (rows) =>
      aggregate(
        rows.filter(({ decision }) => months.until === undefined || decision.createdAt < months.until), isOwn
      ))
  }
  return Aggregates.of({
    savings: (window, groupBy) =>
      over(window, (rows, isOwn) => ({
        ...savingsFigures(rows, groupBy, isOwn),
        tasks: taskSums(rows.filter(isOwn))
      })),
    trials: (window) => over(window, (rows, isOwn) => trialsOf(rows.filter(isOwn))),
    trusted: (window) => over(window, (rows, isOwn) => trustedOf(rows.filter(isOwn))),
    arms: (window) => over(window, (rows, isOwn) => armsOf(rows.filter(isOwn))),
    uses: (window, modelId) => over(window, (rows, isOwn) => usesOf(rows.filter(isOwn), modelId)),
    newest: (window, count, { before, outcome } = {}) =>
      over(window, (rows, isOwn) =>
        overviewSums(rows, count, (row) =>
          isOwn(row) && (outcome === undefined || (row.feedback?.outcome ?? "none") === outcome)
          && (before === undefined || row.decision.recommendationId < before)).newest),
    overview: (window, newest) => over(window, (rows, isOwn) => overviewSums(rows, newest, isOwn))
  })
})

/**
 * The reference aggregates: sums over the rows of any ledger, with which every other driver must agree. They
 * read every row, so they are for tests and for ledgers in the process.
 */
export const layer: Layer.Layer<Aggregates, never, Ledger> = Layer.effect(Aggregates, make)
