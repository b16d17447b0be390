// Kills the service, its embedded PostgreSQL, or both with SIGKILL under load, and looks what was kept.
import { Clock, Effect } from "effect"
import { clusterIn } from "../../src/sql/embedded/Cluster.ts"
import { readPidFile, serversOf } from "../../src/sql/embedded/ServerProcess.ts"
import { generator } from "../../src/stats/Generator.ts"
import { balanced, balancer } from "../cluster/balancer.ts"
import { acknowledgedMore, audit, type Heard, type Kept, nothingHeard, recovered, underLoad } from "../cluster/drill.ts"
import { onServer } from "../support/Databases.ts"
import { startService, stopService } from "../support/Service.ts"

/** What is killed. Of PostgreSQL it is in turn all of its processes, and the first one alone. */
export const kinds = ["service", "postgresql", "both"] as const
export type Kind = (typeof kinds)[number]

/** One kill. */
export interface Round {
  readonly kind: Kind
  /** Outcomes acknowledged in all until then. */
  readonly acknowledged: number
  /** From the kill until the next outcome was acknowledged, ms. */
  readonly recoveredMs: number
}

export interface DurabilityDrill {
  readonly rounds: ReadonlyArray<Round>
  readonly heard: Heard
  readonly kept: Kept
  readonly counted: Counted
  /** Answers with 500: a bug, whatever was killed. */
  readonly crashes: ReadonlyArray<string>
  /** Of the recommendations that warned that they were not written down yet, how many are. */
  readonly warnedKept: number
}

export interface DurabilityOptions {
  /** What is killed, one after the other, over the same directory. */
  readonly kinds: ReadonlyArray<Kind>
  readonly clients: number
  /** Outcomes acknowledged before each kill, at least. */
  readonly perRound: number
  /** Longest pause between that and the kill, ms; how long it is, is drawn. */
  readonly pauseMs: number
  readonly seed: number
  readonly onRound?: (round: Round) => void
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

/** The embedded server as a URL, for those who look into it from outside. */
const urlOf = (directory: string) =>
  `postgres://postgres@localhost/postgres?host=${encodeURIComponent(clusterIn(directory))}`

/** Counts of outcomes wherever they are counted; of a load in which each teaches, these agree. */
export interface Counted {
  /** Decisions that have their outcome. */
  readonly decisions: number
  readonly observations: number
  /** Sum of the models' records. */
  readonly records: number
  /** Sum of the lanes' numbers, which count decisions that recalled something, and how many of these there are. */
  readonly lanes: number
  readonly recalled: number
}

const sums = (url: string) =>
  Effect.map(onServer<Counted>(url, `select
      (select count(*)::int from decision where feedback_at is not null) as decisions,
      (select count(*)::int from observation) as observations,
      (select coalesce(sum(outcomes), 0)::int from outcome_record) as records,
      (select coalesce(sum(outcomes), 0)::int from lane_numbers) as lanes,
      (select count(*)::int from decision where feedback_at is not null and mean_similarity is not null
        and high_similarity is not null) as recalled`),
    ([row]) => row ?? { decisions: -1, observations: -1, records: -1, lanes: -1, recalled: -1 })

/** How many of these recommendations have a row. */
const rowsOf = (url: string, ids: ReadonlySet<string>) =>
  ids.size === 0 ? Effect.succeed(0) : Effect.map(
    onServer<{ readonly count: number }>(url, `select count(*)::int as count from decision
      where recommendation_id in (${[...ids].map((id) => `'${id}'`).join(", ")})`),
    ([row]) => row?.count ?? 0)

/** Each kill hits the next life of one data directory, at a drawn moment amid the clients. */
export const durabilityDrill = (directory: string, options: DurabilityOptions) =>
  Effect.gen(function*() {
    const { clients, onRound, pauseMs, perRound, seed } = options
    const proxy = yield* balancer
    const heard = nothingHeard()
    const cluster = clusterIn(directory)
    const draw = generator(seed)
    const crashes: Array<string> = []
    const life = Effect.tap(startService({ SEXTANT_DATA_DIR: directory }), ({ baseUrl }) =>
      Effect.sync(() => proxy.use([baseUrl])))
    let service = yield* life
    yield* balanced(proxy)
    const rounds: Array<Round> = []
    yield* underLoad(proxy, heard, clients, Effect.gen(function*() {
      for (const [n, kind] of options.kinds.entries()) {
        yield* acknowledgedMore(heard, perRound)
        yield* Effect.sleep(draw() * pauseMs)
        const acknowledged = heard.acknowledged.size
        const killedMs = yield* Clock.currentTimeMillis
        const postmaster = readPidFile(cluster)?.pid
        const servers = n % 2 === 0 || postmaster === undefined ? serversOf(cluster) : [postmaster]
        if (kind === "service") killAll([service.pid])
        else killAll(kind === "both" ? [service.pid, ...servers] : servers)
        if (kind !== "postgresql") {
          yield* service.exitCode
          crashes.push(...crashesOf(service.stderr()))
          service = yield* life
        }
        yield* recovered(heard)
        const round = { kind, acknowledged, recoveredMs: (yield* Clock.currentTimeMillis) - killedMs }
        rounds.push(round)
        onRound?.(round)
      }
      yield* acknowledgedMore(heard, perRound)
    }))
    const kept = yield* audit(urlOf(directory), proxy, heard)
    crashes.push(...crashesOf(service.stderr()))
    const url = urlOf(directory)
    const counted = yield* sums(url)
    const warnedKept = yield* rowsOf(url, heard.warned)
    yield* stopService(service)
    const drill: DurabilityDrill = { rounds, heard, kept, counted, crashes, warnedKept }
    return drill
  })

const crashesOf = (log: string): ReadonlyArray<string> =>
  log.split("\n").filter((line) => line.includes("Request failed"))
