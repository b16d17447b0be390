/* Writes decisions: those of one account that wait together go as one group, by one statement. */
import { type Cause, Duration, Effect, Exit } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Budget } from "../../domain/account/Budget.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { makeGroups } from "../../sql/Groups.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { periodAt } from "../../stats/BudgetPacing.ts"
import { type BudgetCheck, BudgetExhausted } from "../Ledger.ts"

/** Rows from which a group takes in no more calls; a call is never divided. */
const rowsMax = 32

/** Most groups of an account under way, count. */
const groupsMax = 4
/** The same of checked groups, which take turns in the database. */
const checkedGroupsMax = 1

/** A group that takes longer gives its connection back; its callers have long answered without it. */
const groupTimeout = Duration.seconds(2)

type WriteFailure = SqlError.SqlError | Cause.TimeoutError
/** Why the budget refuses a call's decisions; null where they are written. */
type BudgetRefusal = BudgetExhausted | null
type GroupEnd = Exit.Exit<BudgetRefusal, WriteFailure>

/** The decisions of one call. */
interface WriteCall {
  /** Each as the JSON text of its row. */
  readonly rows: ReadonlyArray<string>
  /** Null without one. All calls of a group have one, or none has. */
  readonly check: BudgetCheck | null
}

/** A group takes calls until it has so many rows; a call is never divided. */
const beginGroup = () => {
  let rows = 0
  return (call: WriteCall): boolean => {
    if (rows >= rowsMax) return false
    rows += call.rows.length
    return true
  }
}

/** What `append_within_budget` answers: the budget, its period's start, ms, and indexes of refused calls. */
interface BudgetAnswerRow extends Pick<Budget, "period" | "usd"> {
  readonly startMs: number
  readonly refused: ReadonlyArray<number>
}

const jsonArray = (elements: ReadonlyArray<string>): string => `[${elements.join(",")}]`

/**
 * Writes calls of one account; yields once they are durable what the budget refuses. Rows that are there
 * already stay as they are.
 */
const append = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  calls: ReadonlyArray<WriteCall>
): Effect.fn.Return<ReadonlyArray<BudgetRefusal>, SqlError.SqlError> {
  const ratio = Math.max(...calls.map(({ check }) => check?.billsPerEstimate ?? 0))
  if (ratio === 0) {
    const rows = jsonArray(calls.flatMap((call) => call.rows))
    yield* retryTransient(sql`select append_decisions(${accountId}, ${rows}::text::jsonb)`)
    return calls.map(() => null)
  }
  const checkedCalls = jsonArray(calls.map(({ check, rows }) =>
    `{"kept_usd":${check?.keptUsd ?? 0},"rows":${jsonArray(rows)}}`))
  const [row] = yield* retryTransient(sql<{ readonly checked: BudgetAnswerRow }>`
    select append_within_budget(${accountId}, ${checkedCalls}::text::jsonb, ${ratio}::float8) as checked`)
  if (row === undefined) return calls.map(() => null)
  const { period, refused, startMs, usd } = row.checked
  const refusal = new BudgetExhausted({ usd, period, endsAtMs: periodAt(period, startMs).endMs })
  return calls.map((_, at) => refused.includes(at) ? refusal : null)
})

/** What becomes of each call of a statement. */
const resultsOf = (
  calls: ReadonlyArray<WriteCall>,
  all: Exit.Exit<ReadonlyArray<BudgetRefusal>, WriteFailure>
): ReadonlyArray<GroupEnd> => calls.map((_, at) => Exit.map(all, (refusals) => refusals[at] ?? null))

/**
 * Writes one group, and yields what becomes of each call. A group that fails is tried again call by call, so
 * that a row that the database refuses fails its own call alone.
 */
const writeGroup = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  calls: ReadonlyArray<WriteCall>
): Effect.Effect<ReadonlyArray<GroupEnd>> =>
  Effect.gen(function*() {
    const all = yield* Effect.exit(append(sql, accountId, calls))
    if (Exit.isSuccess(all) || calls.length === 1) return resultsOf(calls, all)
    const each = yield* Effect.forEach(calls, (call) =>
      Effect.map(Effect.exit(append(sql, accountId, [call])), (own) => resultsOf([call], own)), {
      concurrency: "unbounded"
    })
    return each.flat()
  }).pipe(
    Effect.timeout(groupTimeout),
    Effect.exit,
    Effect.map((all) =>
      Exit.isSuccess(all) ? all.value : calls.map((): GroupEnd => Exit.failCause(all.cause)))
  )

/**
 * Writes decisions durably: one statement, one round trip and one wait for the disk for all calls of a group.
 * The decisions of an interrupted call may still be written with it.
 */
export const makeWrite = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const run = (accountId: AccountId, calls: ReadonlyArray<WriteCall>) => writeGroup(sql, accountId, calls)
  const writeUnchecked = yield* makeGroups({ groupsMax, begin: beginGroup, run })
  const writeChecked = yield* makeGroups({ groupsMax: checkedGroupsMax, begin: beginGroup, run })
  return (
    accountId: AccountId,
    rows: ReadonlyArray<string>,
    check: BudgetCheck | null
  ): Effect.Effect<BudgetRefusal, WriteFailure> =>
    (check === null ? writeUnchecked : writeChecked)(accountId, { rows, check })
})
