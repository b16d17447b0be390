/* The program that stops the server of the data directory given, unless a process uses it. */
import { Effect } from "effect"
import { clusterIn } from "./Cluster.ts"
import { leave } from "./EmbeddedPostgres.ts"
import { identityFor } from "./Identity.ts"

const [directory = ""] = process.argv.slice(2)
const cluster = clusterIn(directory)

await Effect.runPromise(leave({ cluster, directory, who: identityFor(directory, cluster) }))
