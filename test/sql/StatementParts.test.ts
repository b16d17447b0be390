import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inOneStatement, writeParts } from "../../src/sql/StatementParts.ts"
import { onEachEngine, slow } from "../support/Databases.ts"

describe("the parts of a statement", () =>
  onEachEngine((name, engine) =>
    layer(engine, slow)(name, (it) => {
      const withTable = <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, SqlClient.SqlClient>) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`create temporary table part_test (n int, made xid8 default pg_current_xact_id()) on commit drop`
          return yield* work(sql)
        }).pipe((self) => SqlClient.SqlClient.use((sql) => sql.withTransaction(self)))
      const insert = (sql: SqlClient.SqlClient, part: string, n: number) =>
        writeParts([sql`${sql.literal(part)} as (insert into part_test (n) values (${n}))`])
      const numbers = (sql: SqlClient.SqlClient) =>
        Effect.map(sql<{ readonly n: number }>`select n from part_test order by n`, (rows) => rows.map(({ n }) => n))

      it.effect("are written at once by themselves, and at the end of the work that gathers them", () =>
        withTable((sql) =>
          Effect.gen(function*() {
            yield* insert(sql, "one", 1)
            assert.deepStrictEqual(yield* numbers(sql), [1])
            const seen = yield* inOneStatement(Effect.gen(function*() {
              yield* insert(sql, "two", 2)
              yield* insert(sql, "three", 3)
              return yield* numbers(sql)
            }))
            assert.deepStrictEqual(seen, [1])
            assert.deepStrictEqual(yield* numbers(sql), [1, 2, 3])
          })))

      it.effect("are not written where the work fails, and none are no statement", () =>
        withTable((sql) =>
          Effect.gen(function*() {
            const failed = yield* Effect.exit(inOneStatement(Effect.andThen(insert(sql, "one", 1), Effect.fail("no"))))
            assert.isTrue(failed._tag === "Failure")
            yield* writeParts([])
            yield* inOneStatement(Effect.void)
            assert.deepStrictEqual(yield* numbers(sql), [])
          })))
    })))
