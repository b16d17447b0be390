/* The program that stops the server of the data directory given, unless a process uses it. */
import { Effect, Schedule } from "effect"
import { clusterIn } from "./Cluster.ts"
import { embeddedSettings } from "./EmbeddedSettings.ts"
import { leave } from "./EmbeddedPostgres.ts"
import { identityFor } from "./Identity.ts"

const { leaveMs, leaveTries } = embeddedSettings
const [directory = ""] = process.argv.slice(2)
const cluster = clusterIn(directory)

await Effect.runPromise(Effect.repeat(leave({ cluster, directory, who: identityFor(directory, cluster) }), {
  until: (isLast) => isLast, times: leaveTries - 1, schedule: Schedule.jittered(Schedule.spaced(leaveMs))
}))
