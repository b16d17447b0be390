/* Looks after the free text that accounts keep: at most their quota, and no task's words under `none`. */
import { Data, Effect, Layer, Option, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AccountId } from "../../domain/Scope.ts"
import { stricter, type TaskText } from "../../domain/text/TaskText.ts"
import { WriteCounts } from "../../reports/WriteCounts.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { requireSchema } from "../../sql/Migrations.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { textSettings } from "../TextSettings.ts"
import { lexicalVectorOf } from "./ObservationVectors.ts"
import { buckets, count, emptied, type TextBucket } from "./TextBuckets.ts"
import { type TaskVectorsOf, trimOthers, trimOutbox, trimTasks } from "./TextTrim.ts"

/** The vectors that stand for a task without its words; none for a remote memory, which takes only words. */
const taskVectorsIn = (isMemoryHere: boolean): TaskVectorsOf => (task) =>
  isMemoryHere ? [lexicalVectorOf(task)] : []

interface TextRule {
  /** Most text of one account, bytes. */
  readonly quotaBytes: number
  /** What the service keeps of tasks; an account may be stricter. */
  readonly taskText: TaskText
  readonly taskVectorsOf: TaskVectorsOf
  /** How far a look goes: to what was written a minute ago, or to this moment. */
  readonly upTo: "settled" | "now"
}

/** The name of the lock under which counting and trimming take turns, and late decisions. */
const textTurn = (accountId: AccountId): string => `sextant.texts:${accountId}`

/** Another copy looks after the account at this moment. */
class LockTaken extends Data.TaggedError("LockTaken") {}

/** One step in a transaction of its own. */
const step = <A>(accountId: AccountId, work: Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [lock] = yield* sql<{ readonly isFree: boolean }>`select
      pg_try_advisory_xact_lock(hashtextextended(${textTurn(accountId)}, 0)) as "isFree"`
    return lock?.isFree === true ? yield* work : yield* new LockTaken()
  }).pipe(withAccount(accountId), retryTransient)

/** Runs batches until one does nothing, and `end` with that one; yields the sum. */
const drained = Effect.fnUntraced(function*(
  accountId: AccountId,
  batch: Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient>,
  end: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.void
) {
  const whole = Effect.tap(batch, (rows) => rows === 0 ? end : Effect.void)
  for (let rows = 0;;) {
    const done = yield* step(accountId, whole)
    if (done === 0) return rows
    rows += done
  }
})

const bytesOf = ({ otherBytes, taskBytes }: TextBucket): number => taskBytes + otherBytes

/**
 * The oldest buckets that have to go for the rest to be within the quota. The newest one stays: it is a small
 * part of the quota, unless that has just been lowered, and then it goes when there is a newer one.
 */
export const overQuota = (
  all: ReadonlyArray<TextBucket>,
  quotaBytes: number
): ReadonlyArray<TextBucket> => {
  let bytes = all.reduce((sum, bucket) => sum + bytesOf(bucket), 0)
  const newest = all.findLast((bucket) => bytesOf(bucket) > 0)
  return all.filter((bucket) => {
    if (bytes <= quotaBytes || bucket === newest) return false
    bytes -= bytesOf(bucket)
    return true
  }).filter((bucket) => bytesOf(bucket) > 0)
}

const readState = Effect.fnUntraced(function*(accountId: AccountId, upTo: TextRule["upTo"]) {
  const sql = yield* SqlClient.SqlClient
  const [state] = yield* sql<{ readonly until: string; readonly own: TaskText | null }>`select
      (now() - ${upTo === "now" ? 0 : textSettings.settledSeconds}::float8 * interval '1 second')::text
        as until,
      (select task_text from account_setting where account_id = ${accountId}) as own`
  return state ?? { until: "-infinity", own: null }
})

/**
 * Counts what was written for an account since the last look. Takes its oldest text out where it is over its
 * quota, and every task's words where the account keeps none. Counts, vectors and rows stay. Of several
 * copies that look at once, one does the work. Answers the rows that lost their text.
 */
