/* Plans a purge: finds the expired months, the old rows and texts, and the reason if the purge is refused. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dayMs, dayOf } from "../domain/Time.ts"
import { acrossAccounts } from "../sql/AccountScope.ts"
import { partitionedTables } from "../sql/LedgerTables.ts"
import { monthlyPartitions, monthStart } from "../sql/MonthlyPartitions.ts"
import { accountsWithOld } from "./RetainedRows.ts"
import { retainedTables, retainedTexts } from "./RetainedTables.ts"
import { retentionSettings } from "./RetentionSettings.ts"
import { inLockedTransaction } from "./RetentionLock.ts"

const { newestDaysMax } = retentionSettings

/**
 * Returns a refusal to purge at `now` if decisions or outcomes exist, but none is from the last
 * `newestDaysMax` days, so that the clock may be wrong; otherwise null.
 */
const refusalAt = (now: Date) =>
  inLockedTransaction(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* acrossAccounts
    const since = new Date(now.getTime() - newestDaysMax * dayMs)
    const [row] = yield* sql<{ readonly isQuiet: boolean }>`select
      (exists (select from decision) or exists (select from observation))
      and not exists (select from decision where created_at between ${since} and ${now})
      and not exists (select from observation where occurred_at between ${since} and ${now}) as "isQuiet"`
    if (row?.isQuiet !== true) return null
    return `the database's clock says ${dayOf(now.getTime())}, and no decision or outcome is of `
      + `the ${newestDaysMax} days before`
  }))

/** Plans what to purge at `now` if decisions are stored for `days`, and texts for `textDays` days. */
export const planOf = Effect.fnUntraced(function*(days: number, textDays: number, now: Date) {
  const cut = monthStart(now.getTime() - days * dayMs, 0)
  const expired: Array<string> = []
  for (const table of partitionedTables) {
    const partitions = yield* monthlyPartitions(table)
    expired.push(...partitions.filter(({ until }) => until <= cut).map(({ name }) => name))
  }
  const textCut = monthStart(now.getTime() - textDays * dayMs, 0)
  // If texts are kept at least as long as decisions, deleting the row removes its text too.
  const own = new Set(textCut <= cut ? retainedTables.map(({ table }) => table) : [])
  const old = [
    ...retainedTables.map((each) => ({ ...each, cut })),
    ...retainedTexts.filter(({ table }) => !own.has(table)).map((each) => ({ ...each, cut: textCut }))
  ]
  const rows = (yield* Effect.forEach(old, accountsWithOld)).flat()
  const isEmpty = expired.length === 0 && rows.length === 0
  return { expired, rows, refusal: isEmpty ? null : yield* refusalAt(now) }
})

export type RetentionPlan = Effect.Success<ReturnType<typeof planOf>>
