import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Array as Arr, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/Scope.ts"
import type { Decision } from "../../../src/domain/Decision.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { rowForms } from "../../../src/ledger/sql/ImportDecisions.ts"
import { appending } from "../../../src/ledger/sql/DecisionGroups.ts"
import { toRow } from "../../../src/ledger/sql/DecisionColumns.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { layerPostgres } from "../../../src/sql/Database.ts"
import { partitionedTables } from "../../../src/sql/LedgerTables.ts"
import { codeOf } from "../../../src/sql/Transient.ts"
import { freshDatabase, onEachEngine, onServer, postgresServer, slow } from "../../support/Databases.ts"
import { proxiedDatabase } from "../../support/WireProxy.ts"
import { decisionIn, decisionOf, newAccount } from "../LedgerContract.ts"

const append = (accountId: AccountId, decisions: ReadonlyArray<Decision>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => appending(sql, accountId, decisions.map(toRow)))

const insufficientPrivilege = "42501"

/** Takes the account's decisions out, and imports them as they were. */
const importedAgain = (accountId: AccountId) => Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly row: Record<string, unknown> }>`
    select to_jsonb(d) - 'account_id' as row from decision d where account_id = ${accountId}`
  for (const table of partitionedTables) yield* sql`delete from ${sql(table)} where account_id = ${accountId}`
  return yield* rowForms.decision.write(accountId, rows.map(({ row }) => rowForms.decision.file.rowOf(row)))
}).pipe(withAccount(accountId))

