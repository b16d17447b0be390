// Kills of a cell's parts and of the balancer: what was acknowledged is kept, and the other cell's account hears nothing of it.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cellKillDrill, cellTargets } from "../cluster/cellKills.ts"
import { lacking } from "../cluster/cells.ts"
import { findBinaries } from "../support/PostgresCluster.ts"

describe.skipIf(lacking !== null || findBinaries() === null)("two cells", () => {
  it.live("keep what they acknowledged, and answer the account of one whatever is killed of the other", () =>
    Effect.gen(function*() {
      const { other, own, rounds } = yield* cellKillDrill(cellTargets, 3)
      for (const { heard, kept } of [own, other]) {
        assert.deepStrictEqual(kept, { lost: [], forgotten: [], closed: [], twice: 0 })
        assert.isAbove(heard.acknowledged.size, 0)
      }
      // Without their only balancer no account is answered.
      for (const { others, othersFailed, target } of rounds.filter(({ target }) => target !== "balancer")) {
        assert.isAbove(others, 0, target)
        assert.strictEqual(othersFailed, 0, target)
      }
    }))
})
