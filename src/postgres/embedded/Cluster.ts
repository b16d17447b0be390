/* The folder of a PostgreSQL cluster. The folder is checked, or made if it does not exist. */
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import {
  chownSync, lstatSync, mkdirSync, readdirSync, readFileSync,
  renameSync, rmSync, statSync, writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { syncPath } from "../../sql/SyncToDisk.ts"
import { attempt, codeOf, complaintIn, EmbeddedUnavailable, unavailable } from "./EmbeddedFailure.ts"
import { give, hasName, type Identity, identityOfNobody } from "./Identity.ts"
import { commandOf, explain, majorOf, type Programs } from "./Programs.ts"
import { isLinux } from "./ServerProcess.ts"

export interface ClusterPlace {
  readonly directory: string
  /** The folder of PostgreSQL in the data directory. */
  readonly cluster: string
  readonly programs: Programs
  readonly who: Identity | null
}

export const clusterIn = (directory: string): string => join(directory, "postgresql")

/** Returns a path of `folder` for a program that runs in it, on Linux even if a parent folder is closed. */
export const namedFrom = (folder: string): string => isLinux ? "/proc/self/cwd" : folder

/** Files and folders of a cluster, which counts as damaged if one of them is missing or empty. */
const parts = [
  "PG_VERSION", "postgresql.conf", "pg_hba.conf", "global/pg_control", "global/pg_filenode.map", "base",
  "global", "pg_wal", "pg_xact", "pg_multixact"
]

const isWhole = (path: string): boolean => {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return false
  return stat.isDirectory() ? readdirSync(path).length > 0 : stat.size > 0
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * Throws `EmbeddedUnavailable` for a cluster that is damaged, of another PostgreSQL or of another user. A new
 * cluster in place of a damaged one would hide recoverable data.
 */
export const inspect = ({ cluster, programs, who }: ClusterPlace): "absent" | "whole" => {
  if (!exists(cluster)) return "absent"
  const uid = process.getuid?.()
  const owner = statSync(cluster, { throwIfNoEntry: false })?.uid
  if (who === null && owner !== undefined && uid !== undefined && owner !== uid) {
    throw unavailable(`${cluster} belongs to user ${owner}, and this is user ${uid}: run it as the owner`)
  }
  const missing = parts.filter((part) => !isWhole(join(cluster, part)))
  if (missing.length > 0) {
    throw unavailable(`${cluster} is damaged (missing or empty: ${missing.join(", ")}). Nothing was changed. `
      + "Move the folder away; then restore a backup with `sextant restore`, or begin with an empty database")
  }
  const major = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim()
  if (major !== majorOf(programs)) {
    throw unavailable(`${cluster} is of PostgreSQL ${major}, and this Sextant runs PostgreSQL `
      + `${majorOf(programs)}. With the Sextant that made it, back up with \`sextant backup\`; here, in an `
      + "empty data directory, restore with `sextant restore`")
  }
  return "whole"
}

/** Gives the cluster to the user who runs PostgreSQL. Returns true if the cluster's owner changed. */
export const own = ({ cluster, who }: ClusterPlace): boolean => {
  if (who === null || lstatSync(join(cluster, "PG_VERSION")).uid === who.uid) return false
  give(cluster, who)
  return true
}

const killGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error
  }
}

const noName = (uid: number | undefined) =>
  `User ${uid} has no line in /etc/passwd, without which PostgreSQL cannot make a database: add one, run `
  + "Sextant as a user who has one, or set DATABASE_URL"

const initdb = (folder: string, programs: Programs, who: Identity | null) =>
  Effect.callback<void, EmbeddedUnavailable>((resume) => {
    const { file, options } = commandOf(programs, "initdb", who)
    const child = spawn(file, [
      "-D", namedFrom(folder), "-U", "postgres", "-A", "trust", "-E", "UTF8",
      // The builtin locale sorts the same on every machine.
      "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C",
      "--data-checksums", "--wal-segsize=4", "--no-instructions",
      // By default, initdb syncs a thousand files one by one, which is slower than `syncfs`.
      ...isLinux ? ["--sync-method=syncfs"] : []
    ], { ...options, cwd: folder, detached: true, stdio: ["ignore", "ignore", "pipe"] })
    let complaint = ""
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => complaint += chunk)
    child.once("error", (cause) =>
      resume(Effect.fail(new EmbeddedUnavailable({ problem: explain(programs), cause }))))
    child.once("close", (code, signal) => {
      if (code === 0) return resume(Effect.void)
      resume(/user does not exist/.test(complaint)
        ? unavailable(noName(who?.uid ?? process.getuid?.()))
        : unavailable(`PostgreSQL's initdb ended with ${code ?? signal}: ${complaintIn(complaint)}`))
    })
    return Effect.sync(() => killGroup(child))
  })

/** Makes a cluster under another name, and renames it at the end, so that no unfinished one looks damaged. */
export const initialise = (place: ClusterPlace) =>
  Effect.gen(function*() {
    const { cluster, programs, who } = place
    const unfinished = `${cluster}.unfinished`
    const problem = `${place.directory} cannot be written`
    // initdb requires a user with a name, so root runs it as `nobody` if the directory's owner has no name.
    const maker = who !== null && !hasName(who.uid) ? identityOfNobody() : who
    yield* attempt(problem, () => {
      rmSync(unfinished, { recursive: true, force: true })
      mkdirSync(unfinished, { mode: 0o700 })
      if (maker !== null) chownSync(unfinished, maker.uid, maker.gid)
    })
    // If initdb fails, its unfinished files are removed, because they could keep a full disk full.
    const remove = attempt(problem, () => rmSync(unfinished, { recursive: true, force: true }))
    yield* initdb(unfinished, programs, maker).pipe(Effect.onError(() => Effect.ignore(remove)))
    yield* attempt(problem, () => {
      const access = join(unfinished, "pg_hba.conf")
      // Connections are allowed only through the socket. The socket's folder is closed to other users.
      writeFileSync(access, "local all postgres trust\n")
      syncPath(access)
      if (maker !== who && who !== null) give(unfinished, who)
      syncPath(unfinished)
      renameSync(unfinished, cluster)
      syncPath(dirname(cluster))
    })
  })