describe("decisions that are written", () => {
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(name, (it) => {
      it.effect("are those of the account that they are written for, whichever they name", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const [mine, other] = [newAccount(), newAccount()]
          const foreign = decisionOf(other)
          yield* append(mine, [foreign])
          assert.strictEqual((yield* decisionIn(ledger, mine, foreign.recommendationId))?.accountId, mine)
          assert.isNull(yield* decisionIn(ledger, other, foreign.recommendationId))
        }))

      it.effect("of runs keep their unit, in their figures too, also when they are imported", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sql = yield* SqlClient.SqlClient
          const mine = newAccount()
          const decision = { ...decisionOf(mine), taskType: "code", difficulty: "hard", cluster: "code:hard:run" } as const
          const figures = sql`select cluster from decision_figures where account_id = ${mine}`.pipe(withAccount(mine))
          yield* append(mine, [decision])
          assert.deepStrictEqual(yield* decisionIn(ledger, mine, decision.recommendationId), decision)
          assert.deepStrictEqual(yield* figures, [{ cluster: "code:hard:run" }])
          yield* importedAgain(mine)
          assert.deepStrictEqual(yield* figures, [{ cluster: "code:hard:run" }])
        }))

      it.effect("neither overwrite nor reveal another account's decision of the same id", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const [mine, other] = [newAccount(), newAccount()]
          const theirs = decisionOf(other)
          yield* append(other, [theirs])
          yield* append(mine, [{ ...theirs, accountId: mine, predictedSuccess: 0.1 }])
          assert.deepStrictEqual(yield* decisionIn(ledger, other, theirs.recommendationId), theirs)
        }))

      it.effect("leave neither role nor account on the connection, whether they are accepted or refused", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const sql = yield* SqlClient.SqlClient
          const connection = yield* sql.reserve
          const asked = (decision: Decision) =>
            Effect.exit(connection.execute(...appending(sql, accountId, [toRow(decision)]).compile(), undefined))
          const state = connection.execute(
            "select current_user::text as role, nullif(current_setting('app.account', true), '') as account",
            [], undefined
          )
          const before = yield* state
          assert.isTrue(Exit.isSuccess(yield* asked(decisionOf(accountId))))
          assert.deepStrictEqual(yield* state, before)
          assert.isTrue(Exit.isFailure(yield* asked(decisionOf(accountId, { propensity: 0 }))))
          assert.deepStrictEqual(yield* state, before)
        }).pipe(Effect.scoped))

      it.effect("join their own account's transaction, and no other's", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const [mine, other] = [newAccount(), newAccount()]
          const [decision, foreign] = [decisionOf(mine), decisionOf(other)]
          yield* Effect.flip(withAccount(mine)(Effect.andThen(append(mine, [decision]), Effect.fail("rolled back"))))
          assert.isNull(yield* decisionIn(ledger, mine, decision.recommendationId))
          const refused = yield* Effect.flip(withAccount(mine)(append(other, [foreign])))
          assert.strictEqual(codeOf(refused), insufficientPrivilege)
          assert.isNull(yield* decisionIn(ledger, other, foreign.recommendationId))
        }))

      it.effect("without an account are refused", () =>
        Effect.gen(function*() {
          for (const account of [null, ""]) {
            // Neither is an account's name.
            const refused = yield* Effect.flip(append(account as unknown as AccountId, [decisionOf(newAccount())]))
            assert.strictEqual(codeOf(refused), insufficientPrivilege)
          }
        }))

      it.effect("keep a lone surrogate as U+FFFD, and are refused with NaN, also in a nullable column", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const accountId = newAccount()
          const decision = decisionOf(accountId, { taskExcerpt: "half \ud83e an owl, and \\ud83e", tags: ["\udd89"] })
          yield* ledger.record([decision])
          const found = yield* decisionIn(ledger, accountId, decision.recommendationId)
          assert.strictEqual(found?.taskExcerpt, "half \ufffd an owl, and \\ud83e")
          assert.deepStrictEqual(found?.tags, ["\ufffd"])
          for (const over of [{ reasonerCostUsd: NaN }, { reasonerCostUsd: Infinity }, { costPremiumUsd: NaN }]) {
            const failure = yield* Effect.flip(ledger.record([decisionOf(accountId, over)]))
            assert.strictEqual(failure.reason._tag, "Rejected")
          }
        }))

      it.effect("have the same figures when they are given twice, and when they are imported", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const decisions = [
            decisionOf(accountId),
            decisionOf(accountId, { candidates: [], baselineModelId: null, costDeclaredUsd: null }),
            decisionOf(accountId, {
              isShadow: true, selectionPolicy: "argmin", reasonerCostUsd: null, recommendedModelId: "maker/\ud83e\udd89",
              candidates: ["other", "maker/\ud83e\udd89", "ümlaut"].map((modelId, i) =>
                ({ modelId, predictedSuccess: 0.1 + 0.2 * i, estCostUsd: 1e-7 / 3 * i, isEligible: i === 1 }))
            })
          ]
          const figures = sql<{ readonly row: string }>`select row_to_json(f)::text as row from decision_figures f
            order by recommendation_id`
          yield* Effect.gen(function*() {
            yield* append(accountId, [...decisions, decisions[0]!])
            const written = yield* figures
            assert.lengthOf(written, decisions.length)
            yield* importedAgain(accountId)
            assert.deepStrictEqual(yield* figures, written)
          }).pipe(withAccount(accountId))
        }))

      it.effect("do not wait for a group of their account that a lock holds up", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const late = decisionOf(accountId, { createdAt: new Date(Date.now() - 3_600_000) })
          const holding = sql`select pg_advisory_xact_lock(hashtextextended(${`sextant.texts:${accountId}`}, 0))`.pipe(
            Effect.andThen(Effect.forkChild(Effect.exit(ledger.record([late])))),
            Effect.tap(() => Effect.sleep("50 millis")),
            Effect.tap(() => ledger.record([decisionOf(accountId, { createdAt: new Date() })])),
            sql.withTransaction
          )
          yield* Effect.timeout(holding, "1500 millis")
        }))
    }))

  it.live.skipIf(postgresServer === null)("cost one round trip a group: alone, with others, as a workflow", () =>
    Effect.gen(function*() {
      const { roundTrips, url } = yield* proxiedDatabase(postgresServer ?? "")
      yield* Effect.gen(function*() {
        const { record } = yield* Ledger
        const accountId = newAccount()
        const fresh = (count: number) => Arr.makeBy(count, () => decisionOf(accountId, { createdAt: new Date() }))
        roundTrips()
        yield* record([decisionOf(accountId)])
        assert.strictEqual(roundTrips(), 1)
        yield* Effect.forEach(fresh(32), (each) => record([each]), { concurrency: "unbounded", discard: true })
        assert.strictEqual(roundTrips(), 1)
        yield* record(fresh(50))
        assert.strictEqual(roundTrips(), 1)
      }).pipe(Effect.provide(LedgerSql.layer.pipe(Layer.provide(layerPostgres(url)))))
    }).pipe(Effect.scoped), 60_000)

  it.live.skipIf(postgresServer === null)("are refused from a login that is no member of the application role", () =>
    Effect.gen(function*() {
      const { name, url } = yield* freshDatabase(postgresServer ?? "")
      yield* Effect.scoped(Layer.build(layerPostgres(url)))
      const stranger = `stranger_${name}`
      yield* onServer(Redacted.value(url), `create role ${stranger} login`)
      yield* Effect.addFinalizer(() => Effect.ignore(onServer(postgresServer ?? "", `drop role ${stranger}`)))
      const login = new URL(Redacted.value(url))
      login.username = stranger
      const refused = yield* Effect.flip(append(newAccount(), [decisionOf(newAccount())])).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(login.href), maxConnections: 1 }))
      )
      assert.strictEqual("reason" in refused ? codeOf(refused) : "", insufficientPrivilege)
    }).pipe(Effect.scoped), 60_000)
})
