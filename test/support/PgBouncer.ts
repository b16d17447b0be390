import { Effect, Redacted } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { temporaryDirectory } from "./Databases.ts"
import { freePort } from "./PostgresCluster.ts"

/** A PgBouncer in front of a test's database. */

const program = "/usr/sbin/pgbouncer"

/** True if PgBouncer is installed. */
export const hasPgBouncer = existsSync(program)

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(socket.destroy() !== null)).once("error", () => resolve(false))
  })

export interface PgBouncer {
  /** The database through the pooler. */
  readonly url: Redacted.Redacted<string>
  /** Makes every later transaction use a new connection to the server. */
  readonly renew: () => void
}

/** Pools the connections to a database, for a transaction each; `settings` are lines of its configuration. */
export const pgBouncer = (database: Redacted.Redacted<string>, settings: ReadonlyArray<string> = []) =>
  Effect.gen(function*() {
    const { hostname, pathname, port: serverPort, username } = new URL(Redacted.value(database))
    const port = yield* Effect.promise(freePort)
    const file = join(yield* temporaryDirectory, "pgbouncer.ini")
    writeFileSync(file, [
      "[databases]", `${pathname.slice(1)} = host=${hostname} port=${serverPort || 5432} user=${username}`,
      "[pgbouncer]", "listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir =", "auth_type = any", "admin_users = pgbouncer",
      "pool_mode = transaction", "default_pool_size = 4", "server_round_robin = 1", ...settings
    ].join("\n"))
    // PgBouncer refuses to run as root, and another user may not enter root's folder: it reads the file from its input.
    const asRoot = process.getuid?.() === 0
    const [command, args] = asRoot
      ? ["runuser", ["-u", "postgres", "--", program, "-q", "/dev/stdin"]] as const
      : [program, ["-q", "/dev/stdin"]] as const
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const child = spawn("sh", ["-c", `exec "$0" "$@" < '${file}'`, command, ...args], { stdio: "ignore", cwd: "/" })
        while (!await answers(port)) {
          if (child.exitCode !== null) throw new Error("PgBouncer has ended")
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
        return child
      }),
      (child) =>
        Effect.promise(async () => {
          if (child.exitCode !== null) return
          child.kill("SIGKILL")
          await once(child, "exit")
        })
    )
    const admin = ["-h", "127.0.0.1", "-p", String(port), "-U", "pgbouncer", "-d", "pgbouncer", "-qc", "reconnect"]
    const pooler: PgBouncer = {
      url: Redacted.make(`postgres://${username}@127.0.0.1:${port}${pathname}`),
      renew: () => void execFileSync("psql", admin, { stdio: "ignore" })
    }
    return pooler
  })
