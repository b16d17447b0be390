import { Effect, Schema, type Scope } from "effect"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/**
 * Another process has the data directory open. `pid` is its process id, or null when it could not be read.
 */
export class DataDirectoryLocked extends Schema.TaggedError<DataDirectoryLocked>()("DataDirectoryLocked", {
  path: Schema.String,
  pid: Schema.NullOr(Schema.Int)
}) {
  override get message() {
    const owner = this.pid === null ? "another process" : `process ${this.pid}`
    return `The data directory ${this.path} is in use by ${owner}. Stop it first, `
      + "point SEXTANT_DATA_DIR at another directory, or set DATABASE_URL to a PostgreSQL "
      + "server that many processes can share."
  }
}

/** The data directory cannot be made or written. */
export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()(
  "DataDirectoryUnusable",
  {
    path: Schema.String,
    cause: Schema.Defect()
  }
) {
  override get message() {
    return `The data directory ${this.path} cannot be used: it must exist or be creatable, and be writable`
  }
}

const readOwner = (path: string): number | null => {
  try {
    const pid = Number(readFileSync(path, "utf8"))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null // The owner has not written it yet; the refusal stands without it.
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === sqliteBusy

const sqliteBusy = 5

const acquire = (directory: string) => {
  mkdirSync(directory, { recursive: true })
  const file = new DatabaseSync(join(directory, "lock"))
  try {
    file.exec("begin exclusive")
    writeFileSync(join(directory, "lock.pid"), String(process.pid))
    return file
  } catch (error) {
    file.close()
    throw error
  }
}

/**
 * Holds the data directory for this process until the scope closes.
 *
 * The lock is the operating system's own, on the file `lock`, taken through SQLite because Node has no call
 * for it. The kernel drops it when its process dies, however it dies, so there is no stale lock to judge: a
 * process id in a file cannot be judged from another container, and two processes that find it stale can both
 * take it. `lock.pid` only names the owner in the refusal.
 */
export const lockDataDirectory = (
  directory: string
): Effect.Effect<void, DataDirectoryLocked | DataDirectoryUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => acquire(directory),
      catch: (cause) =>
        isBusy(cause)
          ? new DataDirectoryLocked({ path: directory, pid: readOwner(join(directory, "lock.pid")) })
          : new DataDirectoryUnusable({ path: directory, cause })
    }),
    (file) =>
      Effect.sync(() => {
        rmSync(join(directory, "lock.pid"), { force: true })
        file.close()
      })
  ).pipe(Effect.asVoid)