export const sweepAccount = Effect.fnUntraced(function*(
  accountId: AccountId,
  { taskVectorsOf, quotaBytes, taskText, upTo }: TextRule
): Effect.fn.Return<
  { readonly tasks: number; readonly others: number }, SqlError.SqlError, SqlClient.SqlClient
> {
  let [tasks, others] = [0, 0]
  yield* Effect.gen(function*() {
    const { own, until } = yield* step(accountId, readState(accountId, upTo))
    for (let steps = upTo === "now" ? Infinity : textSettings.countedSteps; steps > 0; steps--) {
      if (yield* step(accountId, count(accountId, until, quotaBytes))) break
    }
    const all = yield* step(accountId, buckets(accountId))
    const over = overQuota(all, quotaBytes)
    const isNone = stricter(taskText, own) === "none"
    for (const bucket of all) {
      const isOver = over.includes(bucket)
      if (!isOver && !(isNone && bucket.taskBytes > 0)) continue
      // Others first: the bucket is noted as emptied with the last of its tasks.
      if (isOver) others += yield* drained(accountId, trimOthers(accountId, bucket))
      const end = emptied(accountId, bucket, isOver ? "all" : "tasks")
      tasks += yield* drained(accountId, trimTasks(accountId, bucket, taskVectorsOf), end)
    }
    if (isNone) tasks += yield* drained(accountId, trimOutbox(accountId))
  }).pipe(Effect.catchTag("LockTaken", () => Effect.void))
  return { tasks, others }
})

/** Accounts with keys here, or with texts that have been counted: neither says anything else of them. */
const knownAccounts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql<{ readonly accountId: string }>`select account_id as "accountId" from api_key
    union select account_id from text_bucket order by 1`).pipe(
  Effect.map((rows) => rows.map(({ accountId }) => AccountId.make(accountId)))
)

/**
 * {@link sweepAccount} every minute for the accounts that this process has written for since, and now and
 * then for all known ones, in the scope's background. What fails is said and tried again the next time.
 *
 * @param written accounts that were written for since it was last asked
 */
const keepTexts = Effect.fnUntraced(function*(
  rule: Omit<TextRule, "upTo">,
  written: () => ReadonlyArray<AccountId>
) {
  let looks = 0
  const look = Effect.gen(function*() {
    const isWide = looks++ % textSettings.knownEvery === 0
    const known = isWide ? yield* knownAccounts : []
    let [tasks, others] = [0, 0]
    for (const accountId of new Set([...written(), ...known])) {
      const trimmed = yield* sweepAccount(accountId, { ...rule, upTo: "settled" }).pipe(
        // One account's trouble is not the others'.
        Effect.catch((error) => Effect.as(
          Effect.logWarning("An account's texts could not be looked after", error), { tasks: 0, others: 0 }
        ))
      )
      tasks += trimmed.tasks
      others += trimmed.others
    }
    if (tasks + others > 0) yield* Effect.logInfo("Took out texts that are not to be kept", { tasks, others })
  })
  yield* look.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Texts could not be looked after", cause)),
    Effect.repeat(Schedule.jittered(Schedule.spaced(textSettings.every))),
    Effect.forkScoped
  )
})

interface TextOptions {
  /** Most text of one account, bytes. */
  readonly accountBytes: number
  readonly taskText: TaskText
  readonly isMemoryHere: boolean
}

/** Takes out at once what an account is not to keep of its texts. */
export const sweepNow = ({ accountBytes, isMemoryHere, taskText }: TextOptions, accountId: AccountId) =>
  sweepAccount(accountId, {
    quotaBytes: accountBytes, taskText, taskVectorsOf: taskVectorsIn(isMemoryHere), upTo: "now"
  })

/** {@link keepTexts} as long as the process lives, as soon as its database is ready. */
export const layer = ({ accountBytes, isMemoryHere, taskText }: TextOptions) =>
  Layer.effectDiscard(Effect.gen(function*() {
    // A memory alone has no ledger that tells what was written.
    const changes = yield* Effect.serviceOption(WriteCounts)
    const written = Option.match(changes, { onNone: () => () => [], onSome: (each) => each.takeWritten })
    const rule = { quotaBytes: accountBytes, taskText, taskVectorsOf: taskVectorsIn(isMemoryHere) }
    yield* Effect.forkScoped(Effect.retry(requireSchema, Schedule.spaced("1 second")).pipe(
      Effect.andThen(Effect.scoped(Effect.andThen(keepTexts(rule, written), Effect.never)))
    ))
  }))
