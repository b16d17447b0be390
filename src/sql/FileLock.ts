/* A file lock of the operating system, which ends with the process that holds it, however that ends. */
import { DatabaseSync } from "node:sqlite"

export type LockMode = "exclusive" | "shared"

export interface FileLock {
  readonly release: () => void
}

const sqliteBusy = 5

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === sqliteBusy

/**
 * Takes a lock on an existing file; yields null when another holder has it. Never waits. Throws when the file
 * cannot be opened or its file system has no locks.
 *
 * It is taken through SQLite because Node has no call for it. The kernel releases it with its process, so
 * there is no stale lock to recognise; a process id in a file means nothing in another container. A trap:
 * when a process closes any other descriptor of the same file, the kernel releases its lock. No other code
 * may open it.
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
