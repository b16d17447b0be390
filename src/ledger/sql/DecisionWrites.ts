/* Writes decisions: those of one account that wait together go as one statement. */
import { type Cause, Duration, Effect, Exit } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { retryTransient } from "../../sql/Transient.ts"

/** Rows from which a group takes in no more calls; a call is never divided. */
const rowsMax = 32

/**
 * Most groups of an account under way, count. While they are, the account's next calls wait for each other:
 * a lone call starts at once. The second keeps one slow statement from holding up all of an account.
 */
const groupsMax = 2

/** A group that takes longer gives its connection back; its callers have long answered without it. */
const groupTimeout = Duration.seconds(2)

type WriteFailure = SqlError.SqlError | Cause.TimeoutError
type Written = Exit.Exit<void, WriteFailure>

/** The decisions of one call, each as the JSON text of its row, and what is done with their result. */
interface Call {
  readonly rows: ReadonlyArray<string>
  readonly end: (written: Written) => void
}

/** The calls of one account that wait, and how many groups of it are under way. */
interface Queue {
  readonly waiting: Array<Call>
  groups: number
  /** Whether a group has been started that has not taken its calls yet. */
  isCollecting: boolean
}

/** Takes the calls of the next group, in their order. */
const nextGroup = ({ waiting }: Queue): ReadonlyArray<Call> => {
  let rows = 0
  let calls = 0
  while (calls < waiting.length && rows < rowsMax) rows += waiting[calls++]?.rows.length ?? 0
  return waiting.splice(0, calls)
}

/** Writes rows of one account; yields once they are durable. Rows that are there already stay as they are. */
const append = (sql: SqlClient.SqlClient, accountId: AccountId, rows: ReadonlyArray<string>) =>
  retryTransient(sql`select append_decisions(${accountId}, ${`[${rows.join(",")}]`}::text::jsonb)`)

/**
 * Writes one group, and yields what becomes of each call. A group that fails is tried again call by call, so
 * that a row that the database refuses fails its own call alone.
 */
const writeGroup = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  calls: ReadonlyArray<Call>
): Effect.Effect<ReadonlyArray<Written>> =>
  Effect.gen(function*() {
    const written = yield* Effect.exit(append(sql, accountId, calls.flatMap(({ rows }) => rows)))
    if (Exit.isSuccess(written) || calls.length === 1) return calls.map((): Written => Exit.asVoid(written))
    return yield* Effect.forEach(calls, ({ rows }) =>
      Effect.map(Effect.exit(append(sql, accountId, rows)), (own): Written => Exit.asVoid(own)), {
      concurrency: "unbounded"
    })
  }).pipe(
    Effect.timeout(groupTimeout),
    Effect.exit,
    Effect.map((all) => Exit.isSuccess(all) ? all.value : calls.map((): Written => Exit.asVoid(all)))
  )

/**
 * Writes decisions durably: one statement, one round trip and one wait for the disk for all calls of an
 * account that came in one turn of the event loop, or while its earlier groups were under way. A group
 * belongs to no caller: the decisions of an interrupted call may still be written with it.
 */
export const makeWrite = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const run = Effect.runForkWith(yield* Effect.context())
  const queues = new Map<AccountId, Queue>()

  /** Writes group after group until no call waits. */
  const serve = (accountId: AccountId, queue: Queue) =>
    Effect.gen(function*() {
      yield* Effect.yieldNow
      queue.isCollecting = false
      for (let calls = nextGroup(queue); calls.length > 0; calls = nextGroup(queue)) {
        const written = yield* writeGroup(sql, accountId, calls)
        calls.forEach(({ end }, at) => end(written[at] ?? Exit.void))
      }
      queue.groups--
      if (queue.groups === 0) queues.delete(accountId)
    })

  const join = (accountId: AccountId, call: Call): Queue => {
    const queue = queues.get(accountId) ?? { waiting: [], groups: 0, isCollecting: false }
    queues.set(accountId, queue)
    queue.waiting.push(call)
    if (!queue.isCollecting && queue.groups < groupsMax) {
      queue.isCollecting = true
      queue.groups++
      run(serve(accountId, queue))
    }
    return queue
  }

  return (accountId: AccountId, rows: ReadonlyArray<string>): Effect.Effect<void, WriteFailure> =>
    Effect.callback((resume) => {
      const call: Call = { rows, end: resume }
      const { waiting } = join(accountId, call)
      return Effect.sync(() => {
        const at = waiting.indexOf(call)
        if (at >= 0) waiting.splice(at, 1)
      })
    })
})
