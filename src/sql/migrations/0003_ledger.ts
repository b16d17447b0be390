/* Migration 3 creates the ledger: decisions, and the claims of feedbacks. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ensureMonthlyPartitions } from "../retention/MonthlyPartitions.ts"
import { securedTable } from "../RowSecurity.ts"

/**
 * `decision` holds a recommendation and, in its nullable half, the feedback it received. `created_at` is the
 * time inside the UUIDv7 id, so a look-up by id reads one partition. The comparisons with 'Infinity' refuse
 * NaN too, which PostgreSQL orders above it. `candidates` and `neighbours` are arrays of tuples: short to
 * store and parse.
 */
export const ledgerTables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table decision (
      account_id text not null check (account_id <> ''),
      created_at timestamptz not null,
      recommendation_id uuid not null,
      workflow_id text,
      lane text not null,
      user_id text,
      task_excerpt text not null,
      task_type text not null,
      difficulty text not null,
      tags jsonb not null,
      recommended_model_id text not null,
      predicted_success float8 not null check (predicted_success >= 0 and predicted_success <= 1),
      threshold float8 not null check (threshold >= 0 and threshold <= 1),
      decision_basis text not null,
      selection_policy text not null,
      propensity float8 not null check (propensity > 0 and propensity <= 1),
      is_exploration boolean not null,
      is_escalated boolean not null,
      cost_recommended_usd float8 not null
        check (cost_recommended_usd >= 0 and cost_recommended_usd < 'Infinity'),
      cost_premium_usd float8 not null check (cost_premium_usd >= 0 and cost_premium_usd < 'Infinity'),
      baseline_model_id text,
      cost_declared_usd float8 check (cost_declared_usd >= 0 and cost_declared_usd < 'Infinity'),
      candidates jsonb not null,
      neighbours jsonb not null,
      warnings jsonb not null,
      catalog_version text not null,
      latency_ms float8 not null check (latency_ms >= 0 and latency_ms < 'Infinity'),
      feedback_at timestamptz,
      chosen_model_id text,
      outcome text,
      quality float8 check (quality >= 0 and quality <= 1),
      provenance text,
      error_cause text,
      teaches boolean,
      is_late boolean,
      actual_cost_usd float8 check (actual_cost_usd >= 0 and actual_cost_usd < 'Infinity'),
      input_tokens bigint check (input_tokens >= 0),
      output_tokens bigint check (output_tokens >= 0),
      actual_latency_ms float8 check (actual_latency_ms >= 0 and actual_latency_ms < 'Infinity'),
      primary key (account_id, created_at, recommendation_id),
      check (
        num_nulls(feedback_at, chosen_model_id, outcome, quality, provenance, teaches, is_late) in (0, 7)
      )
    ) partition by range (created_at)`
  yield* securedTable(sql, "decision")
  yield* ensureMonthlyPartitions("decision")
  yield* sql`
    create table feedback_key (
      account_id text not null check (account_id <> ''),
      idempotency_key text not null,
      fingerprint text not null,
      response jsonb,
      created_at timestamptz not null,
      primary key (account_id, idempotency_key)
    )`
  yield* securedTable(sql, "feedback_key")
})
