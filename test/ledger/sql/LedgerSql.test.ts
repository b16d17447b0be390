import { assert, describe, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unmeasured } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { rowForms } from "../../../src/ledger/sql/ImportDecisions.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { outcomeRow, putOutcomes } from "../../../src/ledger/sql/OutcomeRow.ts"
import { withAccount, withAccountLog } from "../../../src/sql/AccountScope.ts"
import { writeParts } from "../../../src/sql/StatementParts.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import {
  answerOf, decisionIn, decisionOf, ledgerContract, newAccount, outcomesIn, planOf, reconciliationOf, reporting, reportOf,
  reportTo, submissionOf
} from "../LedgerContract.ts"
import { rowsOf } from "../../reports/reference/LedgerRows.ts"

describe("the ledger in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(name, (it) => {
      ledgerContract(it)

      it.effect("a stored answer that cannot be read fails its own repeat and no other of the same group", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const claim = (idempotencyKey: string) => ({ accountId, idempotencyKey, fingerprint: "f" })
          const { recommendationId } = decisionOf(accountId)
          yield* ledger.record([decisionOf(accountId, { recommendationId })])
          for (const key of ["bad", "good"]) {
            yield* ledger.applyReport(submissionOf(accountId, {
              key: claim(key), decision: decisionOf(accountId, { recommendationId }), plan: () => planOf({}, answerOf(key))
            }))
          }
          yield* sql`update report set response = response - 'accepted'
            where account_id = ${accountId} and idempotency_key = 'bad'`.pipe(withAccount(accountId))
          const [bad, good, fresh] = yield* Effect.forEach(["bad", "good", "new"], (key) =>
            Effect.exit(ledger.applyReport(submissionOf(accountId, {
              key: claim(key), decision: decisionOf(accountId, { recommendationId })
            }))), { concurrency: "unbounded" })
          assert.isTrue(bad !== undefined && Exit.isFailure(bad) && !Cause.hasDies(bad.cause))
          assert.deepStrictEqual(good, Exit.succeed({ response: answerOf("good"), reception: "same" }))
          assert.isTrue(fresh !== undefined && Exit.isSuccess(fresh) && fresh.value?.reception === "first")
        }))

      it.effect("outcomes of the first versions are imported with weights and measurements", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const accountId = newAccount()
          const decision = decisionOf(accountId)
          const { recommendationId } = decision
          yield* ledger.record([decision])
          const { feedbackAt, ...label } = reconciliationOf()
          const told = { actualCostUsd: 0.5, inputTokens: 7, outputTokens: null, latencyMs: null }
          const written = yield* withAccountLog(accountId, 0)(() => rowForms.outcome.write(accountId, [{
            recommendation_id: recommendationId,
            outcomes: [{
              modelId: "maker/small", revision: 1, verdictRevision: 1, billed: told, measured: told,
              label: {
                ...label, feedbackAt: feedbackAt.toISOString(), taughtQuality: label.quality, provenanceWeight: null
              }
            }]
          }]))
          assert.strictEqual(written, 1)
          const usage = reportOf({ ...unmeasured, provenance: "none", provenanceWeight: 0, teaches: false, outputTokens: 3 })
          const { after } = (yield* reportTo(ledger, accountId, recommendationId, usage)) ?? assert.fail("not found")
          const now = { ...unmeasured, actualCostUsd: 0.5, inputTokens: 7, outputTokens: 3 }
          assert.deepStrictEqual([after?.billed, after?.measured], [now, now])
          assert.deepInclude(after?.label, { provenance: "gate", provenanceWeight: 1, teaches: true })
        }))

      it.effect("stored outcomes that cannot be read fail their own reader and no other of the same turn", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const [damaged, whole] = [decisionOf(accountId), decisionOf(accountId)]
          yield* ledger.record([damaged, whole])
          yield* reportTo(ledger, accountId, damaged.recommendationId, reportOf())
          yield* sql`update outcome set outcomes = '[{"modelId":"m","revision":1}]'::jsonb
            where account_id = ${accountId} and recommendation_id = ${damaged.recommendationId}`.pipe(
            withAccount(accountId)
          )
          const [bad, good] = yield* Effect.forEach([damaged, whole], ({ recommendationId }) =>
            Effect.exit(outcomesIn(ledger, accountId, recommendationId)), { concurrency: "unbounded" })
          assert.isTrue(bad !== undefined && Exit.isFailure(bad) && !Cause.hasDies(bad.cause))
          assert.isTrue(good !== undefined && Exit.isSuccess(good))
          // A group of both applies the one that can be read.
          const [refused, applied] = yield* Effect.forEach([damaged, whole], (decision) =>
            Effect.exit(ledger.applyReport(submissionOf(accountId, { decision }))), { concurrency: "unbounded" })
          assert.isTrue(refused !== undefined && Exit.isFailure(refused) && !Cause.hasDies(refused.cause))
          assert.isTrue(applied !== undefined && Exit.isSuccess(applied) && applied.value?.reception === "first")
        }))

      it.effect("decisions of one account that come at once share a transaction; another's have their own", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sql = yield* SqlClient.SqlClient
          const [one, other] = [newAccount(), newAccount()]
          yield* Effect.forEach(
            [one, other, one, other, one],
            (accountId) => ledger.record([decisionOf(accountId)]),
            { concurrency: "unbounded" }
          )
          const transactions = yield* sql<{ readonly account_id: string; readonly decisions: number }>`
            select account_id, count(*)::int as decisions from decision
            where account_id in (${one}, ${other}) group by account_id, xmin order by decisions`
          assert.deepStrictEqual(transactions, [
            { account_id: other, decisions: 2 }, { account_id: one, decisions: 3 }
          ])
        }))

      it.effect("a refused decision fails no other that came with it", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const accountId = newAccount()
          const bad = decisionOf(accountId, { costPremiumUsd: Number.NaN })
          const good = [decisionOf(accountId), decisionOf(accountId)]
          const refused = yield* Effect.forEach(
            [good[0]!, bad, good[1]!],
            (decision) => Effect.isFailure(ledger.record([decision])),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(refused, [false, true, false])
          for (const decision of good) {
            assert.deepStrictEqual(yield* decisionIn(ledger, accountId, decision.recommendationId), decision)
          }
        }))

      it.effect("a row of a newer version's words, or of another shape, is skipped, and the others are read", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const [good, worded, shaped] = [decisionOf(accountId), decisionOf(accountId), decisionOf(accountId)]
          yield* ledger.record([good, worded, shaped])
          const newer = (id: string, change: (body: string) => string) =>
            Effect.flatMap(
              sql<{ readonly body: Uint8Array }>`select body from decision
                where account_id = ${accountId} and recommendation_id = ${id}::uuid`,
              ([row]) => sql`update decision set body = ${Buffer.from(change(Buffer.from(row!.body).toString("latin1")), "latin1")}
                where account_id = ${accountId} and recommendation_id = ${id}::uuid`
            ).pipe(withAccount(accountId))
          yield* newer(worded.recommendationId, (body) => body.replace('"code"', '"echo"'))
          yield* newer(shaped.recommendationId, (body) => body.replace('{"layout":1', '{"layout":9'))
          const rows = yield* rowsOf({ accountId, lane: null, since: new Date(0) })
          assert.deepStrictEqual(rows.map(({ decision }) => decision.recommendationId), [good.recommendationId])
          assert.isNull(yield* decisionIn(ledger, accountId, worded.recommendationId))
          assert.isNull(yield* decisionIn(ledger, accountId, shaped.recommendationId))
          assert.deepStrictEqual(yield* decisionIn(ledger, accountId, good.recommendationId), good)
        }))

      it.effect("a stored answer is repeated without a newer version's warning", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const decision = decisionOf(accountId)
          yield* ledger.record([decision])
          const submission = submissionOf(accountId, { decision })
          const { key } = submission
          const answer = (yield* ledger.applyReport(submission))?.response ?? assert.fail("its decision is recorded")
          yield* sql`update report set response = jsonb_set(response, '{warnings,0}', '"sun_spots"')
            where account_id = ${key.accountId}`.pipe(withAccount(key.accountId))
          assert.deepStrictEqual(yield* ledger.applyReport(submission), {
            reception: "same", response: { ...answer, warnings: answer.warnings.slice(1) }
          })
        }))

      it.effect("reports read the figures of their decisions alone, however many lie between them", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const all = Array.from({ length: 400 }, (_, at) =>
            decisionOf(accountId, { createdAt: new Date(Date.now() - 900_000 + at * 200) }))
          for (let at = 0; at < all.length; at += 50) yield* ledger.record([all[at]!, ...all.slice(at + 1, at + 50)])
          const reported = [0, 100, 200, 399].map((at) =>
            outcomeRow(all[at]!, [], reporting(reportOf())({ outcomes: [], taskKey: null, revision: 1 }).outcomes, null))
          const fetched = Effect.map(
            sql<{ readonly rows: number }>`select sum(idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
              where starts_with(relname, 'decision_figures')`,
            ([row]) => row?.rows ?? Infinity
          )
          const rows = yield* withAccountLog(accountId, 0)(() =>
            Effect.gen(function*() {
              const before = yield* fetched
              yield* writeParts(putOutcomes(sql, accountId, reported))
              return (yield* fetched) - before
            }))
          // One look-up of each, and one by which the insert finds it again.
          assert.isAtMost(rows, 2 * reported.length)
        }))

      it.effect("a decision is found in one partition", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const plan = yield* sql<{ readonly "QUERY PLAN": string }>`
            explain select * from decision where account_id = 'a'
              and created_at = ${sql.literal(`'${new Date().toISOString()}'::timestamptz`)}
              and recommendation_id = '01890000-0000-7000-8000-000000000000'`
          const text = plan.map((row) => row["QUERY PLAN"]).join("\n")
          assert.lengthOf(new Set(text.match(/decision_(\d{4}_\d{2}|default)(?=\s)/g)), 1, text)
        }))
    })))
