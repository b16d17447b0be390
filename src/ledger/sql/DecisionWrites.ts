/* Writes decisions: those of one account that wait together go as one statement. */
import { type Cause, Duration, Effect, Exit } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { retryTransient } from "../../sql/Transient.ts"

/** Rows from which a group takes in no more calls; a call is never divided. */
const rowsMax = 32

/** Most groups of an account under way, count: more than one only while one is slow or the next is full. */
const groupsMax = 4
/** From when on a group holds up its account's next no longer, ms: most take one to five. Chosen. */
const slowMs = 20

/** A group that takes longer gives its connection back; its callers have long answered without it. */
const groupTimeout = Duration.seconds(2)

type WriteFailure = SqlError.SqlError | Cause.TimeoutError
type Written = Exit.Exit<void, WriteFailure>

/** The decisions of one call, each as the JSON text of its row, and what is done with their result. */
interface Call {
  readonly rows: ReadonlyArray<string>
  readonly end: (written: Written) => void
}

/** What is under way for one account. */
interface Queue {
  /** Calls that no group has taken yet. */
  readonly waiting: Array<Call>
  /** Fibers that write its groups one after the other, and how many of them have a slow group under way. */
  writers: number
  slow: number
}

const rowsOf = (calls: ReadonlyArray<Call>): number => calls.reduce((sum, { rows }) => sum + rows.length, 0)

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
 * account that came in one turn of the event loop, or while its group before was under way. A lone call
 * waits for no other. A group belongs to no caller: the decisions of an interrupted call may still be
 * written with it.
 */
export const makeWrite = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const run = Effect.runForkWith(yield* Effect.context())
  const queues = new Map<AccountId, Queue>()

  /** Writes one group; from `slowMs` on its account's next calls need not wait for it. */
  const writeNext = (accountId: AccountId, queue: Queue, calls: ReadonlyArray<Call>) =>
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
        calls.forEach(({ end }, at) => end(written[at] ?? Exit.void))
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
      if (queue.writers === 0) queues.delete(accountId)
    })

  /** Starts another writer where all others have a slow group under way, or a full group waits. */
  const addWriter = (accountId: AccountId, queue: Queue): void => {
    if (queue.writers >= groupsMax) return
    if (queue.writers > queue.slow && rowsOf(queue.waiting) < rowsMax) return
    queue.writers++
    run(writeAll(accountId, queue))
  }

  return (accountId: AccountId, rows: ReadonlyArray<string>): Effect.Effect<void, WriteFailure> =>
    Effect.callback((resume) => {
      const call: Call = { rows, end: resume }
      const queue = queues.get(accountId) ?? { waiting: [], writers: 0, slow: 0 }
      queues.set(accountId, queue)
      queue.waiting.push(call)
      addWriter(accountId, queue)
      return Effect.sync(() => {
        const at = queue.waiting.indexOf(call)
        if (at >= 0) queue.waiting.splice(at, 1)
      })
    })
})
