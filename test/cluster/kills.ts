// Kills parts of a service with SIGKILL under load, and looks what was kept of all that it had acknowledged.
import { Clock, Effect, Schedule } from "effect"
import { generator } from "../../src/stats/Generator.ts"
import { onServer } from "../support/Databases.ts"
import { acmeKey, type Service, startService, stopService, umbrellaKey } from "../support/Service.ts"
import { balanced, balancer } from "./balancer.ts"
import { acknowledgedMore, audit, type Heard, type Kept, nothingHeard, underLoad } from "./drill.ts"
import { databaseOf, joined, killProcess, type Topology } from "./topology.ts"

/**
 * What is hit. `service` is a copy, or one of its processes. `outage` is PostgreSQL, until the service has answered
 * without it for a while. `restart` kills nothing: every copy is replaced, one after the other.
 */
export const targets = ["service", "postgresql", "both", "outage", "restart"] as const
export type Target = (typeof targets)[number]

export interface KillOptions {
  /** What is hit, one after the other, over the same database. */
  readonly targets: ReadonlyArray<Target>
  readonly clients: number
  /** Outcomes acknowledged before each kill, at least. */
  readonly perRound: number
  /** Longest pause between that and the kill, ms; how long it is, is drawn. */
  readonly pauseMs: number
  readonly seed: number
  readonly onRound?: (round: Round) => void
}

/** One kill. */
export interface Round {
  readonly target: Target
  /** Outcomes acknowledged in all until then. */
  readonly acknowledged: number
  /** From the kill until all ran again and another outcome was acknowledged, ms. */
  readonly recoveredMs: number
}

/** Counts of outcomes wherever they are counted; of a load in which each teaches, these agree. */
interface Counted {
  /** Decisions that have their outcome. */
  readonly decisions: number
  readonly observations: number
  /** Sum of the models' records. */
  readonly records: number
  /** Sum of the lanes' numbers. */
  readonly lanes: number
}

export interface Kills {
  readonly rounds: ReadonlyArray<Round>
  readonly heard: Heard
  readonly kept: Kept
  readonly counted: Counted
  /** Answers with 500: a bug, whatever was killed. */
  readonly crashes: ReadonlyArray<string>
  /** Of the recommendations that warned that they were not written down yet, those that never were. */
  readonly unwritten: ReadonlyArray<string>
  /** How the services ended that were told to. */
  readonly exitCodes: ReadonlyArray<number | null>
}

/** How many recommendations an outage lasts. */
const outageAnswers = 60

const crashesOf = ({ stderr }: Service): ReadonlyArray<string> =>
  stderr().split("\n").filter((line) => line.includes("Request failed"))

const counts = (url: string) =>
  Effect.map(onServer<Counted>(url, `select
      (select count(*)::int from outcome) as decisions,
      (select count(*)::int from observation) as observations,
      (select coalesce(sum(outcomes), 0)::int from outcome_record) as records,
      (select coalesce(sum(outcomes), 0)::int from lane_numbers) as lanes`),
    ([row]) => row ?? { decisions: -1, observations: -1, records: -1, lanes: -1 })

/** Which of these recommendations have no row. */
const rowless = (url: string, ids: ReadonlySet<string>) =>
  Effect.map(onServer<{ readonly id: string }>(url, "select recommendation_id::text as id from decision"), (rows) => {
    const known = new Set(rows.map(({ id }) => id))
    return [...ids].filter((id) => !known.has(id))
  })

