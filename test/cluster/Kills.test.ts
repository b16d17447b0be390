import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { onServer } from "../support/Databases.ts"
import { findBinaries, freePort, scopedCluster } from "../support/PostgresCluster.ts"
import { startService } from "../support/Service.ts"
import { acknowledgedMore, audit, nothingHeard, underLoad } from "./drill.ts"
import { killDrill, type KillOptions, type Kills, problemsOf, type Target } from "./kills.ts"
import type { Topology } from "./topology.ts"

const one: Topology = { database: "own", copies: 1, processes: 1 }
const two: Topology = { ...one, copies: 2 }

const keepsAll = (topology: Topology, hits: ReadonlyArray<Target>, over: Partial<KillOptions> = {}) =>
  Effect.gen(function*() {
    const options: KillOptions = { targets: hits, clients: 4, perRound: 20, pauseMs: 60, seed: 13, ...over }
    const drill = yield* killDrill(topology, options)
    assert.deepStrictEqual(problemsOf(topology, options, drill), [])
    assert.deepStrictEqual(drill.rounds.map(({ target }) => target), hits)
    assert.isAtLeast(drill.heard.acknowledged.size, hits.length * options.perRound)
  })

/** With a server of its own, since it is killed. */
const onOwn = it.live.skipIf(findBinaries() === null)

describe("an acknowledged decision or outcome is kept, counted once, and answered as before", () => {
  it.live("when the service, its embedded PostgreSQL, or both are killed", () =>
    keepsAll({ ...one, database: "embedded" }, ["service", "postgresql", "both"], { perRound: 2 }), 600_000)

  onOwn("when the service on a PostgreSQL of its own is killed, alone and with it", () =>
    keepsAll(one, ["both", "service"]), 240_000)

  onOwn("when PostgreSQL is killed or down for longer: every request is answered, and each decision written after it", () =>
    keepsAll(one, ["postgresql", "outage"]), 240_000)

  onOwn("when the PostgreSQL of two copies is killed, and both recover without help", () =>
    keepsAll(two, ["postgresql"]), 240_000)

  onOwn("when one of two copies is killed, and the other serves on", () => keepsAll(two, ["service"]), 240_000)

  onOwn("when two copies are restarted one after the other, and no request fails", () =>
    keepsAll(two, ["restart"], { perRound: 10 }), 240_000)

  onOwn("when one of two processes on a port is killed, and they are two again", () =>
    keepsAll({ ...one, processes: 2 }, ["service"]), 240_000)

  onOwn("when PostgreSQL is lost for good, by its synchronous replica", () =>
    Effect.gen(function*() {
      const primary = yield* scopedCluster({ settings: ["synchronous_standby_names='*'"] })
      const replica = yield* scopedCluster({ replicaOf: primary })
      const port = String(yield* Effect.promise(freePort))
      const service = yield* startService({ DATABASE_URL: primary.url, PORT: port })
      const at = { url: service.baseUrl }
      const heard = nothingHeard()
      yield* underLoad(at, heard, 3, Effect.gen(function*() {
        yield* acknowledgedMore(heard, 20)
        yield* Effect.promise(primary.kill)
        yield* onServer(replica.url, "select pg_promote()")
        yield* service.kill("SIGKILL")
        yield* service.exitCode
        yield* startService({ DATABASE_URL: replica.url, PORT: port })
        yield* acknowledgedMore(heard, 20)
      }))
      assert.deepStrictEqual(yield* audit(replica.url, at, heard), { lost: [], forgotten: [], closed: [], twice: 0 })
    }), 240_000)
})

describe("the drill", () => {
  const options: KillOptions = { targets: ["service"], clients: 1, perRound: 1, pauseMs: 0, seed: 1 }
  const counted = { decisions: 1, observations: 1, records: 1, lanes: 1 }
  const kept = { lost: [], forgotten: [], closed: [], twice: 0 }
  const sound: Kills = {
    rounds: [], heard: nothingHeard(), kept, counted, crashes: [], unwritten: [], exitCodes: [0]
  }

  it("names everything that is lost, refused or counted wrongly, each in a line of its own", () => {
    assert.deepStrictEqual(problemsOf(two, options, sound), [])
    const statuses = new Map([["/v1/recommend 502", 2], ["/v1/feedback 503", 1], ["/v1/feedback 200", 9]])
    assert.deepStrictEqual(problemsOf(two, options, {
      ...sound, heard: { ...nothingHeard(), statuses }, kept: { lost: ["a"], forgotten: ["b"], closed: ["c"], twice: 1 },
      counted: { ...counted, records: 2 }, crashes: ["a 500"], exitCodes: [0, 1]
    }), [
      "the outcome of a is lost, or was answered differently when sent again",
      "the recommendation b has no row",
      "the recommendation c takes no report",
      "1 outcomes are counted twice or not at all",
      `the counts disagree: ${JSON.stringify({ ...counted, records: 2 })}`,
      "a 500",
      "a service ended with 1",
      "2 × /v1/recommend 502",
      "1 × /v1/feedback 503"
    ])
  })
})
