import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { FeedbackResponse } from "../../../src/domain/feedback/Feedback.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import * as LaneCalibrationSql from "../../../src/ledger/sql/LaneCalibrationSql.ts"
import { type AccountId, laneOf } from "../../../src/domain/Scope.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import type { ReportSubmission } from "../../../src/ledger/ReportSubmission.ts"
import { unpackFields } from "../../../src/ledger/sql/PackedFields.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import * as WriteCounts from "../../../src/reports/WriteCounts.ts"
import { withAccount, withAccountLog } from "../../../src/sql/AccountScope.ts"
import { databaseSettings } from "../../../src/sql/DatabaseSettings.ts"
import { reasonOf } from "../../../src/sql/SqlFailure.ts"
import { layerPostgres } from "../../../src/sql/Database.ts"
import { engine, learn, recommend } from "../../engine/pipelines.ts"
import { lessonIn } from "../../memory/fixtures.ts"
import { accountOf } from "../../support/builders.ts"
import { onOneEngine, postgresServer, slow } from "../../support/Databases.ts"
import { memoryOver } from "../../support/fakes.ts"
import { proxiedDatabase } from "../../support/WireProxy.ts"
import { answerOf, decisionOf, newAccount, planOf, reporting, reportOf, submissionOf, storingNothing } from "../LedgerContract.ts"

const lane = laneOf("tests")

type Database = Layer.Layer<SqlClient.SqlClient, unknown>
type Store = (typeof Memory)["Service"]["store"]

/** Both pipelines over that database; `storeBy` may change what the memory stores. */
const over = (database: Database, storeBy: (store: Store) => Store = (store) => store) => {
  const memory = MemorySql.layer({ endpoint: "postgresql" }).pipe(Layer.provide(EmbedderLexical.layer))
  const changed = memoryOver(memory, ({ store }) => ({ store: storeBy(store) }))
  const provided = <A, E>(self: Layer.Layer<A, E, SqlClient.SqlClient>) => Layer.orDie(Layer.provide(self, database))
  return Layer.fresh(engine({
    memory: provided(changed),
    // As the service composes it: what wraps the ledger passes plans on.
    ledger: provided(WriteCounts.layer.pipe(Layer.provide(LedgerSql.layer))),
    lanes: provided(LaneCalibrationSql.layer),
    // A recall that ran out of time on a busy machine would predict, and so credit, something else.
    settings: { recallBudgetMs: 10_000 }
  }))
}

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
    numbers: sql`select lane, outcomes::int, round(local_share::numeric, 6) as share from lane_numbers`,
    records: sql`select cluster, model_id, outcomes::int, last_cost_usd, last_input_tokens, last_output_tokens, last_quality,
      reinforcement from outcome_record order by 1, 2`,
    outcomes: sql`select teaches, task_type, cluster, tags, user_id, model_id, outcome, quality, provenance,
      provenance_weight, propensity, input_tokens, output_tokens, cost_usd, latency_ms, votes_up, votes_down,
      version <= (select max(l.version) from lane l) as is_known, is_cost_outlier, revision = verdict_revision as is_first
      from observation order by observation_id`,
    vectors: sql`select embedder, scale, vector from observation_vector order by observation_id`,
    votes: sql`select actor, votes from vote order by observation_id, actor`,
    credited: sql`select cardinality(voted_up) as up, cardinality(voted_down) as down from observation
      where voted_up is not null order by observation_id`,
    lessons: sql`select lesson_type, content, importance, topic, error_fingerprint from lesson where not is_reflected order by lesson_id`,
    reflections: sql`select split_part(crossing, ':', 1) as cause from reflection order by 1`,
    decisions: sql`select chosen_model_id, success, f.quality, provenance, teaches, is_late, is_trusted, is_broken,
      actual_cost_usd, computed_cost_usd, chosen_position, taught_prediction is null as is_untaught,
      outcomes #- '{0,label,feedbackAt}' #- '{0,revision}' #- '{0,verdictRevision}' as outcomes
      from decision_figures f join outcome using (account_id, created_at, recommendation_id) order by recommendation_id`,
    // Of what was predicted with the lane's outcomes, which a recall that took too long did without.
    forecast: Effect.map(
      sql<{ readonly body: Uint8Array; readonly model: string }>`select body, chosen_model_id as model
        from decision join decision_figures using (account_id, created_at, recommendation_id) where teaches`,
      (rows) => rows.filter(({ body, model }) => unpackFields(body)?.forecasts.some(({ modelId }) => modelId === model)).map(({ model }) => model)
    ),
    keys: sql`select response ->> 'warnings' as warnings from report order by idempotency_key`
  }).pipe(withAccount(accountId))
})

