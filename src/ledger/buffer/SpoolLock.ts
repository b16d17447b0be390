/* A lock of the operating system that shows whether the process of a spool file still runs. */
import { closeSync, existsSync, fchownSync, openSync, rmSync, statSync } from "node:fs"
import { type FileLock, lockFile } from "../../sql/FileLock.ts"
import { ownerFor } from "./SpoolFolder.ts"

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
 * written or its file system has no locks. Releasing it removes its file.
 */
export const takeSpoolLock = (path: string): FileLock | null => {
  make(path)
  const before = inodeOf(path)
  const lock = lockFile(path, "exclusive")
  // Another process may have held the lock and removed its file in between. This lock would then protect
  // nothing.
  if (lock === null || before === null || inodeOf(path) !== before) {
    lock?.release()
    return null
  }
  return {
    // On a disk that has become read-only the file stays, without its lock.
    release: () => {
      try {
        rmSync(path, { force: true })
      } finally {
        lock.release()
      }
    }
  }
}
