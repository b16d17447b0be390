import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { FeedbackResponse } from "../../../src/domain/Feedback.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import * as LaneCalibrationSql from "../../../src/ledger/sql/LaneCalibrationSql.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import * as WriteCounts from "../../../src/reports/WriteCounts.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { layerPostgres } from "../../../src/sql/Database.ts"
import { engine, learn, recommend } from "../../engine/conductors.ts"
import { accountOf } from "../../support/builders.ts"
import { onEachEngine, postgresServer, slow } from "../../support/Databases.ts"
import { memoryOver } from "../../support/fakes.ts"
import { proxiedDatabase } from "../../support/WireProxy.ts"

type Database = Layer.Layer<SqlClient.SqlClient, unknown>
type Plan = NonNullable<(typeof Memory)["Service"]["plan"]>

/** Both conductors over that database; `planBy` may change what the memory plans. */
const over = (database: Database, planBy: (plan: Plan) => Plan = (plan) => plan) => {
  const memory = MemorySql.layer({ endpoint: "postgresql" }).pipe(Layer.provide(EmbedderLexical.layer))
  const changed = memoryOver(memory, ({ plan }) => plan === undefined ? {} : { plan: planBy(plan) })
  const provided = <A, E>(self: Layer.Layer<A, E, SqlClient.SqlClient>) => Layer.orDie(Layer.provide(self, database))
  return Layer.fresh(engine({
    memory: provided(changed),
    // As the service composes it: what wraps the ledger passes plans on.
    ledger: provided(WriteCounts.layer.pipe(Layer.provide(LedgerSql.layer))),
    lanes: provided(LaneCalibrationSql.layer)
  }))
}

/** A memory that plans nothing: each feedback takes a transaction of its own. */
const unplanned: (plan: Plan) => Plan = () => () => Effect.succeed(null)

const newName = () => `acme-${randomUUID()}`

const reports = [
  { outcome: "success", inputTokens: 10, outputTokens: 20, actualCostUsd: 0.001, latencyMs: 9 },
  { outcome: "failure", notes: "TypeError: x is not a function" },
  { outcome: "success", evidenceSource: "judge", qualityScore: 0.7 },
  { outcome: "partial", evidenceSource: "human" },
  { outcome: "failure", errorCause: "infra" },
  { outcome: "success", evidenceSource: "none", outputTokens: 40, latencyMs: 3 },
  { outcome: "success", chosenModelId: "dear", actualCostUsd: 0.2 },
  { outcome: "success", evidenceSource: "judge", stepOutcomes: [{ stepId: "s", outcome: "success" }] },
  { outcome: "failure", notes: "half \ud83e of an owl" }
] as const

/** Reports in turn, each on a decision of its own, until the lane recalls what it credits. */
const history = Effect.fnUntraced(function*(account: string) {
  const answers: Array<FeedbackResponse> = []
  for (let round = 0; round < 4; round++) {
    for (const report of reports) answers.push(yield* learn(yield* recommend({}, account), report, account))
  }
  return answers
})

/** What the account's tables hold, without ids and times. */
const stored = Effect.fnUntraced(function*(account: string) {
  const sql = yield* SqlClient.SqlClient
  const accountId = accountOf(account)
  return yield* Effect.all({
    lanes: sql`select lane, version::int, taught::int from lane`,
    numbers: sql`select lane, outcomes::int, round(similarity_low::numeric, 6) as low, round(similarity_high::numeric, 6) as high,
      round(local_share::numeric, 6) as share, round(cells_error::numeric, 6) as cells,
      round(mixed_error::numeric, 6) as mixed from lane_numbers`,
    records: sql`select cluster, model_id, outcomes::int, taught::int, successes::int, quality_sum, weight_sum,
      cost_usd_sum, cost_usd_count::int, latency_ms_sum, latency_ms_count::int, output_tokens_sum,
      last_cost_usd, last_quality, reinforcement from outcome_record order by 1, 2`,
    outcomes: sql`select teaches, task_type, cluster, tags, user_id, model_id, outcome, quality, provenance,
      provenance_weight, propensity, input_tokens, output_tokens, cost_usd, latency_ms, votes_up, votes_down,
      version <= (select max(l.version) from lane l) as is_known, is_cost_outlier, revision = verdict_revision as is_first
      from observation order by observation_id`,
    vectors: sql`select embedder, scale, vector from observation_vector order by observation_id`,
    votes: sql`select actor, votes from vote order by observation_id, actor`,
    credited: sql`select cardinality(voted_up) as up, cardinality(voted_down) as down from reinforcement order by reinforcement_id`,
    lessons: sql`select lesson_type, content, importance, topic, error_fingerprint from lesson where not is_reflected order by lesson_id`,
    reflections: sql`select split_part(crossing, ':', 1) as cause from reflection order by 1`,
    decisions: sql`select chosen_model_id, outcome, quality, provenance, error_cause, teaches, is_late,
      actual_cost_usd, input_tokens::int, jsonb_array_length(outcomes) as outcomes
      from decision order by recommendation_id`,
    // Of what was predicted with the lane's outcomes, which a recall that took too long did without.
    forecast: sql`select teaches from decision where teaches and mean_similarity is not null
      and forecasts @> jsonb_build_array(jsonb_build_array(chosen_model_id))`,
    claims: sql`select (report ->> 'recommendationId') is not null as is_reported, response ->> 'warnings' as warnings
      from feedback_key order by idempotency_key`
  }).pipe(withAccount(accountId))
})