/** Applies these while others of the account wait for its log, so that they wait together. */
const inOneGroup = Effect.fnUntraced(function*(accountId: AccountId, all: ReadonlyArray<ReportSubmission>) {
  const ledger = yield* Ledger
  const applyReport = (submission: ReportSubmission) =>
    Effect.forkChild(Effect.exit(ledger.applyReport(submission)), { startImmediately: true })
  const [locked, release] = [yield* Deferred.make<void>(), yield* Latch.make()]
  for (const { decision } of all) yield* ledger.record([decisionOf(accountId, decision)])
  const holder = yield* Effect.forkChild(
    withAccountLog(accountId, 0)(() => Effect.andThen(Deferred.succeed(locked, undefined), release.await)),
    { startImmediately: true }
  )
  yield* Deferred.await(locked)
  // Of decisions that are not there: they wait for the log and leave no report.
  const gates = yield* Effect.forEach([1, 2], () => Effect.tap(applyReport(submissionOf(accountId)), () => Effect.sleep(50)))
  const fibers = yield* Effect.forEach(all, applyReport)
  return {
    fibers,
    end: Effect.gen(function*() {
      yield* release.open
      yield* Effect.forEach([holder, ...gates], (fiber) => Fiber.await<unknown, unknown>(fiber))
    })
  }
})

const applied = Effect.fnUntraced(function*(accountId: AccountId, all: ReadonlyArray<ReportSubmission>) {
  const { end, fibers } = yield* inOneGroup(accountId, all)
  yield* end
  return yield* Effect.forEach(fibers, Fiber.join)
})

const values = Effect.fnUntraced(function*(accountId: AccountId, all: ReadonlyArray<ReportSubmission>) {
  return yield* Effect.forEach(yield* applied(accountId, all), (exit) =>
    Effect.map(exit, (each) => each ?? assert.fail("its decision is recorded")))
})

const answering = (recordId: string): ReportSubmission["plan"] => ({ outcomes }) => planOf({ outcomes }, answerOf(recordId))

const keyed = (accountId: AccountId, idempotencyKey: string, over: Partial<ReportSubmission> = {}): ReportSubmission =>
  submissionOf(accountId, {
    key: { accountId, idempotencyKey, fingerprint: "f" }, plan: answering(idempotencyKey), ...over
  })

/** The account's keys by the transactions that applied them. */
const transactions = Effect.fnUntraced(function*(accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly keys: ReadonlyArray<string> }>`
    select array_agg(idempotency_key order by idempotency_key) as keys from report
    group by xmin::text order by 1`.pipe(withAccount(accountId))
  return rows.map(({ keys }) => keys)
})

