/* The plan of retention: expired months, old rows, and the reason of a refusal. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dayMs } from "../domain/Time.ts"
import { partitionedTables } from "../sql/LedgerTables.ts"
import { type MonthlyPartition, monthlyPartitions, monthStart } from "../sql/MonthlyPartitions.ts"
import { accountsWithOld } from "./RetainedRows.ts"
import { retainedTables } from "./RetainedTables.ts"
import { readState, refusalOf } from "./RetentionGuards.ts"
import { retentionSettings } from "./RetentionSettings.ts"
import { inTransaction } from "./RetentionTurn.ts"

const { newestDaysMax } = retentionSettings

type TablePartition = MonthlyPartition & { readonly table: string }

/** When the newest decision was made that is not in the future; null without any. */
const newestDecision = (partitions: ReadonlyArray<TablePartition>, now: Date) =>
  inTransaction(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    // The owner reads a partition directly, which the table's policies do not cover.
    const newestIn = (name: string) =>
      Effect.map(
        sql<{ readonly newest: Date | null }>`select max(created_at) as newest from ${sql(name)}
          where created_at <= ${now}`,
        ([row]) => row?.newest ?? null
      )
    const unplaced = yield* newestIn("decision_default")
    const begun = partitions.filter(({ from, table }) => table === "decision" && from <= now)
    for (const { name } of begun.reverse()) {
      const placed = yield* newestIn(name)
      if (placed !== null) return unplaced !== null && unplaced > placed ? unplaced : placed
    }
    return unplaced
  }))

/** Months past the cut, each with both of its tables. */
const expiredMonths = Effect.fnUntraced(function*(partitions: ReadonlyArray<TablePartition>, cut: Date) {
  const sql = yield* SqlClient.SqlClient
  const expired = partitions.filter(({ until }) => until <= cut)
  const months: Array<ReadonlyArray<TablePartition>> = []
  const misdated = sql`recorded_at > created_at + ${newestDaysMax}::float8 * interval '1 day'`
  for (const month of new Set(expired.map((each) => each.month).sort())) {
    const own = expired.filter((each) => each.month === month)
    const decisions = own.find(({ table }) => table === "decision")
    const [late] = decisions === undefined ? [] : yield* inTransaction(sql<{ readonly found: boolean }>`
      select exists (
        select from ${sql(decisions.name)} where recorded_at >= ${cut} and ${misdated}) as found`)
    if (late?.found === true) {
      yield* Effect.logWarning("A month past its time is kept: decisions in it were recorded lately").pipe(
        Effect.annotateLogs({ month, because: "a copy's clock was behind" })
      )
    } else months.push(own)
  }
  return months
})

/** Everything that would be purged at `now`, and why it is refused, if it is. */
export const planOf = Effect.fnUntraced(function*(days: number, now: Date) {
  const partitions: Array<TablePartition> = []
  for (const table of partitionedTables) {
    partitions.push(...(yield* monthlyPartitions(table)).map((each) => ({ ...each, table })))
  }
  const newest = yield* newestDecision(partitions, now)
  // The month of the newest decision stays, whatever its age, in a partition or in the default one.
  const newestMonth = newest === null ? null : monthStart(newest.getTime(), 0)
  const expiry = monthStart(now.getTime() - days * dayMs, 0)
  const cut = newestMonth !== null && newestMonth < expiry ? newestMonth : expiry
  const expired = yield* expiredMonths(partitions, cut)
  const rows = []
  for (const each of retainedTables) {
    for (const old of yield* accountsWithOld(each, cut)) rows.push({ each, ...old })
  }
  const isEmpty = expired.length === 0 && rows.length === 0
  return { cut, expired, rows, refusal: isEmpty ? null : refusalOf(now, newest, yield* readState) }
})

export type Plan = Effect.Success<ReturnType<typeof planOf>>
