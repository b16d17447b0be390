/* The locks of a data directory. A lock's file is made when the lock is first taken. */
import { Effect } from "effect"
import { chownSync, closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { type FileLock, lockFile, type LockMode } from "../../sql/FileLock.ts"
import type { ClusterPlace } from "./Cluster.ts"
import { attempt, codeOf, type EmbeddedUnavailable, unavailable } from "./EmbeddedFailure.ts"
import { embeddedSettings } from "./EmbeddedSettings.ts"
import type { Identity } from "./Identity.ts"
import { pause } from "./Server.ts"

/** Makes the file with the mode 0600. Root gives it to the directory's owner. */
const make = (path: string, owner: Identity | null): void => {
  try {
    closeSync(openSync(path, "wx", 0o600))
    if (owner !== null) chownSync(path, owner.uid, owner.gid)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  }
}

/** Takes a lock of a data directory as {@link lockFile}, and makes its file first. */
export const takeLock = (path: string, mode: LockMode, owner: Identity | null): FileLock | null => {
  make(path, owner)
  return lockFile(path, mode)
}

/** Every process that uses a directory shares this lock. The last process can take it exclusively. */
export const usersLock = "lock.users"

/** A data directory, and the user that runs its server. */
export type OwnedPlace = Omit<ClusterPlace, "programs">

/** Takes a lock of the directory, and waits up to `turnMs` for its holder. */
export const takeTurn = ({ directory, who }: OwnedPlace, name: string, mode: LockMode) =>
  Effect.gen(function*(): Effect.fn.Return<FileLock, EmbeddedUnavailable> {
    const path = join(directory, name)
    const deadline = performance.now() + embeddedSettings.turnMs
    for (;;) {
      const lock = yield* attempt(`${path} cannot be locked`, () => takeLock(path, mode, who))
      if (lock !== null) return lock
      if (performance.now() > deadline) {
        const what = `starts or stops PostgreSQL on ${directory}, and does not end`
        return yield* unavailable(`Another process ${what}`)
      }
      yield* pause(20)
    }
  })

/** Runs a step under a lock, so that only one process at a time starts or stops the server. */
export const inTurn = <A, E>(place: OwnedPlace, step: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    takeTurn(place, "lock", "exclusive"),
    () => step,
    (lock) => Effect.sync(lock.release)
  )