describe("reports of one account that come while others of it are under way", () =>
  onOneEngine((name, engine) =>
    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(name, (it) => {
      it.effect("share a transaction, with no other account's", () =>
        Effect.gen(function*() {
          const [accountId, other] = [newAccount(), newAccount()]
          const [mine] = yield* Effect.all([
            values(accountId, ["a", "b", "c"].map((key) => keyed(accountId, key))),
            values(other, ["a", "b"].map((key) => keyed(other, key)))
          ], { concurrency: "unbounded" })
          assert.deepStrictEqual(mine.map(({ reception, response }) => [reception, response.recordId]), [
            ["first", "a"], ["first", "b"], ["first", "c"]
          ])
          assert.deepStrictEqual(yield* transactions(accountId), [["a", "b", "c"]])
          assert.deepStrictEqual(yield* transactions(other), [["a", "b"]])
        }))

      it.effect("are no more than so many; the others come in the next", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const keys = Array.from({ length: 2 * databaseSettings.appliedTogether + 3 }, (_, index) => `k${index}`)
          yield* values(accountId, keys.map((key) => keyed(accountId, key)))
          const sizes = (yield* transactions(accountId)).map((group) => group.length)
          assert.strictEqual(Math.max(...sizes), databaseSettings.appliedTogether)
          assert.strictEqual(sizes.reduce((sum, size) => sum + size), keys.length)
        }))

      it.effect("fail apart: a report that the database refuses fails alone, and leaves no trace", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const [a, bad, c] = yield* applied(accountId, ["a", "b\u0000d", "c"].map((key) => keyed(accountId, key)))
          assert.isTrue(Exit.isSuccess(a!) && a.value?.reception === "first")
          assert.isTrue(Exit.isSuccess(c!) && c.value?.reception === "first")
          assert.isTrue(Exit.isFailure(bad!))
          assert.deepStrictEqual(yield* transactions(accountId), [["a"], ["c"]])
        }))

      it.effect("count where the database refuses a write, which is left out and said", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const sql = yield* SqlClient.SqlClient
          const refused = Effect.mapError(sql`select 1 / 0`, (cause) => ({ reason: reasonOf(cause) }))
          const written: Array<number> = []
          const store: ReportSubmission["store"] = (...args) =>
            args[1].length === 0 ? storingNothing(...args) : Effect.andThen(refused, Effect.die("it is refused"))
          const [a, bad] = yield* values(accountId, [
            keyed(accountId, "a", { store }),
            keyed(accountId, "bad", {
              store,
              plan: (known) => ({
                ...answering("bad")(known),
                writes: [{ kind: "promote", body: lessonIn({ accountId, lane }) }],
                answer: (of) => {
                  written.push(of.filter((each) => each !== null).length)
                  return answerOf("bad")
                }
              })
            })
          ])
          assert.deepStrictEqual([a?.reception, bad?.reception, written], ["first", "first", [0]])
          assert.deepStrictEqual(yield* transactions(accountId), [["a"], ["bad"]])
        }))

      it.effect("wait for a held log as a group, and hold up no other account", () =>
        Effect.gen(function*() {
          const [accountId, other] = [newAccount(), newAccount()]
          const { end, fibers } = yield* inOneGroup(accountId, Array.from({ length: 8 }, (_, at) => keyed(accountId, `k${at}`)))
          const theirs = keyed(other, "theirs")
          const ledger = yield* Ledger
          yield* ledger.record([decisionOf(other, theirs.decision)])
          // Longer than a statement waits for a lock: the group has failed and begun again.
          yield* Effect.sleep(databaseSettings.lockMs + 200)
          assert.strictEqual((yield* ledger.applyReport(theirs))?.reception, "first")
          yield* end
          for (const exit of yield* Effect.forEach(fibers, Fiber.join)) {
            assert.isTrue(Exit.isSuccess(exit) && exit.value?.reception === "first")
          }
          assert.lengthOf(yield* transactions(accountId), 1)
        }))

      it.effect("count a key once: a repeat in the group is answered the same, another body is told so", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const decision = decisionOf(accountId)
          const told = (key: string, recordId: string, fingerprint = "f") => keyed(accountId, key, {
            key: { accountId, idempotencyKey: key, fingerprint }, decision, plan: answering(recordId)
          })
          const answers = yield* values(accountId, [
            told("a", "one"), told("a", "two"), told("a", "three", "g"), told("b", "b")
          ])
          assert.deepStrictEqual(answers.map(({ reception, response }) => [reception, response.recordId]), [
            ["first", "one"], ["same", "one"], ["other", "one"], ["first", "b"]
          ])
          assert.deepStrictEqual(yield* transactions(accountId), [["a", "b"]])
        }))

      it.effect("are planned in their order, also those of one decision", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const decision = decisionOf(accountId)
          const told = (key: string, quality: number) =>
            keyed(accountId, key, { decision, plan: reporting(reportOf({ quality })) })
          const all = yield* values(accountId, [told("a", 0.25), told("b", 0.75), told("c", 0.5)])
          const revisions = all.map((each) => each.reception === "first" ? each.revision : 0)
          assert.deepStrictEqual(revisions, revisions.toSorted((one, other) => one - other))
          const found = yield* (yield* Ledger).find(accountId, decision.recommendationId)
          assert.deepStrictEqual(
            found?.outcomes.map(({ label, revision }) => [label.quality, revision]), [[0.5, revisions[2]]]
          )
        }))

      it.effect("do without a caller who went away before they began", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const { end, fibers: [gone, ...staying] } = yield* inOneGroup(accountId,
            ["gone", "a", "b"].map((key) => keyed(accountId, key)))
          yield* Fiber.interrupt(gone!)
          yield* end
          for (const exit of yield* Effect.forEach(staying, Fiber.join)) assert.isTrue(Exit.isSuccess(exit))
          assert.deepStrictEqual(yield* transactions(accountId), [["a", "b"]])
        }))

      it.effect("are not undone by a caller who goes away while they are under way", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const ledger = yield* Ledger
          const [a, b] = [keyed(accountId, "a"), keyed(accountId, "b")]
          for (const { decision } of [a, b]) yield* ledger.record([decisionOf(accountId, decision)])
          const { end, fibers } = yield* inOneGroup(accountId, [])
          const gone = yield* Effect.forkChild(ledger.applyReport(a), { startImmediately: true })
          yield* Effect.sleep(100)
          yield* Fiber.interrupt(gone)
          yield* end
          assert.lengthOf(fibers, 0)
          // Its group may still be under way; a repeat waits for it.
          yield* ledger.applyReport(b)
          const again = yield* ledger.applyReport(a)
          assert.include(["same", "first"], again?.reception)
        }))

      it.effect("that meet a deadlock are applied again", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const sql = yield* SqlClient.SqlClient
          const ledger = yield* Ledger
          const decision = decisionOf(accountId)
          yield* ledger.record([decision])
          const first = keyed(accountId, "first")
          yield* ledger.record([decisionOf(accountId, first.decision)])
          yield* ledger.applyReport(first)
          const locked = yield* Deferred.make<void>()
          // Takes the decision and then the log, which reports take in the other order.
          const other = yield* Effect.forkChild(
            sql`select from decision_figures where account_id = ${accountId} for update`.pipe(
              Effect.andThen(Deferred.succeed(locked, undefined)),
              Effect.andThen(Effect.sleep(300)),
              Effect.andThen(sql`select from account_log where account_id = ${accountId} for update`),
              withAccount(accountId)
            ), { startImmediately: true }
          )
          yield* Deferred.await(locked)
          const applied = yield* ledger.applyReport(keyed(accountId, "a", { decision, plan: reporting(reportOf()) }))
          assert.strictEqual(applied?.reception, "first")
          yield* Fiber.await(other)
        }))
    })))

