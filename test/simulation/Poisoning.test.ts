import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { teach } from "../../src/memory/DirectWrites.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { localMemory } from "../engine/pipelines.ts"
import { freshScope, observationIn, queryIn, reinforcementIn, vote } from "../memory/fixtures.ts"
import { regretRise } from "./poisoning.ts"

const shares = [0.05, 0.1, 0.2]
/** Points of true quality that honest callers may lose to lies of those shares. */
const riseMax = [2, 4, 10]

describe("feedback of which a share is false", () => {
  // Where liars are named, a seed costs honest callers less than half of those points; lies that are nobody's differ by more.
  for (
    const [workload, liars, whose, seeds] of [
      ["w1", 1, "one actor's", [1]], ["w1", 5, "five actors'", [3]], ["w2", 0, "nobody's in particular", [1, 2]]
    ] as const
  ) {
    it.live(`costs honest callers up to 2, 4, 10 points if 5, 10, 20 % is false: ${whose}, ${workload}`, () =>
      Effect.gen(function*() {
        const rises = yield* Effect.forEach(seeds, (seed) => regretRise({ workload, seed, prompts: 500, slider: 5, liars }, shares))
        const means = shares.map((_, i) => rises.reduce((sum, rise) => sum + (rise[i] ?? 0), 0) / seeds.length)
        means.forEach((mean, i) => assert.isAtMost(mean, riseMax[i] ?? 0, `${String(shares[i])}: ${rises.join(" | ")}`))
      }), 240_000)
  }
})

describe("one actor", () => {
  const reliabilityAfter = (actors: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const observation = observationIn(scope)
      yield* teach(memory, observation)
      for (const userId of actors) {
        yield* vote(memory, reinforcementIn(scope, [observation.observationId], { userId, quality: 0 }))
      }
      return [...(yield* memory.recall(queryIn(scope))).neighbours][0]?.reliability ?? 0
    }).pipe(Effect.provide(localMemory()))

  it.live("moves an entry no further in a day by a thousand votes than by five", () =>
    Effect.gen(function*() {
      const [none, five, thousand] = [
        yield* reliabilityAfter([]),
        yield* reliabilityAfter(Array.from({ length: 5 }, () => "mallory")),
        yield* reliabilityAfter(Array.from({ length: 1_000 }, () => "mallory"))
      ]
      assert.closeTo(thousand, five, 1e-6)
      assert.isAbove(thousand, none - 0.35)
      // Others may still disagree with it.
      assert.isBelow(yield* reliabilityAfter(Array.from({ length: 20 }, (_, i) => `actor-${i % 4}`)), thousand)
    }))
})
