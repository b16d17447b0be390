import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { embedderNamed, withKinds } from "../../../../scripts/bench/arena/embedders.ts"
import { bytesPerWord, hashOfWord, meaningDimensions } from "../../../../scripts/bench/arena/meanings.ts"
import { Embedder } from "../../../../src/embedder/Embedder.ts"
import { embedLexical, lexicalDimensions } from "../../../../src/embedder/lexical/EmbedderLexical.ts"

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

/** A file with a table of words whose vectors have one coordinate, in steps of the scale. */
const tableOf = (words: Readonly<Record<string, readonly [index: number, steps: number]>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "sextant-meanings-"))
      const all = Object.entries(words)
      const bytes = Buffer.alloc(all.length * bytesPerWord)
      all.forEach(([word, [index, steps]], row) => {
        bytes.writeInt32LE(hashOfWord(word), 4 * row)
        bytes.writeFloatLE(0.5, 4 * (all.length + row))
        bytes.writeInt8(steps, 8 * all.length + meaningDimensions * row + index)
      })
      const file = join(folder, "words.bin")
      writeFileSync(file, bytes)
      return { folder, file }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

describe("an embedder that is tried", () => {
  it.effect("a table of words brings two texts together whose words mean the same", () =>
    Effect.gen(function*() {
      const { file } = yield* tableOf({ car: [3, 100], automobile: [3, 40], tea: [5, 100] })
      const [car, automobile, tea] = yield* vectors("Car!", "automobile", "tea").pipe(
        Effect.provide(embedderNamed(file))
      )
      const byWords = dot(embedLexical("Car!"), embedLexical("automobile"))
      assert.closeTo(dot(car!, automobile!), 0.5 + 0.5 * byWords, 1e-6)
      assert.closeTo(dot(car!, tea!), 0.5 * dot(embedLexical("Car!"), embedLexical("tea")), 1e-6)
    }))

  it.effect("a text without a word of the table has the built-in vector at its full length", () =>
    Effect.gen(function*() {
      const { file } = yield* tableOf({ car: [3, 100] })
      const [own] = yield* vectors("żółw").pipe(Effect.provide(embedderNamed(file)))
      assert.deepStrictEqual(own!.subarray(0, lexicalDimensions), embedLexical("żółw"))
    }))

  it.effect("a file that is no table is refused", () =>
    Effect.gen(function*() {
      const { file } = yield* tableOf({ car: [3, 100] })
      writeFileSync(file, "words")
      assert.throws(() => embedderNamed(file), /no table of word vectors/)
    }))

  it.effect("an embedder that knows the kinds sets prompts of one kind apart from all others", () =>
    Effect.gen(function*() {
      const kindOf = new Map([["sum a list", 0], ["a poem", 0], ["sum the list", 1]])
      const [sum, poem, other] = yield* vectors(...kindOf.keys()).pipe(Effect.provide(withKinds(kindOf)))
      const byWords = dot(embedLexical("sum a list"), embedLexical("a poem"))
      assert.closeTo(dot(sum!, poem!), 0.5 + 0.5 * byWords, 1e-6)
      assert.isBelow(dot(sum!, other!), 0.5)
    }))
})
