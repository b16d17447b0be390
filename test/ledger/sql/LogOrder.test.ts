import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { Decision } from "../../../src/domain/Decision.ts"
import type { FeedbackResponse } from "../../../src/domain/feedback/Feedback.ts"
import { type AccountId, laneOf } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { observationIdOf } from "../../../src/engine/learn/FindDecision.ts"
import * as LaneCalibrationSql from "../../../src/ledger/sql/LaneCalibrationSql.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { engine, learn } from "../../engine/pipelines.ts"
import { layerPostgres } from "../../../src/sql/Database.ts"
import { migratedDatabase, postgresServer } from "../../support/Databases.ts"
import { generator } from "../../../src/stats/Generator.ts"
import { decisionOf, newAccount } from "../LedgerContract.ts"

const lane = laneOf("tests")
const models = ["cheap", "dear"] as const

/** A copy of the service: both pipelines over that database, with caches of their own. */
const copy = (database: Layer.Layer<SqlClient.SqlClient, unknown>) => {
  const provided = <A, E>(self: Layer.Layer<A, E, SqlClient.SqlClient>) => Layer.orDie(Layer.provide(self, database))
  return Layer.fresh(engine({
    memory: provided(MemorySql.layer({ endpoint: "postgresql" }).pipe(Layer.provide(EmbedderLexical.layer))),
    ledger: provided(LedgerSql.layer),
    lanes: provided(LaneCalibrationSql.layer)
  }))
}

/** Decisions of one lane, each of which recalled some that came before it. */
const decisionsOf = (accountId: AccountId, count: number, random: () => number): ReadonlyArray<Decision> => {
  const all: Array<Decision> = []
  for (let at = 0; at < count; at++) {
    const neighbours = all.slice(-6).filter(() => random() < 0.7).flatMap(({ recommendationId }) =>
      models.map((modelId) => ({
        entryId: observationIdOf(accountId, recommendationId, modelId), modelId, weight: 0.1 + random()
      })))
    all.push(decisionOf(accountId, {
      lane, neighbours, recommendedModelId: "cheap", userId: ["ann", "bob", null][at % 3]!, taskExcerpt: `Sum list ${at}`,
      candidates: models.map((modelId) => ({ modelId, predictedSuccess: 0.75, estCostUsd: 0.125, isEligible: true })),
      forecasts: models.map((modelId) => ({ modelId, base: 0.5, cells: 0.5, local: 0.625, mixed: 0.5 })),
      taskKey: at % 2 === 0 ? null : `chain:${at}`
    }))
  }
  return all
}

type Said = NonNullable<Parameters<typeof learn>[1]>

interface Told {
  readonly decision: Decision
  readonly said: Said & { readonly idempotencyKey: string }
}

const pick = <A>(random: () => number, all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)]!

/** Reports in any order: several of a decision, of different trust; one in eight is sent twice. */
const reportsOn = (decisions: ReadonlyArray<Decision>, count: number, random: () => number): ReadonlyArray<Told> =>
  Array.from({ length: count }, (_, at): Told => {
    const decision = pick(random, decisions)
    return {
      decision,
      said: {
        idempotencyKey: `key ${at}`,
        chosenModelId: pick(random, models),
        outcome: pick(random, ["success", "failure", "partial"] as const),
        evidenceSource: pick(random, ["gate", "judge", "human", "none", null] as const),
        taskId: pick(random, [null, null, "task one", "task two"]),
        notes: pick(random, [null, "TypeError: x is no function"]),
        actualCostUsd: pick(random, [null, 0.25, 0.5]),
        stepOutcomes: random() < 0.2 ? [{ stepId: "s", outcome: "success" as const }] : []
      }
    }
  }).flatMap((each) => random() < 0.125 ? [each, each] : [each])

/** What follows from an account's reports, without what numbers its transactions. */
const projections = Effect.fnUntraced(function*(accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  // Versions have gaps where a transaction was begun again, and revisions where a report changed no outcome.
  const ranked = (column: string) => sql.literal(`(select count(distinct o.${column}) from observation o where o.${column} <= t.${column})::int`)
  return yield* Effect.all({
    lanes: sql`select lane, taught::int from lane`,
    numbers: sql`select lane, outcomes::int, round(local_share::numeric, 9)::text as share from lane_numbers`,
    observations: sql`select to_jsonb(t) - '{version,revision,verdict_revision}'::text[] as row,
      ${ranked("revision")} as revision from observation t order by observation_id`,
    vectors: sql`select observation_id::text, embedder, encode(vector, 'hex') as vector from observation_vector order by 1, 2`,
    // Its last values go by when outcomes occurred, which is not the order of the log where a client repeats.
    records: sql`select cluster, model_id, outcomes::int, reinforcement from outcome_record order by 1, 2`,
    votes: sql`select observation_id::text, actor, votes from vote order by 1, 2`,
    // What reflections make of them depends on when they come.
    lessons: sql`select to_jsonb(t) - '{confidence,is_superseded}'::text[] as row from lesson t where not is_reflected
      order by lesson_id`,
    steps: sql`select to_jsonb(t) as row from step_reward t order by recommendation_id, model_id, step_id`,
    due: sql`select crossing from reflection order by 1`,
    outcomes: sql`select recommendation_id::text, reported_task_key, billed_usd, billed_estimate_usd, waiting_usd, left_out_usd,
      (select jsonb_agg(each - '{revision,verdictRevision}'::text[] order by each ->> 'modelId')
        from jsonb_array_elements(t.outcomes) as each) as outcomes from outcome t order by 1`,
    figures: sql`select to_jsonb(t) - '{candidates}'::text[] as row from decision_figures t order by recommendation_id`
  }).pipe(withAccount(accountId))
})

