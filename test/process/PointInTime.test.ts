import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { onServer, temporaryDirectory } from "../support/Databases.ts"
import { findBinaries, freePort, scopedCluster } from "../support/PostgresCluster.ts"

const binaries = findBinaries()

/** The server's programs run as the server's user, which root is not. */
const asServer = (name: string, ...args: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const program = join(binaries ?? "", name)
    const [command = "", ...rest] = process.getuid?.() === 0
      ? ["runuser", "-u", "postgres", "--", program, ...args]
      : [program, ...args]
    return execFileSync(command, rest, { cwd: "/", stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" })
  })

const now = (url: string) =>
  Effect.map(onServer<{ readonly now: string }>(url, "select clock_timestamp()::text as now"), ([row]) => row?.now ?? "")

/** The commands of docs/backup.md. */
describe.skipIf(binaries === null)("an external PostgreSQL that archives its log", () => {
  it.live("is restored to a moment before a mistake", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryDirectory
      chmodSync(folder, 0o777)
      const [archive, base] = [join(folder, "archive"), join(folder, "base")]
      mkdirSync(archive)
      chmodSync(archive, 0o777)
      const cluster = yield* scopedCluster({
        settings: ["archive_mode=on", `archive_command='test ! -f ${archive}/%f && cp %p ${archive}/%f'`]
      })
      yield* onServer(cluster.url, "create table decision (n int)")
      yield* asServer("pg_basebackup", `--pgdata=${base}`, "--checkpoint=fast", "--manifest-checksums=SHA256",
        `--dbname=${cluster.url}`)
      assert.match(yield* asServer("pg_verifybackup", base), /successfully verified/)
      yield* onServer(cluster.url, "insert into decision values (1)")
      const moment = yield* now(cluster.url)
      yield* onServer(cluster.url, "delete from decision")
      const [segment] = yield* onServer<{ readonly name: string }>(
        cluster.url, "select pg_walfile_name(pg_switch_wal()) as name")
      const archived = join(archive, segment?.name ?? "")
      yield* Effect.repeat(Effect.sync(() => existsSync(archived)), {
        until: Boolean, schedule: Schedule.spaced("100 millis")
      }).pipe(Effect.timeout("60 seconds"))

      const port = yield* Effect.promise(freePort)
      appendFileSync(join(base, "postgresql.auto.conf"), [
        `restore_command = 'cp ${archive}/%f %p'`, `recovery_target_time = '${moment}'`,
        "recovery_target_action = 'promote'", ""
      ].join("\n"))
      writeFileSync(join(base, "recovery.signal"), "")
      chmodSync(join(base, "recovery.signal"), 0o666)
      yield* Effect.acquireRelease(
        asServer("pg_ctl", "-D", base, "-w", "-l", join(base, "log"), "-o",
          // The primary's is given on its command line: recovery wants no less.
          `-p ${port} -c max_connections=200 -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c archive_mode=off`, "start"),
        () => Effect.ignore(asServer("pg_ctl", "-D", base, "-w", "-m", "immediate", "stop"))
      )
      const rows = yield* Effect.flatMap(PgClient.PgClient, (sql) => sql`select n from decision`).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(`postgres://postgres@127.0.0.1:${port}/postgres`) })))
      assert.deepStrictEqual(rows, [{ n: 1 }])
    }), 180_000)
})
