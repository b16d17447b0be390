import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findBinaries, startCluster } from "../support/PostgresCluster.ts"
import { killDatabase } from "./killDatabase.ts"

const binaries = findBinaries()

/** A server of its own, since it is killed; by its default it would lose its last answers. */
const cluster = Effect.acquireRelease(
  Effect.promise(() => startCluster(binaries ?? "", { settings: ["synchronous_commit=off"] })),
  ({ stop }) => Effect.promise(stop)
)

describe.skipIf(binaries === null)("PostgreSQL killed with SIGKILL under load", () => {
  it.live("twice, loses nothing that two copies acknowledged, and the copies recover without help", () =>
    Effect.gen(function*() {
      const { crashes, heard, kept, rounds } = yield* killDatabase(yield* cluster, {
        rounds: 2, clients: 8, perRound: 20, copies: 2, outageMs: 200
      })
      assert.deepStrictEqual(crashes, [])
      assert.lengthOf(rounds, 2)
      assert.isAtLeast(heard.acknowledged.size, 60)
      assert.deepStrictEqual(kept, { lost: [], forgotten: [], twice: 0 })
      // Whoever asks is answered throughout; a report that could not be kept is refused, to be told again.
      assert.deepStrictEqual(
        [...heard.statuses.keys()].filter((kind) => !["/v1/recommend 200", "/v1/feedback 200", "/v1/feedback 503"].includes(kind)),
        []
      )
    }), 240_000)
})
