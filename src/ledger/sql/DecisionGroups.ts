/* Writes decisions in groups: one statement writes the decisions of several calls of an account. */
import { type Cause, Duration, Effect, Exit } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Budget } from "../../domain/account/Budget.ts"
import { createdAtOf } from "../../domain/RecommendationId.ts"
import { spendOf } from "../../domain/account/Spending.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { AccountId } from "../../domain/Scope.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { makeGroups } from "../../sql/Groups.ts"
import { arrayText } from "../../sql/RowSet.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { periodAt } from "../../stats/BudgetPacing.ts"
import { type BudgetCheck, BudgetExhausted } from "../Ledger.ts"
import { type DecisionValues, hasNumbers, rowColumns, toRow } from "./DecisionColumns.ts"

/** Number of rows from which a group of calls takes no further call. */
const rowsMax = 32

/** Maximum number of an account's groups without a budget check that are written at once. */
const groupsMax = 4
/**
 * Maximum number of an account's groups with a budget check that are written at once. A second group with a
 * budget check would only wait in the database for the first.
 */
const checkedGroupsMax = 1

/** Time limit of a group's write, after which the group gives its connection back. */
const groupTimeout = Duration.seconds(2)

type WriteFailure = SqlError.SqlError | Cause.TimeoutError
/** The reason why the budget refuses a call's decisions; null if they were written. */
type BudgetRefusal = BudgetExhausted | null
type GroupEnd = Exit.Exit<BudgetRefusal, WriteFailure>

interface WriteCall {
  readonly decisions: ReadonlyArray<Decision>
  readonly rows: ReadonlyArray<DecisionValues>
  /** The call's budget check, or null. In a group, all calls have a check or none has. */
  readonly check: BudgetCheck | null
}

const beginGroup = () => {
  let rows = 0
  return (call: WriteCall): boolean => {
    if (rows >= rowsMax) return false
    rows += call.rows.length
    return true
  }
}

/**
 * The answer of `check_budget`: the budget, the start of its period in ms, and the numbers of the refused
 * calls, from 1 on.
 */
interface CheckedRow extends Pick<Budget, "period" | "usd"> {
  readonly startMs: number
  readonly refused: ReadonlyArray<number>
}

const columnArrays = rowColumns.map(({ type }, column) => `$${column + 2}::${type}[]`).join(", ")
const appendText = `select append_decisions($1, ${columnArrays}) as added`
const [needed, kept, oldest, ratio] = [2, 3, 4, 5].map((place) => `$${rowColumns.length + place}`)
const appendCheckedText = `select refused, usd, period, start_ms as "startMs",
    case when cardinality(refused) = 0 then append_decisions($1, ${columnArrays}) end
  from check_budget($1, ${needed}::float8[], ${kept}::float8[], ${oldest}::timestamptz, ${ratio}::float8)`

const parametersOf = (accountId: AccountId, rows: ReadonlyArray<DecisionValues>): ReadonlyArray<string> =>
  [accountId, ...rowColumns.map((_, column) => arrayText(rows.map((row) => row[column] ?? null)))]

/**
 * Appends rows, in the open transaction if there is one; the result is the number of new rows. The
 * statement's text is constant, because building it for each group would be slow.
 */
export const appending = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  rows: ReadonlyArray<DecisionValues>
) => sql.unsafe<{ readonly added: number }>(appendText, parametersOf(accountId, rows))

const neededUsd = ({ decisions }: WriteCall, ratio: number): number =>
  decisions.reduce((sum, decision) => {
    const { waitingUsd } = spendOf(decision, [])
    return decision.isShadow || waitingUsd === 0
      ? sum
      : sum + Math.max(0, ratio * waitingUsd + (decision.costMarginUsd ?? 0))
  }, 0)

/** Refuses the calls that exceed the budget, then checks the remaining calls again and writes them. */
const appendChecked: (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  calls: ReadonlyArray<WriteCall>,
  billsPerEstimate: number
) => Effect.Effect<ReadonlyArray<BudgetRefusal>, SqlError.SqlError> = Effect.fnUntraced(function*(
  sql, accountId, calls, billsPerEstimate
) {
  const [first = null] = calls.flatMap(({ decisions }) =>
    decisions.map(({ recommendationId }) => createdAtOf(recommendationId))).sort()
  const [row] = yield* sql.unsafe<CheckedRow>(appendCheckedText, [
    ...parametersOf(accountId, calls.flatMap(({ rows }) => rows)),
    arrayText(calls.map((call) => neededUsd(call, billsPerEstimate))),
    arrayText(calls.map(({ check }) => check?.keptUsd ?? 0)),
    first,
    billsPerEstimate
  ])
  if (row === undefined || row.refused.length === 0) return calls.map(() => null)
  const { period, refused, startMs, usd } = row
  const refusal = new BudgetExhausted({ usd, period, endsAtMs: periodAt(period, startMs).endMs })
  const isRefused = (at: number): boolean => refused.includes(at + 1)
  const fitting = calls.filter((_, at) => !isRefused(at))
  const written = fitting.length === 0
    ? []
    : yield* appendChecked(sql, accountId, fitting, billsPerEstimate)
  return calls.map((call, at) => isRefused(at) ? refusal : written[fitting.indexOf(call)] ?? null)
})

/** Writes calls of one account durably. Rows that exist already stay unchanged. */
const append = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  calls: ReadonlyArray<WriteCall>
): Effect.Effect<ReadonlyArray<BudgetRefusal>, SqlError.SqlError> => {
  const billsPerEstimate = Math.max(...calls.map(({ check }) => check?.billsPerEstimate ?? 0))
  return retryTransient(billsPerEstimate === 0
    ? Effect.as(appending(sql, accountId, calls.flatMap(({ rows }) => rows)), calls.map(() => null))
    : appendChecked(sql, accountId, calls, billsPerEstimate))
}

const resultsOf = (
  calls: ReadonlyArray<WriteCall>,
  all: Exit.Exit<ReadonlyArray<BudgetRefusal>, WriteFailure>
): ReadonlyArray<GroupEnd> => calls.map((_, at) => Exit.map(all, (refusals) => refusals[at] ?? null))

/** If the group fails, each call is written alone, so that a refused row fails only its own call. */
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
 * All calls of a group share one SQL statement and one wait for the disk. The decisions of an interrupted
 * call may still be written, because its group goes on.
 */
export const makeWrite = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const run = (accountId: AccountId, calls: ReadonlyArray<WriteCall>) => writeGroup(sql, accountId, calls)
  const writeUnchecked = yield* makeGroups({ groupsMax, begin: beginGroup, run })
  const writeChecked = yield* makeGroups({ groupsMax: checkedGroupsMax, begin: beginGroup, run })
  return (
    accountId: AccountId,
    decisions: ReadonlyArray<Decision>,
    check: BudgetCheck | null
  ): Effect.Effect<BudgetRefusal, WriteFailure | Reason.Rejected> =>
    decisions.every(hasNumbers)
      ? (check === null ? writeUnchecked : writeChecked)(
        accountId, { decisions, rows: decisions.map(toRow), check }
      )
      : Effect.fail(new Reason.Rejected({ cause: "a number of a decision is none" }))
})
