/* Stops the server of a data directory, unless a process uses it. This file can also be run as a program. */
import { Effect, Schedule } from "effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { clusterIn } from "./Cluster.ts"
import { inTurn, type OwnedPlace, takeLock, usersLock } from "./DirectoryLock.ts"
import { attempt } from "./EmbeddedFailure.ts"
import { embeddedSettings } from "./EmbeddedSettings.ts"
import { identityFor } from "./Identity.ts"
import { stopServer } from "./Server.ts"

/** Path of this file, which as a program stops the unused server of the data directory in its argument. */
export const program = fileURLToPath(import.meta.url)

/** Stops the server. Yields false if a process uses the data directory or a lock cannot be taken. */
export const leave = (place: OwnedPlace) =>
  Effect.gen(function*() {
    const { directory, who } = place
    const alone = yield* attempt(`${directory} cannot be locked`, () =>
      takeLock(join(directory, usersLock), "exclusive", who))
    if (alone === null) {
      yield* Effect.logDebug("Left PostgreSQL running for the others that use it")
      return false
    }
    yield* inTurn(place, stopServer(place)).pipe(Effect.ensuring(Effect.sync(alone.release)))
    return true
  }).pipe(Effect.catch((error) =>
    Effect.as(Effect.logError("PostgreSQL could not be stopped", error), false)))

if (import.meta.main) {
  const { leaveMs, leaveTries } = embeddedSettings
  const [directory = ""] = process.argv.slice(2)
  const cluster = clusterIn(directory)
  await Effect.runPromise(Effect.repeat(leave({ cluster, directory, who: identityFor(directory, cluster) }), {
    until: (isLast) => isLast, times: leaveTries - 1, schedule: Schedule.jittered(Schedule.spaced(leaveMs))
  }))
}
