/* Writes decisions: those of one account that wait together go as one statement. */
import { type Cause, Duration, Effect, Exit } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Budget } from "../../domain/Budget.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { periodAt } from "../../stats/SpendForecast.ts"
import { type BudgetCheck, BudgetExhausted } from "../Ledger.ts"

/** Rows from which a group takes in no more calls; a call is never divided. */
const rowsMax = 32

/** Most groups of an account under way, count: more than one only while one is slow or the next is full. */
const groupsMax = 4
/** The same of checked groups, which take turns in the database. */
const checkedGroupsMax = 1
/** From when on a group holds up its account's next no longer, ms: most take one to five. Chosen. */
const slowMs = 20

/** A group that takes longer gives its connection back; its callers have long answered without it. */
const groupTimeout = Duration.seconds(2)

type WriteFailure = SqlError.SqlError | Cause.TimeoutError
/** Why the budget refuses a call's decisions; null where they are written. */
type BudgetRefusal = BudgetExhausted | null
type GroupEnd = Exit.Exit<BudgetRefusal, WriteFailure>

/** The decisions of one call, each as the JSON text of its row, and what is done with their result. */
interface WriteCall {
  readonly rows: ReadonlyArray<string>
  /** Null without one. All calls of a queue have one, or none has. */
  readonly check: BudgetCheck | null
  readonly end: (written: GroupEnd) => void
}

/** What is under way for one account, of calls that are checked or of the others. */
interface Queue {
  /** Most groups under way, count. */
  readonly groupsMax: number
  /** Calls that no group has taken yet. */
  readonly waiting: Array<WriteCall>
  /** Fibers that write its groups one after the other, and how many of them have a slow group under way. */
  writers: number
  slow: number
}

/** The key of a queue. */
const keyOf = (accountId: AccountId, { groupsMax }: Pick<Queue, "groupsMax">): string =>
  `${groupsMax} ${accountId}`

const rowsOf = (calls: ReadonlyArray<WriteCall>): number =>
  calls.reduce((sum, { rows }) => sum + rows.length, 0)

/** Takes the calls of the next group, in their order. */
const nextGroup = ({ waiting }: Queue): ReadonlyArray<WriteCall> => {
  let rows = 0
  let calls = 0
  while (calls < waiting.length && rows < rowsMax) rows += waiting[calls++]?.rows.length ?? 0
  return waiting.splice(0, calls)
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
 * Writes decisions durably: one statement, one round trip and one wait for the disk for all calls of an
 * account that came in one turn of the event loop, or while its group before was under way. A lone call
 * waits for no other. A group belongs to no caller: the decisions of an interrupted call may still be
 * written with it.
 */
export const makeWrite = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const run = Effect.runForkWith(yield* Effect.context())
  const queues = new Map<string, Queue>()

  /** Writes one group; from `slowMs` on its account's next calls need not wait for it. */
  const writeNext = (accountId: AccountId, queue: Queue, calls: ReadonlyArray<WriteCall>) =>
    Effect.suspend(() => {
      let isSlow = false
      const timer = setTimeout(() => {
        isSlow = true
        queue.slow++
        if (queue.waiting.length > 0) addWriter(accountId, queue)
      }, slowMs)
      return Effect.map(writeGroup(sql, accountId, calls), (written) => {
        clearTimeout(timer)
        if (isSlow) queue.slow--
        calls.forEach(({ end }, at) => end(written[at] ?? Exit.succeed(null)))
      })
    })

  /** Writes group after group until no call waits. */
  const writeAll = (accountId: AccountId, queue: Queue) =>
    Effect.gen(function*() {
      yield* Effect.yieldNow
      for (let calls = nextGroup(queue); calls.length > 0; calls = nextGroup(queue)) {
        yield* writeNext(accountId, queue, calls)
      }
      queue.writers--
      if (queue.writers === 0) queues.delete(keyOf(accountId, queue))
    })

  /** Starts another writer where all others have a slow group under way, or a full group waits. */
  const addWriter = (accountId: AccountId, queue: Queue): void => {
    if (queue.writers >= queue.groupsMax) return
    if (queue.writers > queue.slow && rowsOf(queue.waiting) < rowsMax) return
    queue.writers++
    run(writeAll(accountId, queue))
  }

  return (
    accountId: AccountId,
    rows: ReadonlyArray<string>,
    check: BudgetCheck | null
  ): Effect.Effect<BudgetRefusal, WriteFailure> =>
    Effect.callback((resume) => {
      const call: WriteCall = { rows, check, end: resume }
      const ofKind = { groupsMax: check === null ? groupsMax : checkedGroupsMax }
      const key = keyOf(accountId, ofKind)
      const queue = queues.get(key) ?? { ...ofKind, waiting: [], writers: 0, slow: 0 }
      queues.set(key, queue)
      queue.waiting.push(call)
      addWriter(accountId, queue)
      return Effect.sync(() => {
        const at = queue.waiting.indexOf(call)
        if (at >= 0) queue.waiting.splice(at, 1)
      })
    })
})
