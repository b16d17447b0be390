import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dataDirectory } from "../support/Databases.ts"
import { durabilityDrill, type Kind, kinds } from "./durability.ts"

const killsOfEach = 10

describe("a data directory whose service, PostgreSQL, or both are killed with SIGKILL under load", () => {
  it.live("loses no acknowledged decision and no acknowledged outcome, and counts none twice, ten times each", () =>
    Effect.gen(function*() {
      const kills = Array.from({ length: killsOfEach }, () => kinds).flat()
      const { counted, crashes, heard, kept, rounds } = yield* durabilityDrill(yield* dataDirectory, {
        kinds: kills, clients: 4, perRound: 2, pauseMs: 60, seed: 13
      })
      const killed = (kind: Kind) => rounds.filter((round) => round.kind === kind).length
      assert.deepStrictEqual(kinds.map(killed), kinds.map(() => killsOfEach))
      assert.isAtLeast(heard.acknowledged.size, kills.length * 2)
      assert.deepStrictEqual(kept, { lost: [], forgotten: [], twice: 0 })
      const { decisions, recalled } = counted
      assert.deepStrictEqual(counted, {
        decisions, observations: decisions, records: decisions, lanes: recalled, recalled
      })
      assert.deepStrictEqual(crashes, [])
    }), 900_000)
})