const forgetful = (answer: FeedbackResponse) => ({
  ...answer,
  recordId: answer.recordId !== null,
  reinforcedEntryIds: answer.reinforcedEntryIds.length,
  updatedConfidence: answer.updatedConfidence?.toFixed(5)
})

describe("feedbacks that are settled by their plans", () => {
  onEachEngine((name, database) =>
    layer(Layer.fresh(database), slow)(name, (it) => {
      const sql: Effect.Effect<Database, never, SqlClient.SqlClient> = Effect.map(
        SqlClient.SqlClient, (client) => Layer.succeed(SqlClient.SqlClient, client)
      )

      it.effect("leave what a transaction of each leaves, and are answered the same", () =>
        Effect.gen(function*() {
          const own = yield* sql
          const [one, other] = [newName(), newName()]
          const planned = yield* history(one).pipe(Effect.provide(over(own)))
          const careful = yield* history(other).pipe(Effect.provide(over(own, unplanned)))
          assert.deepStrictEqual(planned.map(forgetful), careful.map(forgetful))
          assert.deepStrictEqual(yield* stored(one), yield* stored(other))
          assert.isAbove(Math.max(...planned.map(({ reinforcedEntryIds }) => reinforcedEntryIds.length)), 0)
        }))

      it.effect("look up votes, outcomes and decisions by their keys, however small the tables are", () =>
        Effect.gen(function*() {
          const account = newName()
          const accountId = accountOf(account)
          yield* history(account).pipe(Effect.provide(over(yield* sql)))
          const client = yield* SqlClient.SqlClient
          yield* client`analyze`
          const scans = Effect.gen(function*() {
            yield* client`select entered.* from (
                select json_agg(json_build_object('position', 0, 'lane', lane, 'actor', '',
                  'occurred_at', now(), 'quality', 1, 'votes_max', 5, 'entry_ids', json_build_array(observation_id),
                  'agreement_width', 0.5, 'at', now(), 'half_life_days', 30, 'prior_ups', 1, 'prior_weight', 2,
                  'lesson_id', 'l', 'outcome_id', observation_id, 'revision', -1)) as rows
                from observation
              ) as given, lateral (
                select cast_votes(${accountId}, given.rows) as voted, keep_lessons(${accountId}, given.rows)::text as kept
              ) as entered`
            yield* client`select d.recommendation_id from find_answers(${accountId}, '{k}'::text[]) as answers
              left join find_decisions(${accountId}, array[now()], array[gen_random_uuid()]) as d on true`
            // The query above reads the outcomes that it votes on in one scan.
            return yield* client<{ readonly name: string; readonly scans: number }>`
              select relname::text as name, seq_scan::int as scans from pg_stat_xact_user_tables
              where seq_scan > 0 order by relname`
          }).pipe(withAccount(accountId))
          assert.deepStrictEqual(yield* scans, [{ name: "observation", scans: 1 }])
        }))

      it.effect("are repeated with the same answer, and tell another body under their key", () =>
        Effect.gen(function*() {
          const account = newName()
          yield* Effect.gen(function*() {
            yield* learn(yield* recommend({}, account), {}, account)
            const asked = yield* recommend({}, account)
            const first = yield* learn(asked, { idempotencyKey: "k" }, account)
            assert.deepStrictEqual(yield* learn(asked, { idempotencyKey: "k" }, account), first)
            const reused = yield* learn(yield* recommend({}, account), { idempotencyKey: "k" }, account)
            assert.deepStrictEqual(reused, { ...first, warnings: ["idempotency_key_reused"] })
          }).pipe(Effect.provide(over(yield* sql)))
        }))

      it.effect("count once under one key, on however many processes it comes at once", () =>
        Effect.gen(function*() {
          const account = newName()
          const own = yield* sql
          const asked = yield* recommend({}, account).pipe(Effect.provide(over(own)))
          const told = Effect.all(Array.from({ length: 16 }, () => learn(asked, { idempotencyKey: "k" }, account)), {
            concurrency: "unbounded"
          })
          const answers = yield* Effect.all(
            [told.pipe(Effect.provide(over(own))), told.pipe(Effect.provide(over(own)))],
            { concurrency: "unbounded" }
          )
          assert.strictEqual(new Set(answers.flat().map((answer) => JSON.stringify(answer))).size, 1)
          const { outcomes, lanes } = yield* stored(account)
          assert.lengthOf(outcomes, 1)
          assert.strictEqual(lanes[0]?.["taught"], 1)
        }))

      it.effect("on one decision at once are taken in turn, and count as one outcome", () =>
        Effect.gen(function*() {
          const account = newName()
          yield* Effect.gen(function*() {
            const asked = yield* recommend({}, account)
            const answers = yield* Effect.all(Array.from({ length: 32 }, (_, index) =>
              learn(asked, { idempotencyKey: `k${index}`, outcome: index % 2 === 0 ? "success" : "failure" }, account)), {
              concurrency: "unbounded"
            })
            assert.isTrue(answers.every(({ accepted }) => accepted))
            assert.lengthOf(answers.filter(({ warnings }) => warnings.includes("outcome_replaced")), 31)
          }).pipe(Effect.provide(over(yield* sql)))
          const { claims, lanes, numbers, outcomes } = yield* stored(account)
          assert.deepStrictEqual([claims.length, outcomes.length, lanes[0]?.["taught"]], [32, 1, 1])
          assert.isAtMost(Number(numbers[0]?.["outcomes"] ?? 0), 1)
        }))

      it.effect("of one lane on two processes at once lose no count", () =>
        Effect.gen(function*() {
          const account = newName()
          const own = yield* sql
          const each = Effect.gen(function*() {
            const asked = yield* Effect.all(Array.from({ length: 60 }, () => recommend({}, account)), { concurrency: 8 })
            yield* Effect.all(asked.map((one) => learn(one, {}, account)), { concurrency: 16 })
          })
          yield* history(account).pipe(Effect.provide(over(own)))
          const before = yield* stored(account)
          yield* Effect.all([each.pipe(Effect.provide(over(own))), each.pipe(Effect.provide(over(own)))], {
            concurrency: "unbounded"
          })
          const { forecast, lanes, numbers, outcomes, records } = yield* stored(account)
          const taught = Number(before.lanes[0]?.["taught"]) + 120
          assert.deepStrictEqual([lanes[0]?.["taught"], outcomes.length], [taught, before.outcomes.length + 120])
          assert.strictEqual(records.reduce((sum, record) => sum + Number(record["taught"]), 0), taught)
          assert.strictEqual(numbers[0]?.["outcomes"], forecast.length)
        }))

      it.effect("fail apart: a row that the database refuses costs its group only the statement", () =>
        Effect.gen(function*() {
          const account = newName()
          let refused = 0
          const refusing = (plan: Plan): Plan => (prepared) =>
            Effect.map(plan(prepared), (planned) => {
              if (planned?.outcome["latency_ms"] !== 77) return planned
              refused++
              return { ...planned, outcome: { ...planned.outcome, quality: 2 } }
            })
          yield* Effect.gen(function*() {
            const asked = yield* Effect.all(Array.from({ length: 8 }, () => recommend({}, account)))
            const answers = yield* Effect.all(asked.map((one, index) => learn(one, { latencyMs: 70 + index }, account)), {
              concurrency: "unbounded"
            })
            assert.isTrue(answers.every(({ accepted, recordId }) => accepted && recordId !== null))
          }).pipe(Effect.provide(over(yield* sql, refusing)))
          assert.strictEqual(refused, 1)
          assert.lengthOf((yield* stored(account)).outcomes, 8)
        }))
    }))

  plain.live.skipIf(postgresServer === null)("cost two round trips alone, and a group shares them", () =>
    Effect.gen(function*() {
      const { roundTrips, url } = yield* proxiedDatabase(postgresServer ?? "")
      const account = newName()
      yield* Effect.gen(function*() {
        const asked = yield* Effect.all(Array.from({ length: 60 }, () => recommend({}, account)))
        yield* learn(asked[0]!, {}, account)
        roundTrips()
        for (const one of asked.slice(1, 21)) yield* learn(one, {}, account)
        assert.strictEqual(roundTrips(), 40)
        yield* Effect.all(asked.slice(21, 53).map((one) => learn(one, {}, account)), { concurrency: "unbounded" })
        assert.isAtMost(roundTrips(), 6)
      }).pipe(Effect.provide(over(layerPostgres(url))))
    }).pipe(Effect.scoped), 60_000)
})
