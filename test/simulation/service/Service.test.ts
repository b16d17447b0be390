import { assert, describe, it } from "@effect/vitest"
import { mutations } from "./mutations.ts"
import { failureOf, simulate } from "./simulate.ts"

/** Of a machine under load; alone a seed takes a twentieth of a second. */
const slow = 240_000

describe("the service, simulated", () => {
  // More of them with `npm run test:simulation`. The checkers below find each mutation within as many.
  it("keeps its invariants under the faults of 40 seeds", async () => {
    for (let seed = 1; seed <= 40; seed++) assert.isNull(failureOf(await simulate(seed)))
  }, slow)

  it("produces the same trace when a seed is repeated", async () => {
    for (const seed of [2, 77, 178, 266]) {
      const [one, other] = [await simulate(seed), await simulate(seed)]
      assert.deepStrictEqual(one.trace, other.trace)
      assert.strictEqual(one.hash, other.hash)
    }
  }, slow)

  it("produces another trace with every seed", async () => {
    const hashes = new Set<string>()
    for (let seed = 1; seed <= 5; seed++) hashes.add((await simulate(seed)).hash)
    assert.strictEqual(hashes.size, 5)
  }, slow)
})

describe("the checkers find a service that", () => {
  for (const mutation of mutations) {
    it(mutation.name, async () => {
      let found = 0
      for (let seed = 1; seed <= 40 && found === 0; seed++) found = (await simulate(seed, mutation)).violations.length
      assert.isAbove(found, 0)
    }, slow)
  }
})
