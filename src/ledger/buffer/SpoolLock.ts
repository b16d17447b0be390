/* A lock of the operating system that shows whether the process of a spool file still runs. */
import { closeSync, existsSync, fchownSync, openSync, rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { ownerFor } from "./SpoolFolder.ts"

export interface SpoolLock {
  /** Releases the lock, and removes its file. */
  readonly release: () => void
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === sqliteBusy

const sqliteBusy = 5

const inodeOf = (path: string): bigint | null =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null

/**
 * Makes the file only if it is missing: opening and closing it would release this process's own lock on it.
 */
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
 * Takes the lock at a path; yields null while another process has it. Throws when the folder cannot be
 * written or its file system has no locks. It is taken through SQLite, because Node has no call for it. A
 * process id would mean nothing in another container that shares the volume.
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
  // Another process may have held the lock and removed its file in between: this lock would then protect
  // nothing.
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
