// What a service of the drill of kills runs on: one or several copies, of one or several processes, on a database.
import { Effect, Schedule, type Scope } from "effect"
import { readFileSync } from "node:fs"
import { clusterIn } from "../../src/postgres/embedded/Cluster.ts"
import { readPidFile, serversOf } from "../../src/postgres/embedded/ServerProcess.ts"
import { dataDirectory, temporaryDirectory } from "../support/Databases.ts"
import { scopedCluster } from "../support/PostgresCluster.ts"
import { awaitLog, type Service } from "../support/Service.ts"

/** What the service runs on. */
export interface Topology {
  /** In the data directory, or a PostgreSQL server of its own. */
  readonly database: "embedded" | "own"
  /** Services behind the balancer. */
  readonly copies: number
  /** Processes on the port of each service. */
  readonly processes: number
}

/** The database of a topology, and what can be done to it. */
export interface Database {
  readonly url: string
  /** What a service is started with; each copy has a data directory that its successor takes over. */
  readonly environment: (copy: number) => Readonly<Record<string, string>>
  readonly kill: Effect.Effect<void>
  /** Brings back what was killed, where nobody else does. */
  readonly start: Effect.Effect<void>
}

const killAll = (pids: ReadonlyArray<number>) => {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It has ended by itself, as PostgreSQL's processes do without their first one.
    }
  }
}

/** PostgreSQL in the data directory: its services start it again by themselves. */
const embedded = Effect.map(dataDirectory, (directory): Database => {
  const cluster = clusterIn(directory)
  let kills = 0
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(cluster)}`,
    environment: () => ({ SEXTANT_DATA_DIR: directory }),
    // In turn all of its processes, and the first one alone.
    kill: Effect.sync(() => {
      const first = readPidFile(cluster)?.pid
      killAll(kills++ % 2 === 0 || first === undefined ? serversOf(cluster) : [first])
    }),
    start: Effect.void
  }
})

/** How long a PostgreSQL of its own is away at least, ms. */
const awayMs = 200

/** By its default the server would lose its last answers with a kill. */
const settings = ["synchronous_commit=off"]

/** A PostgreSQL server beside the services. */
const own = Effect.fnUntraced(function*({ copies }: Topology) {
  const cluster = yield* scopedCluster({ settings })
  const directories = yield* Effect.all(Array.from({ length: copies }, () => temporaryDirectory))
  const database: Database = {
    url: cluster.url,
    environment: (copy) => ({
      DATABASE_URL: cluster.url,
      SEXTANT_DATA_DIR: directories[copy] ?? ""
    }),
    kill: Effect.promise(cluster.kill),
    start: Effect.andThen(Effect.sleep(awayMs), Effect.sync(cluster.start))
  }
  return database
})

/** The database of a topology, new and empty; it goes with the scope. */
export const databaseOf = (topology: Topology): Effect.Effect<Database, unknown, Scope.Scope> =>
  topology.database === "embedded" ? embedded : own(topology)

/** The processes that a service has started; an embedded PostgreSQL, which they start, is none of them. */
export const processesOf = ({ pid }: Service): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").map(Number).filter((each) => each > 0)

/** How many processes, restarted ones too, have come to serve beside the first. */
const joinedIn = ({ stderr }: Service): number => stderr().split("This process of the service serves, too").length - 1

/** Waits until so many processes, restarted ones too, have come to serve beside the first. */
export const joined = (service: Service, count: number) =>
  Effect.sync(() => joinedIn(service) >= count).pipe(
    Effect.repeat({ until: Boolean, schedule: Schedule.spaced("50 millis") }),
    Effect.timeout("120 seconds")
  )

/** Kills one process of a service with SIGKILL, and waits until as many serve again. */
export const killProcess = Effect.fnUntraced(function*(service: Service) {
  const before = joinedIn(service)
  process.kill(processesOf(service)[0] ?? 0, "SIGKILL")
  yield* awaitLog(service, /A process of the service has ended; starting another.*ended=SIGKILL/)
  yield* joined(service, before + 1)
})
