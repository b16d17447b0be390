import { assert, describe, layer } from "@effect/vitest"
import { Array as Arr, Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Decision } from "../../../../src/domain/Decision.ts"
import type { Outcome, Provenance } from "../../../../src/domain/feedback/Feedback.ts"
import { reported } from "../../../../src/domain/feedback/FeedbackPrecedence.ts"
import { type AccountId, laneOf } from "../../../../src/domain/Scope.ts"
import { taskTypes } from "../../../../src/domain/Task.ts"
import { GuaranteeEvidences, type GuaranteeQuery } from "../../../../src/ledger/GuaranteeEvidence.ts"
import { Ledger } from "../../../../src/ledger/Ledger.ts"
import * as GuaranteeEvidenceSql from "../../../../src/ledger/sql/guarantee/GuaranteeEvidenceSql.ts"
import { rowForms } from "../../../../src/ledger/sql/ImportDecisions.ts"
import * as LedgerSql from "../../../../src/ledger/sql/LedgerSql.ts"
import { withAccount, withAccountLog } from "../../../../src/sql/AccountScope.ts"
import { partitionedTables } from "../../../../src/sql/LedgerTables.ts"
import { newAccount } from "../../../accounts/KeysContract.ts"
import { decision } from "../../../support/builders.ts"
import { planOf, reportOf, submissionOf } from "../../LedgerContract.ts"
import { ahead, atTimes } from "../../../support/clocks.ts"
import { onOneEngine, slow } from "../../../support/Databases.ts"
import { evidenceAfter, trials } from "../../../support/guarantees.ts"
import { nextId } from "../../../support/ids.ts"
import { queryOf, read, rule } from "./reads.ts"

const variantsOf = (query: GuaranteeQuery, own = rule) =>
  Effect.map(read(query, own), ({ kinds }) => kinds["code"]?.candidates["cheap"]?.arms ?? null)

/** A trial that ran the candidate with a probability of 0.2. */
const record = Effect.fnUntraced(function*(accountId: AccountId, over: Partial<Decision> = {}) {
  const ledger = yield* Ledger
  const { createdAtMillis, recommendationId } = yield* nextId
  const made = decision({
    recommendationId, accountId, createdAt: new Date(createdAtMillis), recommendedModelId: "cheap",
    propensity: 0.2, guaranteeBaselineId: "dear", guaranteeCandidateId: "cheap", ...over
  })
  yield* ledger.record([made])
  return made
})

/** Tasks without a trial, which wait for no report. */
const recordTasks = Effect.fnUntraced(function*(accountId: AccountId, count: number, over: Partial<Decision> = {}) {
  const ledger = yield* Ledger
  const made = yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.map(nextId, ({ createdAtMillis, recommendationId }) => decision({
      recommendationId, accountId, createdAt: new Date(createdAtMillis), recommendedModelId: "dear", propensity: 1,
      guaranteeBaselineId: "dear", guaranteeCandidateId: null, ...over
    })))
  yield* Effect.forEach(Arr.chunksOf(made, 100), (part) => ledger.record(part), { discard: true })
})

interface Said {
  readonly modelId?: string
  readonly outcome?: Outcome
  readonly provenance?: Provenance
  readonly teaches?: boolean
}

/** Applies reports of a decision, in the place of all that it has. */
const report = Effect.fnUntraced(function*(decided: Decision, ...said: ReadonlyArray<Said>) {
  const ledger = yield* Ledger
  const outcomesAt = (revision: number) => said.flatMap(({ modelId = "cheap", outcome = "success", provenance = "gate", teaches = true }) =>
    reported([], reportOf({
      chosenModelId: modelId, feedbackAt: new Date(0), outcome, provenance, teaches, errorCause: null
    }), revision, 1).outcomes)
  yield* ledger.applyReport(submissionOf(decided.accountId, {
    decision: decided, plan: ({ revision }) => planOf({ outcomes: outcomesAt(revision) })
  }))
})

const [sixHoursAhead, sevenHoursAhead] = [ahead(() => 6 * 3_600_000), ahead(() => 7 * 3_600_000)]
const none = { trials: 0, reports: 0, successes: 0 }

