/** The driver of `Aggregates`: it reads the service's own database, PostgreSQL or the built-in one. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { toLedgerRow } from "../../ledger/sql/DecisionColumns.ts"
import { hasReadableOutcomes, readable } from "../../ledger/sql/RowCompatibility.ts"
import { runCooperatively } from "../../resilience/CooperativeYield.ts"
import { Aggregates, type CallFilter } from "../Aggregates.ts"
import type { LedgerWindow } from "../LedgerWindow.ts"
import { cellsIn, healthIn, savingsIn } from "./AggregateRows.ts"
import { keyIn, makeStatements } from "./AggregateStatements.ts"
import { readArms, readUses } from "./ArmStatements.ts"
import { readFollowed } from "./FollowedStatements.ts"
import { decodeTrusted } from "./LabelledRows.ts"
import { readingWith } from "./ReadingReports.ts"
import { readShadow } from "./ShadowStatements.ts"
import { readBaselines, readCalls, readSpend } from "./SpendStatements.ts"
import { readTasks } from "./TaskStatements.ts"
import { seriesIn } from "./TrialRows.ts"
import { readJudges, readVerdicts } from "./VerdictStatements.ts"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const statements = makeStatements(sql)

  const reading = readingWith(sql)

  const newestIn = Effect.fnUntraced(function*(window: LedgerWindow, count: number, filter: CallFilter = {}) {
    const rows = yield* readable(yield* statements.newest(window, count, filter), hasReadableOutcomes)
    return rows.map((row) => toLedgerRow(row.decision, row))
  })

  return Aggregates.of({
    savings: (window, groupBy) =>
      reading(window, Effect.gen(function*() {
        const key = yield* keyIn(sql, window, groupBy)
        const rows = yield* statements.savings(window, key)
        return {
          groups: savingsIn(rows, yield* statements.outliers(window, key, rows)),
          ...(yield* readFollowed(sql, window, key)),
          tasks: yield* readTasks(sql, window, rows)
        }
      })),
    trials: (window) =>
      reading(window, statements.trials(window)).pipe(
        Effect.flatMap((rows) =>
          Effect.map(runCooperatively(seriesIn(rows)), (series) => ({ health: healthIn(rows), series })))
      ),
    trusted: (window) =>
      reading(window, Effect.gen(function*() {
        const parts = yield* statements.trusted(window)
        const { outcomes, runs } = yield* runCooperatively(decodeTrusted(parts))
        return outcomes(yield* statements.namesOf(window, [...runs.values()]))
      })),
    overview: (window, count) =>
      reading(window, Effect.gen(function*() {
        const rows = yield* statements.overview(window)
        const key = yield* keyIn(sql, window, "day")
        const days = rows.filter(({ key }) => key !== null)
        const cells = rows.filter(({ key }) => key === null)
        const newest = yield* newestIn(window, count)
        return {
          days: {
            groups: savingsIn(days, yield* statements.outliers(window, key, days)),
            ...(yield* readFollowed(sql, window, key))
          },
          shadow: yield* readShadow(sql, window),
          verdicts: yield* readVerdicts(sql, window),
          judges: yield* readJudges(sql, window),
          spend: yield* readSpend(sql, window),
          baselines: yield* readBaselines(sql, window),
          calls: yield* readCalls(sql, window),
          cells: cellsIn(cells, yield* statements.cellOutliers(window, cells)),
          newest
        }
      })),
    arms: (window) => reading(window, readArms(sql, window)),
    uses: (window, modelId) => reading(window, readUses(sql, window, modelId)),
    newest: (window, count, filter) => reading(window, newestIn(window, count, filter))
  })
})

export const layer: Layer.Layer<Aggregates, never, SqlClient.SqlClient> = Layer.effect(Aggregates, make)