const logOf = Effect.fnUntraced(function*(accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly key: string; readonly warnings: ReadonlyArray<string> }>`
    select idempotency_key as key, response -> 'warnings' as warnings from report order by revision`.pipe(withAccount(accountId))
  return rows.map(({ key, warnings }) => ({ key: key.slice("caller:".length), warnings }))
})

const sent = ({ decision, said }: Told) => learn(decision, said, decision.accountId)

/** Ends some of the database's connections again and again, from when every copy has started. */
const killing = (isStarted: () => boolean) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    // Its own pool's connections too.
    const kill = Effect.ignore(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and random() < 0.3`)
    return Effect.repeat(Effect.suspend(() => isStarted() ? kill : Effect.void), Schedule.spaced("15 millis"))
  })

/** Two copies apply the reports at once; with `kills`, their connections are ended meanwhile. */
const atOnce = Effect.fnUntraced(function*(told: ReadonlyArray<Told>, url: Parameters<typeof layerPostgres>[0], kills: boolean) {
  const copies = [copy(layerPostgres(url)), copy(layerPostgres(url))]
  const started = new Set<number>()
  const work = Effect.forEach(copies, (own, at) =>
    Effect.forEach(told.filter((_, index) => index % 2 === at), (each) =>
      // As a client that repeats what it got no answer to.
      Effect.retry(sent(each), { times: 200, schedule: Schedule.spaced("5 millis") }).pipe(
        Effect.tap(() => Effect.sync(() => started.add(at)))
      ), { concurrency: 12 }).pipe(
      Effect.provide(own)), { concurrency: "unbounded" })
  const endless = Effect.andThen(killing(() => started.size === copies.length), Effect.never).pipe(Effect.provide(layerPostgres(url)))
  return (yield* kills ? Effect.raceFirst(work, endless) : work).flat()
})

/** Without moments: what ran at once and what ran in turn have different ones. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, each: unknown) =>
    /(_at|At|_at_ms|occurred_at)$/.test(name) ? null : each)) as unknown

describe.skipIf(postgresServer === null)("reports on two copies at once, in any groups", () => {
  for (const [kills, seed] of [[false, 1], [true, 3]] as const) {
    it.live(`equal one after another in order${kills ? ", also with killed connections" : ""}`, () =>
      Effect.gen(function*() {
        const [busy, calm] = [yield* migratedDatabase, yield* migratedDatabase]
        const random = generator(seed)
        const accountId = newAccount()
        const decisions = decisionsOf(accountId, 24, random)
        const told = reportsOn(decisions, 160, random)
        const recorded = Effect.flatMap(Ledger, (ledger) => Effect.forEach(decisions, (each) => ledger.record([each])))
        for (const { url } of [busy, calm]) yield* recorded.pipe(Effect.provide(LedgerSql.layer.pipe(Layer.provide(layerPostgres(url)))))
        const answers: ReadonlyArray<FeedbackResponse> = yield* atOnce(told, busy.url, kills)
        assert.isTrue(answers.every(({ accepted }) => accepted))
        const log = yield* Effect.provide(logOf(accountId), layerPostgres(busy.url))
        assert.lengthOf(log, new Set(told.map(({ said }) => said.idempotencyKey)).size)
        const bodies = new Map(told.map((each) => [each.said.idempotencyKey, each]))
        yield* Effect.forEach(log, ({ key }) => sent(bodies.get(key) ?? assert.fail(key))).pipe(
          Effect.provide(copy(layerPostgres(calm.url))))
        assert.deepStrictEqual(yield* Effect.provide(logOf(accountId), layerPostgres(calm.url)), log)
        assert.deepStrictEqual(
          withoutTimes(yield* Effect.provide(projections(accountId), layerPostgres(calm.url))),
          withoutTimes(yield* Effect.provide(projections(accountId), layerPostgres(busy.url)))
        )
        // A repeat of all changes nothing, and answers the same.
        const before = yield* Effect.provide(projections(accountId), layerPostgres(busy.url))
        yield* Effect.forEach(told, sent).pipe(Effect.provide(copy(layerPostgres(busy.url))))
        assert.deepStrictEqual(yield* Effect.provide(projections(accountId), layerPostgres(busy.url)), before)
        assert.deepStrictEqual(yield* Effect.provide(logOf(accountId), layerPostgres(busy.url)), log)
      }).pipe(Effect.scoped), 180_000)
  }
})