describe("feedbacks that are applied", () => {
  onOneEngine((name, database) =>
    layer(Layer.fresh(database), slow)(name, (it) => {
      const sql: Effect.Effect<Database, never, SqlClient.SqlClient> = Effect.map(
        SqlClient.SqlClient, (client) => Layer.succeed(SqlClient.SqlClient, client)
      )

      it.effect("usage and then its verdict leave what one report of both leaves", () =>
        Effect.gen(function*() {
          const own = yield* sql
          const [one, other] = [newName(), newName()]
          const usage = { inputTokens: 10, outputTokens: 20, actualCostUsd: 0.001, latencyMs: 9 } as const
          const verdict = { evidenceSource: "judge", qualityScore: 0.8 } as const
          yield* Effect.gen(function*() {
            for (let round = 0; round < 12; round++) {
              yield* learn(yield* recommend({}, one), { ...usage, ...verdict }, one)
              const asked = yield* recommend({}, other)
              const first = yield* learn(asked, { ...usage, evidenceSource: "none" }, other)
              const second = yield* learn(asked, { ...verdict, idempotencyKey: `verdict ${round}` }, other)
              assert.deepStrictEqual([first.warnings, second.warnings], [[], []])
              assert.strictEqual(second.recordId, first.recordId)
            }
          }).pipe(Effect.provide(over(own)))
          const { keys: _, lanes: [lane], ...left } = yield* stored(one)
          const { keys: __, lanes: [laneToo], ...leftToo } = yield* stored(other)
          assert.deepStrictEqual(leftToo, left)
          assert.strictEqual(laneToo?.["taught"], lane?.["taught"])
          assert.isAbove(left.votes.length, 0)
        }))

      it.effect("record the specification's quality, and compare predictions with the one that was taught", () =>
        Effect.gen(function*() {
          const account = newName()
          const said = [
            {}, { outcome: "failure" }, { outcome: "partial" }, { qualityScore: 0.9 }, { outcome: "failure", qualityScore: 0.2 }
          ] as const
          yield* Effect.gen(function*() {
            for (const report of said) yield* learn(yield* recommend({}, account), report, account)
          }).pipe(Effect.provide(over(yield* sql)))
          const client = yield* SqlClient.SqlClient
          const kept = client<{ readonly recorded: number; readonly taught: number }>`
            select (outcomes -> 0 -> 'label' ->> 'quality')::float8 as recorded, f.quality as taught
            from outcome join decision_figures f using (account_id, created_at, recommendation_id) order by recommendation_id`
          const pairs = (yield* kept.pipe(withAccount(accountOf(account)))).map(({ recorded, taught }) => `${recorded} ${taught}`)
          assert.sameMembers(pairs, ["0.9 1", "0.1 0", "0.5 0.5", "0.9 0.9", "0.2 0.2"])
        }))

      it.effect("look up votes, outcomes and decisions by their keys, however small the tables are", () =>
        Effect.gen(function*() {
          const account = newName()
          const accountId = accountOf(account)
          const own = yield* sql
          yield* history(account).pipe(Effect.provide(over(own)))
          const asked = yield* recommend({}, account).pipe(Effect.provide(over(own)))
          const client = yield* SqlClient.SqlClient
          yield* client`analyze`
          // Scans of this connection that the server has not yet counted, earlier transactions' too.
          const uncounted = client<{ readonly name: string; readonly scans: number }>`
            select relname::text as name, seq_scan::int as scans from pg_stat_xact_user_tables
            where seq_scan > 0 order by relname`
          const scans = Effect.gen(function*() {
            const before = new Map((yield* uncounted).map(({ name, scans }) => [name, scans]))
            yield* learn(asked, {}, account).pipe(Effect.provide(over(own)))
            yield* client`select d.recommendation_id
              from find_decisions(${accountId}, array[now()], array[gen_random_uuid()]) as d`
            return (yield* uncounted).map(({ name, scans }) => ({ name, scans: scans - (before.get(name) ?? 0) }))
              .filter(({ scans }) => scans > 0)
          }).pipe(withAccount(accountId))
          assert.deepStrictEqual(yield* scans, [])
        }))

      it.effect("fail apart: a row that the database refuses is in its own answer, and its report counts", () =>
        Effect.gen(function*() {
          const account = newName()
          let refused = 0
          const refusing = (store: Store): Store => (accountId, writes) =>
            store(accountId, writes.map((write) => {
              if (write.kind !== "teach" || write.body.latencyMs !== 77) return write
              refused++
              return { ...write, body: { ...write.body, quality: 2 } }
            }))
          yield* Effect.gen(function*() {
            const asked = yield* Effect.all(Array.from({ length: 8 }, () => recommend({}, account)))
            const answers = yield* Effect.all(asked.map((one, index) => learn(one, { latencyMs: 70 + index }, account)), {
              concurrency: "unbounded"
            })
            const lost = answers.filter(({ recordId }) => recordId === null)
            assert.isTrue(answers.every(({ accepted }) => accepted))
            assert.deepStrictEqual(lost.map(({ warnings }) => warnings), [["memory_write_failed", "lesson_promotion_failed"]])
          }).pipe(Effect.provide(over(yield* sql, refusing)))
          assert.isAbove(refused, 0)
          const { decisions, outcomes } = yield* stored(account)
          assert.deepStrictEqual([outcomes.length, decisions.length], [7, 8])
        }))
    }))

  plain.live.skipIf(postgresServer === null)("cost six round trips, the second report of a decision too, and a group shares them", () =>
    Effect.gen(function*() {
      const { roundTrips, url } = yield* proxiedDatabase(postgresServer ?? "")
      const account = newName()
      yield* Effect.gen(function*() {
        const asked = yield* Effect.all(Array.from({ length: 60 }, () => recommend({}, account)))
        yield* learn(asked[0]!, {}, account)
        roundTrips()
        for (const one of asked.slice(1, 21)) yield* learn(one, {}, account)
        assert.strictEqual(roundTrips(), 20 * 6)
        for (const one of asked.slice(1, 21)) {
          const { accepted } = yield* learn(one, { idempotencyKey: `v${one.recommendationId}`, evidenceSource: "human" }, account)
          assert.isTrue(accepted)
        }
        assert.strictEqual(roundTrips(), 20 * 6)
        for (const [index, one] of asked.slice(53, 58).entries()) {
          yield* Effect.all(["usage", "verdict"].map((key) => learn(one, { idempotencyKey: `${key} ${index}` }, account)), {
            concurrency: "unbounded"
          })
        }
        assert.isAtMost(roundTrips(), 5 * (1 + 2 * 5))
        yield* Effect.all(asked.slice(21, 53).map((one) => learn(one, {}, account)), { concurrency: "unbounded" })
        assert.isAtMost(roundTrips(), 2 + 2 * 5)
      }).pipe(Effect.provide(over(layerPostgres(url))))
    }).pipe(Effect.scoped), 60_000)
})
