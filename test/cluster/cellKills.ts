// Kills parts of one of two cells, or their balancer, with SIGKILL under load, and looks what each cell's account heard.
import { Clock, Effect, type Scope } from "effect"
import { onServer } from "../support/Databases.ts"
import { freePort, scopedCluster } from "../support/PostgresCluster.ts"
import { acmeKey, umbrellaKey } from "../support/Service.ts"
import { type Balancer, startBalancer, startCell } from "./cells.ts"
import { acknowledgedMore, audit, type Heard, type Kept, nothingHeard, underLoad } from "./drill.ts"

/**
 * What is hit: the service of the first cell, its PostgreSQL, the balancer, or its PostgreSQL for good, whose replica
 * then takes its place. The primary waits for that replica with each commit.
 */
export const cellTargets = ["service", "postgresql", "balancer", "failover"] as const
export type CellTarget = (typeof cellTargets)[number]

export interface CellRound {
  readonly target: CellTarget
  /** From the kill until an outcome of the first cell's account was acknowledged again, ms. */
  readonly recoveredMs: number
  /** Requests of the other cell's account from the kill until then, and how many were not answered with 200. */
  readonly others: number
  readonly othersFailed: number
}

export interface CellKills {
  readonly rounds: ReadonlyArray<CellRound>
  readonly own: { readonly heard: Heard; readonly kept: Kept }
  readonly other: { readonly heard: Heard; readonly kept: Kept }
}

const answersOf = ({ statuses }: Heard) => {
  const all = [...statuses]
  const sum = (those: typeof all) => those.reduce((total, [, count]) => total + count, 0)
  return { all: sum(all), failed: sum(all.filter(([kind]) => !kind.endsWith(" 200"))) }
}

/** How long what was killed is away, ms. */
const awayMs = 500

/** The first cell: its PostgreSQL with a replica, and a service that comes back at the same address. */
const firstCell = Effect.gen(function*() {
  const primary = yield* scopedCluster({ settings: ["synchronous_standby_names='*'"] })
  const replica = yield* scopedCluster({ replicaOf: primary })
  const port = yield* Effect.promise(freePort)
  let url = primary.url
  const live = Effect.suspend(() => startCell([acmeKey], url, { PORT: String(port) }))
  let { address, service } = yield* live
  const revive = Effect.gen(function*() {
    yield* service.exitCode
    service = (yield* live).service
  })
  const killService = Effect.suspend(() => service.kill("SIGKILL"))
  return {
    address,
    url: () => url,
    hit: {
      service: Effect.andThen(killService, revive),
      postgresql: Effect.gen(function*() {
        yield* Effect.promise(primary.kill)
        yield* Effect.sleep(awayMs)
        primary.start()
      }),
      failover: Effect.gen(function*() {
        yield* Effect.promise(primary.kill)
        yield* onServer(replica.url, "select pg_promote()")
        url = replica.url
        yield* killService
        yield* revive
      })
    } satisfies Partial<Record<CellTarget, Effect.Effect<void, unknown, Scope.Scope>>>
  }
})

const accounts = new Map([["acme", "cell_a"], ["umbrella", "cell_b"]])

/** Hits the targets in turns, amid clients of one account in each cell. */
export const cellKillDrill = Effect.fnUntraced(function*(
  targets: ReadonlyArray<CellTarget>,
  clients: number,
  onRound: (round: CellRound) => void = () => {}
) {
  const first = yield* firstCell
  const second = yield* startCell([umbrellaKey], (yield* scopedCluster()).url)
  const port = yield* Effect.promise(freePort)
  const startOne = startBalancer(accounts, first.address, second.address, port)
  let balancer: Balancer = yield* startOne
  const killBalancer = Effect.gen(function*() {
    yield* balancer.process.kill("SIGKILL")
    yield* balancer.process.exitCode
    yield* Effect.sleep(awayMs)
    balancer = yield* startOne
  })
  const proxy = { url: balancer.baseUrl }
  const [own, other] = [nothingHeard(), nothingHeard()]
  const rounds: Array<CellRound> = []
  const hitAll = Effect.gen(function*() {
    for (const target of targets) {
      yield* acknowledgedMore(own, 10)
      const before = answersOf(other)
      const killedMs = yield* Clock.currentTimeMillis
      yield* target === "balancer" ? killBalancer : first.hit[target]
      yield* acknowledgedMore(own, 1)
      const after = answersOf(other)
      const round = {
        target, recoveredMs: (yield* Clock.currentTimeMillis) - killedMs,
        others: after.all - before.all, othersFailed: after.failed - before.failed
      }
      rounds.push(round)
      onRound(round)
    }
    yield* acknowledgedMore(own, 10)
  })
  yield* underLoad(proxy, own, clients, underLoad(proxy, other, clients, hitAll, [umbrellaKey]), [acmeKey])
  const result: CellKills = {
    rounds,
    own: { heard: own, kept: yield* audit(first.url(), proxy, own) },
    other: { heard: other, kept: yield* audit(second.url, proxy, other) }
  }
  return result
})