describe("The evidence of a guarantee", () =>
  onOneEngine((name, engine) =>
    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(name, (it) => {
      it.effect("counts each trial once, by the model that ran, however often it is read", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* report(yield* record(mine), {})
          yield* report(yield* record(mine, { recommendedModelId: "dear", propensity: 0.8 }), {
            modelId: "dear", outcome: "failure"
          })
          const expected = {
            candidate: { trials: 1, reports: 1, successes: 1 }, baseline: { trials: 1, reports: 1, successes: 0 }
          }
          assert.deepStrictEqual(yield* variantsOf(queryOf(mine)), expected)
          assert.deepStrictEqual(yield* variantsOf(queryOf(mine)), expected)
          yield* report(yield* record(mine), { outcome: "partial" })
          assert.deepStrictEqual((yield* variantsOf(queryOf(mine)))?.candidate, { trials: 2, reports: 2, successes: 1.5 })
        }))

      it.effect("waits for the oldest report, whichever comes sooner, and counts without it after a day", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const first = yield* record(mine)
          const second = yield* record(mine)
          yield* report(second, {})
          assert.isNull(yield* variantsOf(queryOf(mine)))
          // What the infrastructure broke, or nobody verified, is no report.
          yield* report(first, { outcome: "failure", teaches: false })
          assert.isNull(yield* variantsOf(queryOf(mine)))
          const impatient = { ...rule, reportWaitMs: 0 }
          assert.deepStrictEqual((yield* variantsOf(queryOf(mine), impatient))?.candidate, {
            trials: 2, reports: 1, successes: 1
          })
        }))

      it.effect("waits with a judge's label for a better one, and not with a gate's", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const patient = { ...rule, labelWaitMs: 1e14 }
          yield* report(yield* record(mine), {})
          const judged = yield* record(mine)
          yield* report(judged, { provenance: "judge" })
          assert.strictEqual((yield* variantsOf(queryOf(mine), patient))?.candidate.trials, 1)
          yield* report(judged, { provenance: "human", outcome: "failure" })
          assert.deepStrictEqual((yield* variantsOf(queryOf(mine), patient))?.candidate, {
            trials: 2, reports: 2, successes: 1
          })
        }))

      it.effect("goes on after a clock that was hours ahead is put right, and counts its trials once", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const trials = Effect.map(variantsOf(queryOf(mine), { ...rule, writeWaitMs: 0 }), (arms) => arms?.candidate.trials)
          const tell = Effect.flatMap(record(mine), (made) => report(made, {}))
          yield* tell
          yield* sixHoursAhead(tell)
          assert.strictEqual(yield* sixHoursAhead(trials), 2)
          assert.strictEqual(yield* trials, 2)
          yield* tell
          assert.strictEqual(yield* trials, 3)
          assert.strictEqual(yield* trials, 3)
          yield* sevenHoursAhead(tell)
          assert.strictEqual(yield* sevenHoursAhead(trials), 4)
        }))

      it.effect("goes back to a clock that is put right only in its turn, since undoing locks the same rows", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const sql = yield* SqlClient.SqlClient
          const trials = Effect.map(variantsOf(queryOf(mine), { ...rule, writeWaitMs: 0 }), (arms) => arms?.candidate.trials)
          yield* sixHoursAhead(Effect.flatMap(record(mine), (made) => report(made, {})))
          assert.strictEqual(yield* sixHoursAhead(trials), 1)
          const holder = yield* Deferred.make<number>()
          const mayGoOn = yield* Deferred.make<void>()
          const holding = yield* Effect.forkChild(withAccountLog(mine, 0)(() =>
            Effect.gen(function*() {
              const [own] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
              yield* Deferred.succeed(holder, own?.pid ?? 0)
              yield* Deferred.await(mayGoOn)
              // The reader that waits holds none of the rows.
              return yield* sql`select from guarantee_evidence where account_id = ${mine} for update nowait`
            })))
          const pid = yield* Deferred.await(holder)
          const reading = yield* Effect.forkChild(trials)
          yield* Effect.repeat(
            sql<{ readonly waiting: number }>`select count(*)::int as waiting from pg_stat_activity
              where ${pid} = any(pg_blocking_pids(pid))`,
            { until: ([row]) => row?.waiting === 1 }
          )
          yield* Deferred.succeed(mayGoOn, undefined)
          assert.lengthOf(yield* Fiber.join(holding), 1)
          assert.strictEqual(yield* Fiber.join(reading), 1)
        }))

      it.effect("takes both models of a pair, and of a retry only the model that was drawn", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const both = [{ outcome: "failure" }, { modelId: "dear" }] as const
          yield* report(yield* record(mine), ...both)
          assert.deepStrictEqual(yield* variantsOf(queryOf(mine)), {
            candidate: { trials: 1, reports: 1, successes: 0 }, baseline: none
          })
          const pair = yield* record(mine, { recommendedModelId: "dear", propensity: 1 })
          yield* report(pair, { modelId: "dear" })
          assert.strictEqual((yield* variantsOf(queryOf(mine)))?.baseline.trials, 0)
          yield* report(pair, ...both)
          assert.deepStrictEqual(yield* variantsOf(queryOf(mine)), {
            candidate: { trials: 2, reports: 2, successes: 0 }, baseline: { trials: 1, reports: 1, successes: 1 }
          })
        }))

      it.effect("counts another model that the caller ran in its place as no report", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* report(yield* record(mine), { modelId: "dear" })
          assert.deepStrictEqual((yield* variantsOf(queryOf(mine), { ...rule, reportWaitMs: 0 }))?.candidate, {
            trials: 1, reports: 0, successes: 0
          })
        }))

      it.effect("starts from nothing where a model became another one, and takes no trial from before", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          for (let count = 0; count < 3; count++) yield* report(yield* record(mine), {})
          assert.strictEqual((yield* variantsOf(queryOf(mine)))?.candidate.trials, 3)
          const waiting = yield* record(mine)
          const nowMs = (yield* Clock.currentTimeMillis) + 1
          for (const changed of ["cheap", "dear"]) {
            const query = queryOf(mine, { restarts: new Map([[changed, nowMs]]) })
            assert.isNull(yield* variantsOf(query))
          }
          const query = queryOf(mine, { restarts: new Map([["cheap", nowMs], ["third", nowMs + 9]]) })
          assert.strictEqual((yield* variantsOf(queryOf(mine, { restarts: new Map([["third", nowMs]]) })))?.candidate.trials, 3)
          yield* Effect.repeat(Clock.currentTimeMillis, { until: (atMs) => atMs > nowMs })
          yield* report(yield* record(mine), { outcome: "failure" })
          // Nor does a trial from before hold up the others.
          assert.deepStrictEqual((yield* variantsOf(query))?.candidate, { trials: 1, reports: 1, successes: 0 })
          yield* report(waiting, {})
          assert.deepStrictEqual((yield* variantsOf(query))?.candidate, { trials: 1, reports: 1, successes: 0 })
          const { kinds, starts } = yield* read(query)
          assert.deepStrictEqual([kinds["code"]?.tasks, starts], [5, 2])
          // A process that does not know of it yet counts on.
          yield* report(yield* record(mine), {})
          assert.strictEqual((yield* variantsOf(queryOf(mine)))?.candidate.trials, 2)
          assert.strictEqual((yield* variantsOf(query))?.candidate.trials, 2)
        }))

      it.effect("passes over decisions of other lanes and guarantees, and such without one", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* record(mine, { lane: laneOf("other") })
          yield* record(mine, { guaranteeBaselineId: "middle" })
          yield* record(mine, { guaranteeBaselineId: null, guaranteeCandidateId: null })
          yield* record(mine, { recommendedModelId: "dear", guaranteeCandidateId: null, propensity: 1 })
          yield* report(yield* record(mine), {})
          const { kinds } = yield* read(queryOf(mine))
          assert.strictEqual(kinds["code"]?.tasks, 2)
          assert.strictEqual(kinds["code"]?.candidates["cheap"]?.arms.candidate.trials, 1)
        }))

      it.effect("outlives the decisions that retention drops, and is read in pages", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const sql = yield* SqlClient.SqlClient
          yield* recordTasks(mine, 520)
          const inNoTime = atTimes(() => 0n)
          assert.strictEqual((yield* inNoTime(read(queryOf(mine)))).kinds["code"]?.tasks, 520)
          yield* sql`delete from decision where account_id = ${mine}`.pipe(withAccount(mine))
          yield* record(mine, { recommendedModelId: "dear", guaranteeCandidateId: null, propensity: 1 })
          assert.strictEqual((yield* read(queryOf(mine))).kinds["code"]?.tasks, 521)
        }))

      it.effect("goes on by a page with each read of a slow store, and keeps what each came to", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* recordTasks(mine, 1_100)
          let nanos = 0n
          const slowly = atTimes(() => nanos += 1_000_000_000n)
          for (const tasks of [500, 1_000, 1_100]) {
            assert.strictEqual((yield* slowly(read(queryOf(mine)))).kinds["code"]?.tasks, tasks)
          }
        }))

      it.effect("passes over a thousand decisions of other lanes in one page", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* recordTasks(mine, 1_100, { lane: laneOf("other") })
          yield* recordTasks(mine, 1)
          yield* recordTasks(mine, 100, { guaranteeBaselineId: null })
          let nanos = 0n
          const slowly = atTimes(() => nanos += 1_000_000_000n)
          assert.strictEqual((yield* slowly(read(queryOf(mine)))).kinds["code"]?.tasks, 1)
          yield* recordTasks(mine, 1)
          assert.strictEqual((yield* slowly(read(queryOf(mine)))).kinds["code"]?.tasks, 2)
        }))

      it.effect("is read from decisions that were imported", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const sql = yield* SqlClient.SqlClient
          yield* report(yield* record(mine), {})
          yield* Effect.gen(function*() {
            const rowsOf = (table: string) =>
              Effect.map(sql<{ readonly row: Record<string, unknown> }>`
                select to_jsonb(t) - 'account_id' as row from ${sql(table)} t where account_id = ${mine}`,
                (rows) => rows.map(({ row }) => row))
            const [decisions, outcomes] = [yield* rowsOf("decision"), yield* rowsOf("outcome")]
            for (const table of partitionedTables) yield* sql`delete from ${sql(table)} where account_id = ${mine}`
            assert.deepStrictEqual(
              [yield* rowForms.decision.write(mine, decisions.map(rowForms.decision.file.rowOf)), yield* rowForms.outcome.write(mine, outcomes)], [1, 1]
            )
            assert.deepStrictEqual([yield* rowsOf("decision"), yield* rowsOf("outcome")], [decisions, outcomes])
          }).pipe(withAccount(mine))
          assert.strictEqual((yield* variantsOf(queryOf(mine)))?.candidate.reports, 1)
        }))

      it.effect("is seen by no other account, and holds at most 16 guarantees of one lane", () =>
        Effect.gen(function*() {
          const [mine, theirs] = [newAccount(), newAccount()]
          const sql = yield* SqlClient.SqlClient
          yield* report(yield* record(mine), {})
          yield* read(queryOf(mine, { lane: laneOf("other") }))
          for (let count = 0; count < 20; count++) {
            yield* read(queryOf(mine, { maxQualityLoss: (10 + count) / 1_000 }))
          }
          const count = (accountId: AccountId) =>
            sql<{ readonly n: number }>`select count(*)::int as n from guarantee_evidence`.pipe(
              withAccount(accountId), Effect.map(([row]) => row?.n)
            )
          assert.strictEqual(yield* count(mine), 17)
          assert.strictEqual(yield* count(theirs), 0)
          assert.deepStrictEqual(yield* read(queryOf(theirs)), { starts: 0, kinds: {} })
          const guarantees = yield* Effect.provide(GuaranteeEvidences, Layer.fresh(GuaranteeEvidenceSql.layer))
          assert.deepStrictEqual(yield* guarantees.list(theirs, null), [])
          assert.isNotEmpty(yield* guarantees.list(mine, laneOf(null)))
          assert.lengthOf(yield* guarantees.list(mine, laneOf("other")), 1)
          assert.deepStrictEqual(yield* guarantees.list(mine, laneOf("third")), [])
        }))

      it.effect("is listed of the guarantees that went on last, no more than 2 MB of it", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const sql = yield* SqlClient.SqlClient
          const { kinds: { code }, ...rest } = evidenceAfter(trials(2))
          const kinds = Object.fromEntries(taskTypes.map((kind) => [kind, {
            ...code, candidates: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`maker/${i}`, code?.candidates["cheap"]]))
          }]))
          const evidence = JSON.stringify({ ...rest, kinds })
          yield* sql`insert into guarantee_evidence (account_id, lane, baseline_model_id, max_quality_loss, confidence, folded_id, evidence, updated_at)
            select ${mine}, 'sextant:' || i, 'dear', 0.05, 0.95, gen_random_uuid(), ${evidence}::text::jsonb, now() - i * interval '1 minute'
            from generate_series(1, 60) as i`.pipe(withAccount(mine))
          const guarantees = yield* Effect.provide(GuaranteeEvidences, Layer.fresh(GuaranteeEvidenceSql.layer))
          const listed = yield* guarantees.list(mine, null)
          assert.isBelow(listed.length, 60)
          assert.isBelow((listed.length - 1) * evidence.length, 2_000_000)
          assert.isAbove(listed.length * evidence.length * 1.1, 2_000_000)
          assert.deepStrictEqual(listed.map(({ lane }) => lane), listed.map((_, i) => `sextant:${i + 1}`))
        }))

      it.effect("is unpacked for a list only of the guarantees that may be listed", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const sql = yield* SqlClient.SqlClient
          const guarantees = yield* Effect.provide(GuaranteeEvidences, Layer.fresh(GuaranteeEvidenceSql.layer))
          const blocks = yield* Effect.gen(function*() {
            // Evidence of the older half is so long that it is kept outside of its row.
            yield* sql`insert into guarantee_evidence (account_id, lane, baseline_model_id, max_quality_loss, confidence, folded_id, evidence, updated_at)
              select ${mine}, 'sextant:' || i, 'dear', 0.05, 0.95, gen_random_uuid(), jsonb_build_object('starts', 0, 'kinds', '{}'::jsonb)
                || case when i > 256 then jsonb_build_object('x', (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 200) as j where i > 0))
                  else '{}' end, now() - i * interval '1 minute'
              from generate_series(1, 300) as i`
            const unpacked = Effect.map(sql<{ readonly n: number }>`
              select pg_stat_get_xact_blocks_fetched(reltoastrelid)::int as n from pg_class
              where oid = 'guarantee_evidence'::regclass`, ([row]) => row?.n ?? NaN)
            const before = yield* unpacked
            assert.lengthOf(yield* guarantees.list(mine, null), 256)
            return [before, yield* unpacked] as const
          }).pipe(withAccount(mine))
          assert.isAbove(blocks[0], 0)
          assert.strictEqual(blocks[1], blocks[0])
        }))

      it.effect("is the same for processes that read side by side", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          for (let round = 1; round <= 3; round++) {
            for (let count = 0; count < 10; count++) yield* report(yield* record(mine), {})
            const both = yield* Effect.all([variantsOf(queryOf(mine)), variantsOf(queryOf(mine))], { concurrency: 2 })
            for (const arms of both) assert.strictEqual(arms?.candidate.trials, 10 * round)
          }
          assert.strictEqual((yield* variantsOf(queryOf(mine)))?.candidate.trials, 30)
        }))

      it.effect("fails as unavailable where the checkpoint has a shape that this version does not know", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const sql = yield* SqlClient.SqlClient
          yield* report(yield* record(mine), {})
          yield* read(queryOf(mine))
          yield* sql`update guarantee_evidence set evidence = '{"starts": "many"}'
            where account_id = ${mine}`.pipe(withAccount(mine))
          const { _tag } = yield* Effect.flip(read(queryOf(mine)))
          assert.strictEqual(_tag, "LedgerUnavailable")
        }))
    })))
