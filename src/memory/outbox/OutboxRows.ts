/* The rows of the table `outbox`: makes, claims, settles and counts the writes that wait. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import { NewLesson, Observation, Reinforcement, StepRewards } from "../../api/memory/MemoryPayloads.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import type { MemoryWrite } from "../MemoryWrite.ts"

/** A write for a remote memory. Its account is a column of the row; the caller's key is not kept. */
export const OutboxWrite = Schema.toCodecJson(Schema.Union([
  Schema.Struct({ kind: Schema.Literal("teach"), body: Observation }),
  Schema.Struct({ kind: Schema.Literal("reinforce"), body: Reinforcement }),
  Schema.Struct({ kind: Schema.Literal("recordSteps"), body: StepRewards }),
  Schema.Struct({ kind: Schema.Literal("promote"), body: NewLesson })
]))
export type OutboxWrite = typeof OutboxWrite.Type

const encodeWrite = Schema.encodeEffect(OutboxWrite)
const decodeWrite = Schema.decodeUnknownEffect(OutboxWrite)

/** Whether writes of the lane wait already; a new one must then wait behind them. */
export const isWaiting = Effect.fnUntraced(function*(accountId: AccountId, lane: Lane) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ waits: boolean }>`select exists (
      select 1 from outbox where account_id = ${accountId} and lane = ${lane} and refused_at is null
    ) as waits`.pipe(withAccount(accountId))
  return row?.waits === true
})

/**
 * A write as the row that its settlement puts behind its lane's others; it is encoded without the account.
 * One that cannot be encoded is a defect, which ends the settlement: a write that cannot be kept must not be
 * acknowledged.
 */
export const rowOf = (write: MemoryWrite) =>
  Effect.map(Effect.catchTag(encodeWrite(write), "SchemaError", Effect.die), (encoded) =>
    ({ outbox_id: randomUUID(), lane: write.body.lane, kind: write.kind, write: encoded }))

/** A kept write of the account. */
export const writeOf = ({ body, kind }: OutboxWrite, accountId: AccountId): MemoryWrite =>
  // The body is of its kind.
  ({ kind, body: { ...body, accountId } }) as MemoryWrite

/** A row of the outbox that was claimed. */
export interface WaitingWrite {
  readonly outboxId: string
  readonly attempts: number
  /** How often a working backend failed to accept it, count. */
  readonly badAnswers: number
  /** Null for a row that cannot be read. */
  readonly write: OutboxWrite | null
}

interface OutboxRow {
  readonly outboxId: string
  readonly kind: string
  readonly body: unknown
  readonly attempts: number
  readonly badAnswers: number
}

const read = ({ attempts, badAnswers, body, kind, outboxId }: OutboxRow): Effect.Effect<WaitingWrite> =>
  decodeWrite({ kind, body }).pipe(
    Effect.catch((error) => Effect.as(Effect.logError("Unreadable memory write", error), null)),
    Effect.map((write) => ({ outboxId, attempts, badAnswers, write }))
  )

/**
 * Claims the oldest writes of one lane that is due, for as long as the lease. The lease is on the lane's
 * first row: no other process can claim the lane meanwhile. Empty when no lane is due.
 */
export const claim = Effect.fnUntraced(function*(
  accountId: AccountId,
  options: { readonly leaseMs: number; readonly rowsMax: number }
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Effect.gen(function*() {
    const [head] = yield* sql<{ lane: string }>`with head as (
        select o.outbox_id from outbox o
        where o.account_id = ${accountId} and o.refused_at is null and o.available_at <= now()
          and not exists (select 1 from outbox older where older.account_id = o.account_id
            and older.lane = o.lane and older.refused_at is null and older.position < o.position)
        order by o.position
        limit 1
        for update of o skip locked
      )
      update outbox set available_at = now() + ${options.leaseMs}::float8 * interval '1 millisecond'
      from head where outbox.account_id = ${accountId} and outbox.outbox_id = head.outbox_id
      returning outbox.lane`
    return head === undefined ? [] : yield* sql<OutboxRow>`
      select outbox_id::text as "outboxId", kind, body, attempts, bad_answers as "badAnswers" from outbox
      where account_id = ${accountId} and lane = ${head.lane} and refused_at is null
      order by position limit ${options.rowsMax}`
  }).pipe(withAccount(accountId))
  return yield* Effect.forEach(rows, read)
})

/** The result of a claim: ids of the rows by what happened to them. */
export interface Delivered {
  readonly delivered: ReadonlyArray<string>
  /** Ids of writes that the backend will never accept: they are kept, and not sent again. */
  readonly refused: ReadonlyArray<string>
  /** The first write that was not delivered, and the delay until it is sent again, ms. */
  readonly failed: {
    readonly outboxId: string
    readonly delayMs: number
    /** Whether a working backend failed to accept it. */
    readonly isBadAnswer: boolean
  } | null
}

/** Records the result of a claim, which ends it. */
export const settle = (
  accountId: AccountId,
  { delivered, failed, refused }: Delivered
): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const mine = sql`account_id = ${accountId}`
    yield* sql`delete from outbox where ${mine} and outbox_id = any(${delivered}::uuid[])`
    if (refused.length > 0) {
      yield* sql`update outbox set refused_at = now() where ${mine} and outbox_id = any(${refused}::uuid[])`
    }
    if (failed === null) return
    yield* sql`update outbox set attempts = attempts + 1,
        bad_answers = bad_answers + ${failed.isBadAnswer ? 1 : 0}::int,
        available_at = now() + ${failed.delayMs}::float8 * interval '1 millisecond'
      where ${mine} and outbox_id = ${failed.outboxId}`
  }).pipe(withAccount(accountId))

/** How many writes of the account wait, without those that the backend refused. */
export const countWaiting = Effect.fnUntraced(function*(accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ count: number }>`select count(*)::int as count from outbox
    where account_id = ${accountId} and refused_at is null`.pipe(withAccount(accountId))
  return row?.count ?? 0
})
