/* Counts of the bytes of free text that an account keeps, by age: rows of `text_bucket`. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { textSettings } from "../TextSettings.ts"

/** The texts of an account that were written after `from` and until `until`. */
export interface TextBucket {
  /** Moments as the database spells them: its microseconds would be lost in a Date. */
  readonly from: string
  readonly until: string
  readonly taskBytes: number
  readonly otherBytes: number
}

/** What a generator of `Effect.fnUntraced` on the database returns. */
export type OnDatabase<A> = Effect.fn.Return<A, SqlError.SqlError, SqlClient.SqlClient>

/** The account's buckets, oldest first: each begins where the one before it ends. */
export const buckets = Effect.fnUntraced(function*(
  accountId: AccountId
): OnDatabase<ReadonlyArray<TextBucket>> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<TextBucket>`
    select coalesce(lag(until) over (order by until), '-infinity')::text as "from", until::text as until,
      task_bytes::float8 as "taskBytes", other_bytes::float8 as "otherBytes"
    from text_bucket where account_id = ${accountId} order by until`
})

/**
 * Counts what was written since the last count and at the latest `upTo`, some thousands of decisions at most:
 * into the newest bucket while that is small, else as a new one. True when there is nothing more until then.
 * Every row is counted once, by the time it was written at: a decision that comes later with an older time is
 * added where it is written. A bucket that was emptied stays empty: it marks where what is left begins.
 */
export const count = Effect.fnUntraced(function*(
  accountId: AccountId,
  upTo: string,
  quotaBytes: number
): OnDatabase<boolean> {
  const sql = yield* SqlClient.SqlClient
  const [counted] = yield* sql<{ readonly isLast: boolean }>`with begin as (
      select coalesce(max(until), '-infinity') as at from text_bucket where account_id = ${accountId}
    ), span as (
      select begin.at as after, least(${upTo}::timestamptz, coalesce((
        select created_at from decision where account_id = ${accountId} and created_at > begin.at
        order by created_at offset ${textSettings.countedRows} limit 1), 'infinity')) as until
      from begin
    ), counted as (
      select after, until,
        (select coalesce(sum(octet_length(task_excerpt)
            + coalesce(octet_length(vote ->> 'comment'), 0)), 0) from decision
          where account_id = ${accountId} and created_at > after and created_at <= until)
        + (select coalesce(sum(octet_length(task)), 0) from observation_text
          where account_id = ${accountId} and kept_at > after and kept_at <= until) as tasks,
        (select coalesce(sum(bytes), 0) from lane l, lateral (
            select coalesce(octet_length(step_name), 0) + coalesce(octet_length(rationale), 0)
              + coalesce(octet_length(directive_hint), 0) as bytes
            from step_reward s where s.account_id = l.account_id and s.lane = l.lane
              and s.occurred_at > after and s.occurred_at <= until
          ) as step where l.account_id = ${accountId})
        + (select coalesce(sum(bytes), 0) from lane l, lateral (
            select octet_length(content) + coalesce(octet_length(error_headline), 0)
              + coalesce(octet_length(array_to_string(error_tokens, ' ')), 0) as bytes
            from lesson t where t.account_id = l.account_id and t.lane = l.lane and t.lesson_type = 'failure'
              and t.occurred_at > after and t.occurred_at <= until
              and (error_headline <> '' or topic like 'step:%')
          ) as written where l.account_id = ${accountId}) as others
      from span where until > after
    ), extended as (
      update text_bucket b set until = c.until,
        task_bytes = b.task_bytes + c.tasks, other_bytes = b.other_bytes + c.others
      from counted c where b.account_id = ${accountId} and b.until = c.after and (c.tasks + c.others = 0
        or b.task_bytes + b.other_bytes between 1
          and ${Math.floor(quotaBytes * textSettings.bucketShare)}::float8 - c.tasks - c.others)
      returning true
    ), added as (
      insert into text_bucket (account_id, until, task_bytes, other_bytes)
      select ${accountId}, until, tasks, others from counted where not exists (select from extended)
    )
    select until = ${upTo}::timestamptz as "isLast" from counted`
  return counted?.isLast ?? true
})

/** Notes that a bucket's texts are gone: of tasks alone, or all of them. */
export const emptied = Effect.fnUntraced(function*(
  accountId: AccountId,
  { until }: TextBucket,
  what: "tasks" | "all"
): OnDatabase<void> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update text_bucket set task_bytes = 0
      ${what === "all" ? sql.literal(", other_bytes = 0") : sql.literal("")}
    where account_id = ${accountId} and until = ${until}::timestamptz`
  if (what === "tasks") return
  // One empty bucket marks as well as many. One that late rows came to meanwhile is not empty.
  yield* sql`delete from text_bucket where account_id = ${accountId} and until < ${until}::timestamptz
    and task_bytes + other_bytes = 0`
})
