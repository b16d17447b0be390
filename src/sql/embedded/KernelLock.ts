/* File locks of the operating system, which end with the process that holds them, however it ends. */
import { chownSync, closeSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { codeOf } from "./EmbeddedFailure.ts"
import type { Identity } from "./Identity.ts"

export type LockMode = "exclusive" | "shared"

export interface KernelLock {
  readonly release: () => void
}

const sqliteBusy = 5

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === sqliteBusy

/** Makes the file 0600 from its first byte, and for the directory's owner where root makes it. */
const make = (path: string, owner: Identity | null): void => {
  try {
    closeSync(openSync(path, "wx", 0o600))
    if (owner !== null) chownSync(path, owner.uid, owner.gid)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  }
}

/**
 * Takes a lock on a file; yields null when another holder has it. Never waits.
 *
 * It is taken through SQLite because Node has no call for it. The kernel releases it with its process, so
 * there is no stale lock to recognise; a process id in a file means nothing in another container. A trap:
 * when a process closes any other descriptor of the same file, the kernel releases its lock. No other code
 * opens it.
 */
export const takeLock = (path: string, mode: LockMode, owner: Identity | null): KernelLock | null => {
  make(path, owner)
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
