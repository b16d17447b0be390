import { Clock, Effect } from "effect"
import type { Cluster } from "../support/PostgresCluster.ts"
import { balanced, balancer } from "./balancer.ts"
import { acknowledgedMore, audit, copy, type Heard, type Kept, nothingHeard, recovered, underLoad } from "./drill.ts"

/** What one death of the database came to. */
export interface Round {
  /** Reports acknowledged in all, up to this round's kill. */
  readonly acknowledged: number
  /** How long the database was down, ms: from its kill until it took connections again. */
  readonly downMs: number
  /** From then until a report was acknowledged, ms. */
  readonly recoveredMs: number
}

export interface Drill {
  readonly rounds: ReadonlyArray<Round>
  readonly heard: Heard
  readonly kept: Kept
  /** What the copies said of requests that they answered with 500: a bug, whatever became of the database. */
  readonly crashes: ReadonlyArray<string>
}

/**
 * Kills the whole database under load, process by process and without a word, lets it recover, and looks in
 * the end whether everything that was acknowledged is there once.
 */
export const killDatabase = (
  cluster: Cluster,
  options: {
    readonly rounds: number
    readonly clients: number
    readonly perRound: number
    readonly copies: number
    readonly outageMs: number
  }
) =>
  Effect.gen(function*() {
    const proxy = yield* balancer
    const heard = nothingHeard()
    const copies = yield* Effect.all(
      Array.from({ length: options.copies }, () => copy(cluster.url)),
      { concurrency: "unbounded" }
    )
    proxy.use(copies.map(({ baseUrl }) => baseUrl))
    yield* balanced(proxy)
    const rounds: Array<Round> = []
    yield* underLoad(proxy, heard, options.clients, Effect.gen(function*() {
      for (let round = 0; round < options.rounds; round++) {
        yield* acknowledgedMore(heard, options.perRound)
        const acknowledged = heard.acknowledged.size
        const killedMs = yield* Clock.currentTimeMillis
        yield* Effect.promise(cluster.kill)
        yield* Effect.sleep(options.outageMs)
        yield* Effect.sync(cluster.start)
        const downMs = (yield* Clock.currentTimeMillis) - killedMs
        rounds.push({ acknowledged, downMs, recoveredMs: yield* recovered(heard) })
      }
      yield* acknowledgedMore(heard, options.perRound)
    }))
    const kept = yield* audit(cluster.url, proxy, heard)
    const crashes = copies.flatMap(({ stderr }) =>
      stderr().split("\n").filter((line) => line.includes("Request failed")))
    const drill: Drill = { rounds, heard, kept, crashes }
    return drill
  })
