import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { connect } from "node:net"
import { openEmbedded } from "../../../src/postgres/embedded/EmbeddedPostgres.ts"
import { dataDirectory } from "../../support/Databases.ts"

const commits = 25

/** How often this connection's server has synchronised the write-ahead log. */
const syncs = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly count: number }>`
    select coalesce(sum(fsyncs), 0)::int as count from pg_stat_get_backend_io(pg_backend_pid()) where object = 'wal'`
  return row?.count ?? 0
})

describe("the embedded PostgreSQL", () => {
  it.live("synchronises its log to the disk for every commit", () =>
    Effect.gen(function*() {
      const { socketPath } = yield* openEmbedded(yield* dataDirectory)
      const one = PgClient.layer({
        stream: () => connect(socketPath), username: "postgres", database: "postgres", maxConnections: 1
      })
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [settings] = yield* sql`select current_setting('fsync') as fsync,
          current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages,
          current_setting('wal_sync_method') as method, current_setting('data_checksums') as checksums,
          current_setting('listen_addresses') as tcp`
        assert.deepStrictEqual(settings,
          { fsync: "on", commit: "on", pages: "on", method: "fdatasync", checksums: "on", tcp: "" })
        yield* sql`create table written (n int)`
        const before = yield* syncs
        for (let n = 0; n < commits; n++) yield* sql`insert into written values (${n})`
        assert.isAtLeast((yield* syncs) - before, commits)
      }).pipe(Effect.provide(one))
    }), 120_000)
})