/** Each kill hits the next life of one database, at a drawn moment amid clients of two accounts. */
export const killDrill = (topology: Topology, options: KillOptions) =>
  Effect.gen(function*() {
    const database = yield* databaseOf(topology)
    const proxy = yield* balancer
    const heard = nothingHeard()
    const draw = generator(options.seed)
    const rounds: Array<Round> = []
    const crashes: Array<string> = []
    const exitCodes: Array<number | null> = []
    const services: Array<Service> = []
    const all = Array.from({ length: topology.copies }, (_, copy) => copy)
    const use = (also: ReadonlyArray<Service> = []) =>
      proxy.use([...services, ...also].map(({ baseUrl }) => baseUrl))
    /** The next life of a copy. The one before, if it still runs, is asked as well. */
    const live = Effect.fnUntraced(function*(copy: number) {
      const before = services[copy]
      services[copy] = yield* startService({
        ...database.environment(copy),
        SEXTANT_PROCESSES: String(topology.processes),
        SEXTANT_DRAIN_DELAY_MS: "500"
      })
      yield* joined(services[copy], topology.processes - 1)
      use(before === undefined ? [] : [before])
      return before
    })
    const ended = Effect.fnUntraced(function*(copy: number) {
      const service = services[copy]!
      yield* service.exitCode
      crashes.push(...crashesOf(service))
    })
    const stop = Effect.fnUntraced(function*(service: Service) {
      exitCodes.push(yield* stopService(service))
      crashes.push(...crashesOf(service))
    })
    const kill = (copies: ReadonlyArray<number>) =>
      Effect.forEach(copies, (copy) => services[copy]!.kill("SIGKILL"), { discard: true })
    const revive = (copies: ReadonlyArray<number>) =>
      Effect.forEach(copies, Effect.fnUntraced(function*(copy) {
        yield* ended(copy)
        yield* live(copy)
        use()
      }), { discard: true })
    const restart = Effect.forEach(all, Effect.fnUntraced(function*(copy) {
      const before = yield* live(copy)
      yield* acknowledgedMore(heard, options.perRound)
      if (before !== undefined) yield* stop(before)
      use()
      yield* acknowledgedMore(heard, options.perRound)
    }), { discard: true })
    const hit = Effect.fnUntraced(function*(target: Target, copy: number) {
      switch (target) {
        case "service":
          if (topology.processes > 1) return yield* killProcess(services[copy]!)
          yield* kill([copy])
          return yield* revive([copy])
        case "postgresql":
          return yield* Effect.andThen(database.kill, database.start)
        case "both":
          yield* kill(all)
          yield* Effect.andThen(database.kill, database.start)
          return yield* revive(all)
        case "outage": {
          const enough = heard.warned.size + outageAnswers
          yield* database.kill
          yield* Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), Effect.sync(() => heard.warned.size)), {
            until: (size) => size >= enough
          })
          return yield* database.start
        }
        case "restart":
          return yield* restart
      }
    })
    yield* Effect.forEach(all, live, { discard: true })
    yield* balanced(proxy)
    yield* underLoad(proxy, heard, options.clients, Effect.gen(function*() {
      for (const [n, target] of options.targets.entries()) {
        yield* acknowledgedMore(heard, options.perRound)
        yield* Effect.sleep(draw() * options.pauseMs)
        const acknowledged = heard.acknowledged.size
        const killedMs = yield* Clock.currentTimeMillis
        yield* hit(target, n % topology.copies)
        yield* acknowledgedMore(heard, 1)
        const round = { target, acknowledged, recoveredMs: (yield* Clock.currentTimeMillis) - killedMs }
        rounds.push(round)
        options.onRound?.(round)
      }
      yield* acknowledgedMore(heard, options.perRound)
    }), [acmeKey, umbrellaKey])
    const kept = yield* audit(database.url, proxy, heard)
    const counted = yield* counts(database.url)
    const unwritten = yield* rowless(database.url, heard.warned).pipe(
      Effect.repeat({ until: (ids) => ids.length === 0, schedule: Schedule.spaced("100 millis"), times: 300 })
    )
    yield* Effect.forEach(services, stop, { discard: true })
    const drill: Kills = { rounds, heard, kept, counted, crashes, unwritten, exitCodes }
    return drill
  })

/** What is wrong with what was kept, and with how the services answered while they were up. */
export const problemsOf = (topology: Topology, options: KillOptions, drill: Kills): ReadonlyArray<string> => {
  const { counted, crashes, exitCodes, heard, kept, unwritten } = drill
  const hits = (...those: ReadonlyArray<Target>) => options.targets.filter((target) => those.includes(target)).length
  const isAlwaysServed = hits("both") === 0 && topology.processes === 1
    && (topology.copies > 1 || hits("service") === 0)
  const refusals = [...heard.statuses].filter(([kind]) => !kind.endsWith(" 200"))
  // Of a report that could not be kept it is said, so that it is told again.
  const mayRefuse = hits("postgresql", "outage") > 0
  // Nobody knows whether a recommendation was written down that was on its way to a killed copy.
  const unknown = hits("service") * options.clients
  const isAllowed = ([kind, count]: readonly [string, number]) =>
    (kind === "/v1/feedback 503" && mayRefuse) || (kind === "/v1/recommend 502" && count <= unknown)
  const { decisions, lanes, observations, records } = counted
  return [
    ...kept.lost.map((id) => `the outcome of ${id} is lost, or was answered differently when sent again`),
    ...kept.forgotten.map((id) => `the recommendation ${id} has no row`),
    ...kept.closed.map((id) => `the recommendation ${id} takes no report`),
    ...kept.twice === 0 ? [] : [`${kept.twice} outcomes are counted twice or not at all`],
    ...observations === decisions && records === decisions && lanes === decisions
      ? [] : [`the counts disagree: ${JSON.stringify(counted)}`],
    ...crashes,
    ...exitCodes.filter((code) => code !== 0).map((code) => `a service ended with ${code}`),
    ...isAlwaysServed ? refusals.filter((each) => !isAllowed(each)).map(([kind, count]) => `${count} × ${kind}`) : [],
    // A killed process takes with it what waits in its memory.
    ...hits("service", "both") > 0 ? [] : unwritten.map((id) => `the recommendation ${id} of an outage was never written`)
  ]
}
