/* The program that stops the server of the data directory given, unless a process uses it. */
import { Effect, Schedule } from "effect"
import { clusterIn } from "./Cluster.ts"
import { leave } from "./EmbeddedPostgres.ts"
import { identityFor } from "./Identity.ts"

const [directory = ""] = process.argv.slice(2)
const cluster = clusterIn(directory)

/** Tries, count: processes that are killed together each find another's try at the lock. */
const triesMax = 5

await Effect.runPromise(Effect.repeat(leave({ cluster, directory, who: identityFor(directory, cluster) }), {
  until: (isLast) => isLast, times: triesMax - 1, schedule: Schedule.jittered(Schedule.spaced("100 millis"))
}))
