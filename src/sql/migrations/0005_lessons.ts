/* Migration 5 adds the subject and support of lessons, and the queue of reflections. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/**
 * What a lesson is about and what speaks for it, and the reflections that are due. `reflection` is written
 * in the transaction that causes it and claimed by whichever process comes first. The service's own role may
 * look for due ones over all accounts, outside any account's transaction; the application role sees its
 * account's only.
 */
export const lessons = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table lesson
    add column topic text not null default 'outcome',
    add column user_id text,
    add column error_fingerprint text,
    add column error_type text,
    add column error_headline text,
    add column error_tokens text[],
    add column base_confidence float8 check (base_confidence between 0 and 1),
    add column is_superseded boolean not null default false,
    add column is_reflected boolean not null default false`
  yield* sql`update lesson set base_confidence = confidence`
  yield* sql`alter table lesson alter column base_confidence set not null`

  // Reflection reads the newest steps of a lane that may hold many.
  yield* sql`create index step_reward_newest on step_reward (account_id, lane, occurred_at desc)`

  yield* sql`create table reflection (
    account_id text not null check (account_id <> ''),
    lane text not null,
    crossing text not null,
    observation_id uuid not null,
    requested_at timestamptz not null default now(),
    reflected_at timestamptz,
    reflections int not null default 0 check (reflections >= 0),
    primary key (account_id, lane, crossing)
  )`
  yield* sql`create index reflection_due on reflection (requested_at) where reflected_at is null`
  yield* sql`create index reflection_observation on reflection (account_id, lane, observation_id)`
  yield* securedTable(sql, "reflection")
  yield* sql`create policy due_to_service on reflection for select to current_user using (true)`
})
