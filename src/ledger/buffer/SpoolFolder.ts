/* Where the spool files of a database are, whose they are, and which process holds them. */
import { createHash } from "node:crypto"
import {
  chmodSync, closeSync, existsSync, fchownSync, lchownSync, mkdirSync, openSync, rmSync, statSync
} from "node:fs"
import { dirname, join } from "node:path"
import { type FileLock, lockFile } from "../../sql/FileLock.ts"

/** The folder with the spools of all databases. */
const spoolRoot = (dataDirectory: string): string => join(dataDirectory, "spool")

/**
 * The folder of a database, which is identified by its address without credentials, or by `embedded`:
 * decisions of one must never be written into another.
 */
export const spoolFolder = (dataDirectory: string, database: string): string =>
  join(spoolRoot(dataDirectory), createHash("sha256").update(database).digest("hex").slice(0, 16))

/**
 * The owner of what root makes at a path: that of its folder, since the data directory's owner must be able
 * to write out a spool that root left. Null when this process is not root or the folder is root's.
 */
export const ownerFor = (path: string) => {
  if (process.getuid?.() !== 0) return null
  const { gid, uid } = statSync(dirname(path))
  return uid === 0 ? null : { uid, gid }
}

/** Makes the folder of a database if it is missing, private to the data directory's owner. */
export const makeSpoolFolder = (dataDirectory: string, database: string): string => {
  const folder = spoolFolder(dataDirectory, database)
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  for (const path of [spoolRoot(dataDirectory), folder]) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
    const owner = ownerFor(path)
    if (owner !== null) lchownSync(path, owner.uid, owner.gid)
  }
  return folder
}

/** Makes an empty file for the folder's owner; throws where there is one. */
export const makeFile = (path: string): void => {
  const file = openSync(path, "wx", 0o600)
  try {
    const owner = ownerFor(path)
    if (owner !== null) fchownSync(file, owner.uid, owner.gid)
  } finally {
    closeSync(file)
  }
}

const inodeOf = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino

/**
 * Takes the lock of the spool file at a path, which shows that its process runs; null while another one has
 * it. Throws when the folder cannot be written or its file system has no locks. Releasing it removes its
 * file.
 */
export const takeSpoolLock = (spool: string): FileLock | null => {
  const path = spool.replace(/spool$/, "lock")
  // Only if it is missing: opening and closing it would release this process's own lock on it.
  if (!existsSync(path)) makeFile(path)
  const before = inodeOf(path)
  const lock = lockFile(path, "exclusive")
  // Another process may have held the lock and removed its file in between. This lock would then protect
  // nothing.
  if (lock === null || before === undefined || inodeOf(path) !== before) {
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
