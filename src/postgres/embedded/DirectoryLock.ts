/* The locks of a data directory. The file of a lock is made when the lock is first taken. */
import { Effect } from "effect"
import { chownSync, closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { type FileLock, lockFile, type LockMode } from "../../sql/FileLock.ts"
import type { ClusterPlace } from "./Cluster.ts"
import { attempt, codeOf, type EmbeddedUnavailable, unavailable } from "./EmbeddedFailure.ts"
import { embeddedSettings } from "./EmbeddedSettings.ts"
import type { Identity } from "./Identity.ts"
import { pause } from "./Server.ts"

/** Makes a file with the mode 0600. A file that root makes is given to the user who runs PostgreSQL. */
const make = (path: string, owner: Identity | null): void => {
  try {
    closeSync(openSync(path, "wx", 0o600))
    if (owner !== null) chownSync(path, owner.uid, owner.gid)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  }
}

export const takeLock = (path: string, mode: LockMode, owner: Identity | null): FileLock | null => {
  make(path, owner)
  return lockFile(path, mode)
}

/** Name of a lock that all processes on a data directory share, and that the last one takes exclusively. */
export const usersLock = "lock.users"

export type OwnedPlace = Omit<ClusterPlace, "programs">

/** Takes a lock of the directory, and waits up to `turnMs` for the process that holds it. */
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

export const inTurn = <A, E>(place: OwnedPlace, step: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    takeTurn(place, "lock", "exclusive"),
    () => step,
    (lock) => Effect.sync(lock.release)
  )
