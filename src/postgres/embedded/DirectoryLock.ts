/* The locks of a data directory, whose files are made when they are first taken. */
import { chownSync, closeSync, openSync } from "node:fs"
import { type FileLock, lockFile, type LockMode } from "../../sql/FileLock.ts"
import { codeOf } from "./EmbeddedFailure.ts"
import type { Identity } from "./Identity.ts"

/** Makes the file 0600 from its first byte, and for the directory's owner where root makes it. */
const make = (path: string, owner: Identity | null): void => {
  try {
    closeSync(openSync(path, "wx", 0o600))
    if (owner !== null) chownSync(path, owner.uid, owner.gid)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  }
}

/** Takes a lock of a data directory, as {@link lockFile}. */
export const takeLock = (path: string, mode: LockMode, owner: Identity | null): FileLock | null => {
  make(path, owner)
  return lockFile(path, mode)
}
