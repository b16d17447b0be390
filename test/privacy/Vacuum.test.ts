import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import { layerEmbedded } from "../../src/postgres/embedded/EmbeddedDatabase.ts"
import { dropOldLog } from "../../src/privacy/Vacuum.ts"
import { dataDirectory } from "../support/Databases.ts"
import { filesWith } from "../support/FilesWith.ts"

it.live("the log keeps no old byte, not even in the segments that the server had kept for reuse", () =>
  Effect.gen(function*() {
    const directory = yield* dataDirectory
    yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (let segment = 0; segment < 5; segment++) {
        yield* sql`create table erased as select 'Zebracanary' || number as text from generate_series(1, 10000) number`
        yield* sql`drop table erased`
        yield* sql`select pg_switch_wal()::text`
        if (segment % 2 === 1) yield* sql`checkpoint`
      }
      const log = join(directory, "postgresql", "pg_wal")
      const [current] = yield* sql<{ readonly name: string }>`select pg_walfile_name(pg_current_wal_lsn()) as name`
      assert.isTrue(filesWith(log, "Zebracanary").some((name) => name > (current?.name ?? "")))
      yield* dropOldLog
      assert.deepStrictEqual(filesWith(log, "Zebracanary"), [])
    }).pipe(Effect.provide(layerEmbedded(directory)))
  }))
