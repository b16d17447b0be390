/* Migration 2 creates the tables of memory, and the outbox of a remote one. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { securedTable } from "../RowSecurity.ts"

/** `between` refuses NaN and Infinity, which PostgreSQL orders above every number. */
const unit = "between 0 and 1"
const amount = "between 0 and 1e15"

const tables: ReadonlyArray<string> = [
  "lane", "observation", "observation_vector", "outcome_record", "lesson", "step_reward", "outbox"
]

/**
 * What an account's memory keeps. Every key starts with the account and the lane; versions count per lane and
 * are taken in the writing transaction, so that they commit in order.
 */
export const memoryTables: Effect.Effect<
  void,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const isUnit = sql.literal(unit)
  const isAmount = sql.literal(amount)

  yield* sql`create table lane (
    account_id text not null,
    lane text not null,
    version bigint not null default 0 check (version >= 0),
    taught bigint not null default 0 check (taught >= 0),
    created_at timestamptz not null default now(),
    primary key (account_id, lane)
  )`

  yield* sql`create table observation (
    account_id text not null,
    lane text not null,
    observation_id uuid not null,
    version bigint not null check (version > 0),
    teaches boolean not null,
    task_type text not null,
    difficulty text not null,
    cluster text not null,
    tags text[] not null,
    user_id text,
    model_id text not null,
    outcome text not null check (outcome in ('success', 'partial', 'failure')),
    quality float8 not null check (quality ${isUnit}),
    provenance text not null check (provenance in ('gate', 'judge', 'human', 'none', 'assertion')),
    provenance_weight float8 not null check (provenance_weight ${isUnit}),
    propensity float8 check (propensity ${isUnit}),
    input_tokens float8 check (input_tokens ${isAmount}),
    output_tokens float8 check (output_tokens ${isAmount}),
    cost_usd float8 check (cost_usd ${isAmount}),
    latency_ms float8 check (latency_ms ${isAmount}),
    votes_up int not null default 0 check (votes_up >= 0),
    votes_down int not null default 0 check (votes_down >= 0),
    occurred_at timestamptz not null,
    primary key (account_id, lane, observation_id)
  )`
  yield* sql`create index observation_version on observation (account_id, lane, version)`

  yield* sql`create table observation_vector (
    account_id text not null,
    lane text not null,
    observation_id uuid not null,
    embedder text not null,
    scale real not null check (scale ${isUnit}),
    vector bytea not null,
    primary key (account_id, lane, observation_id, embedder)
  )`
  // Vectors do not compress; reading them out of line and plain is quicker.
  yield* sql`alter table observation_vector alter column vector set storage external`

  yield* sql`create table outcome_record (
    account_id text not null,
    lane text not null,
    cluster text not null,
    model_id text not null,
    record_id uuid not null,
    outcomes bigint not null check (outcomes >= 0),
    taught bigint not null check (taught >= 0),
    successes bigint not null check (successes >= 0),
    quality_sum float8 not null check (quality_sum >= 0 and quality_sum < 'Infinity'),
    weight_sum float8 not null check (weight_sum >= 0 and weight_sum < 'Infinity'),
    cost_usd_sum float8 not null check (cost_usd_sum >= 0 and cost_usd_sum < 'Infinity'),
    cost_usd_count bigint not null,
    input_tokens_sum float8 not null check (input_tokens_sum >= 0 and input_tokens_sum < 'Infinity'),
    input_tokens_count bigint not null,
    output_tokens_sum float8 not null check (output_tokens_sum >= 0 and output_tokens_sum < 'Infinity'),
    output_tokens_count bigint not null,
    latency_ms_sum float8 not null check (latency_ms_sum >= 0 and latency_ms_sum < 'Infinity'),
    latency_ms_count bigint not null,
    last_cost_usd float8,
    last_input_tokens float8,
    last_output_tokens float8,
    last_quality float8,
    reinforcement int not null default 0,
    updated_at timestamptz not null,
    primary key (account_id, lane, cluster, model_id),
    unique (account_id, record_id)
  )`

  yield* sql`create table lesson (
    account_id text not null,
    lane text not null,
    lesson_id text not null,
    lesson_type text not null check (lesson_type in ('success', 'failure')),
    scope text not null check (scope in ('run', 'session', 'account')),
    content text not null,
    cluster text not null,
    model_id text not null,
    importance float8 not null check (importance ${isUnit}),
    confidence float8 not null check (confidence ${isUnit}),
    occurred_at timestamptz not null,
    primary key (account_id, lane, lesson_id)
  )`
  yield* sql`create index lesson_newest on lesson (account_id, lane, lesson_type, occurred_at desc)`

  yield* sql`create table step_reward (
    account_id text not null,
    lane text not null,
    recommendation_id text not null,
    step_id text not null,
    step_name text,
    cluster text not null,
    model_id text not null,
    outcome text not null check (outcome in ('success', 'partial', 'failure')),
    signal float8 not null check (signal between -1 and 1),
    rationale text,
    directive_hint text,
    occurred_at timestamptz not null,
    primary key (account_id, lane, recommendation_id, model_id, step_id)
  )`

  yield* sql`create table outbox (
    account_id text not null,
    outbox_id uuid not null,
    lane text not null,
    kind text not null,
    body jsonb not null,
    available_at timestamptz not null default now(),
    attempts int not null default 0 check (attempts >= 0),
    primary key (account_id, outbox_id)
  )`
  yield* sql`create index outbox_due on outbox (account_id, available_at)`

  yield* Effect.forEach(tables, (table) => securedTable(sql, table), { discard: true })
})
