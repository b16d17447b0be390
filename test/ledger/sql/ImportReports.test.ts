import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { rowForms } from "../../../src/ledger/sql/ImportDecisions.ts"
import { withAccount, withAccountLog } from "../../../src/sql/AccountScope.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import { newAccount } from "../LedgerContract.ts"

const rowOf = (idempotency_key: string, revision: number) => ({
  idempotency_key, revision, recommendation_id: randomUUID(), fingerprint: "", reported_at: "2026-01-01T00:00:00Z", body: {},
  response: {}
})

onEachEngine((name, engine) => {
  layer(engine, slow)(`reports that are imported, ${name}`, (it) => {
    it.effect("keep their revisions, unless another report has them, and are there once", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const accountId = newAccount()
        const importing = (rows: ReadonlyArray<ReturnType<typeof rowOf>>) =>
          withAccountLog(accountId, 0)(() => rowForms.report.write(accountId, rows))
        assert.strictEqual(yield* importing([rowOf("one", 1)]), 1)
        const rows = [rowOf("taken", 1), rowOf("one", 4), rowOf("five", 5)]
        assert.strictEqual(yield* importing(rows), 2)
        assert.strictEqual(yield* importing(rows), 0)
        const found = yield* sql`select idempotency_key as key, revision::int from report
          where account_id = ${accountId} order by revision`.pipe(withAccount(accountId))
        assert.deepStrictEqual(found, [
          { key: "one", revision: 1 }, { key: "five", revision: 5 }, { key: "taken", revision: 6 }
        ])
        assert.strictEqual(yield* withAccountLog(accountId, 0)(Effect.succeed), 6)
      }))
  })
})
