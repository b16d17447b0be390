/* A file lock of the operating system, which ends with its process, even if the process is killed. */
import { DatabaseSync } from "node:sqlite"

export type LockMode = "exclusive" | "shared"

export interface FileLock {
  readonly release: () => void
}

const sqliteBusy = 5

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === sqliteBusy

/**
 * Takes a lock without waiting; null if the lock is held in a mode that excludes this one. Throws if the
 * file cannot be opened, or if its file system has no locks. SQLite takes the lock, because Node has no call
 * for file locks. No other code of this process may open the file, because closing any descriptor of it
 * releases the lock.
 */
export const lockFile = (path: string, mode: LockMode): FileLock | null => {
  const file = new DatabaseSync(path)
  try {
    file.exec(mode === "exclusive" ? "begin exclusive" : "begin; select count(*) from sqlite_master")
    return { release: () => file.close() }
  } catch (error) {
    file.close()
    if (isBusy(error)) return null
    throw error
  }
}
