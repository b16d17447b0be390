import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { withKinds } from "../../../../scripts/bench/arena/embedders.ts"
import { Embedder } from "../../../../src/embedder/Embedder.ts"
import { embedLexical } from "../../../../src/embedder/lexical/EmbedderLexical.ts"

const dot = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, coordinate, index) => sum + coordinate * other[index]!, 0)

const vectors = (...texts: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { dimensions, embed } = yield* Embedder
    const all = yield* Effect.forEach(texts, embed)
    for (const vector of all) {
      assert.strictEqual(vector.length, dimensions)
      assert.closeTo(Math.hypot(...vector), 1, 1e-6)
    }
    return all
  })

describe("the embedder of a benchmark", () => {
  it.effect("that knows the kinds sets prompts of one kind apart from all others", () =>
    Effect.gen(function*() {
      const kindOf = new Map([["sum a list", 0], ["a poem", 0], ["sum the list", 1]])
      const [sum, poem, other] = yield* vectors(...kindOf.keys()).pipe(Effect.provide(withKinds(kindOf)))
      const byWords = dot(embedLexical("sum a list"), embedLexical("a poem"))
      assert.closeTo(dot(sum!, poem!), 0.5 + 0.5 * byWords, 1e-6)
      assert.isBelow(dot(sum!, other!), 0.5)
    }))
})
