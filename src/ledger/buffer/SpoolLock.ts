/* Whether a file's process still lives: the operating system's lock, which ends with its process. */
import { closeSync, existsSync, fchownSync, openSync, rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { ownerFor } from "./SpoolFolder.ts"

export interface SpoolLock {
  /** Lets it go, and removes its file. */
  readonly release: () => void
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === sqliteBusy

const sqliteBusy = 5

const inodeOf = (path: string): bigint | null =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null

/** Never opens one that is there: closing that would drop this process's own lock on it. */
const make = (path: string): void => {
  try {
    const file = openSync(path, "wx", 0o600)
    try {
      const owner = ownerFor(path)
      if (owner !== null) fchownSync(file, owner.uid, owner.gid)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

/**
 * Takes the lock of that path, or yields null while another process has it; throws when the folder cannot be
 * written or has no locks. Through SQLite, because Node has no call for it. A process id could not be judged
 * from another container that shares the volume.
 */
export const takeSpoolLock = (path: string): SpoolLock | null => {
  make(path)
  const before = inodeOf(path)
  const file = new DatabaseSync(path)
  try {
    file.exec("begin exclusive")
  } catch (error) {
    file.close()
    if (isBusy(error)) return null
    throw error
  }
  // Another process may have held it and removed the file in between: this lock would then guard nothing.
  if (before === null || inodeOf(path) !== before) {
    file.close()
    return null
  }
  return {
    release: () => {
      rmSync(path, { force: true })
      file.close()
    }
  }
}
