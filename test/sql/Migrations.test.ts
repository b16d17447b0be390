import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerEmbedded, layerPostgres } from "../../src/sql/Database.ts"
import { freshDatabase, postgresServer, temporaryDirectory } from "../support/Databases.ts"

const migrations = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`select name from sextant_migration order by migration_id`
  return rows.map(({ name }) => name)
})

const keysWithoutAccount = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select index.indexrelid::regclass::text as name from pg_index index
    join pg_class relation on relation.oid = index.indrelid
    join pg_namespace namespace on namespace.oid = relation.relnamespace and namespace.nspname = 'public'
    join pg_attribute attribute on attribute.attrelid = relation.oid and attribute.attnum = index.indkey[0]
    where index.indisunique and attribute.attname <> 'account_id' and relation.relname <> 'sextant_migration'`
})

describe("the schema", () => {
  it.live("leads every unique key with the account, and a second start changes nothing", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const first = yield* migrations.pipe(Effect.provide(layerEmbedded(directory)))
      const [second, keys] = yield* Effect.all([migrations, keysWithoutAccount]).pipe(
        Effect.provide(layerEmbedded(directory))
      )
      assert.include(first, "foundation")
      assert.deepStrictEqual(second, first)
      assert.deepStrictEqual(keys, [])
    }), 60_000)

  it.live.skipIf(postgresServer === null)("is made once when four processes start together", () =>
    Effect.gen(function*() {
      if (postgresServer === null) return
      const { url } = yield* freshDatabase(postgresServer)
      const start = Effect.provide(migrations, Layer.fresh(layerPostgres(url)))
      const starts = yield* Effect.replicateEffect(start, 4, { concurrency: "unbounded" })
      for (const names of starts) {
        assert.include(names, "foundation")
        assert.deepStrictEqual(names, [...new Set(names)])
      }
    }), 60_000)
})
