import { assert, it } from "@effect/vitest"
import { failureOf, simulate } from "./simulate.ts"

// Beside `Service.test.ts`, so that both cores have work.
it("the simulated service keeps its invariants under the faults of 250 more seeds", async () => {
  for (let seed = 251; seed <= 500; seed++) assert.isNull(failureOf(await simulate(seed)))
}, 240_000)
