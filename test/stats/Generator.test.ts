import { assert, it } from "@effect/vitest"
import { generator, normal } from "../../src/stats/Generator.ts"
import { hashOf, hashOfHex } from "../../src/stats/Hash.ts"

const drawn = (count: number, next: () => number) => Array.from({ length: count }, next)
const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

it("the same seed draws the same numbers, another seed others, all in [0, 1)", () => {
  assert.deepStrictEqual(drawn(20, generator(5)), drawn(20, generator(5)))
  assert.notDeepEqual(drawn(20, generator(5)), drawn(20, generator(6)))
  for (const value of drawn(1000, generator(7))) assert.isTrue(value >= 0 && value < 1)
})

it("normal draws have mean 0 and variance 1", () => {
  const uniform = generator(8)
  const values = drawn(20_000, () => normal(uniform))
  assert.closeTo(mean(values), 0, 0.03)
  assert.closeTo(mean(values.map((value) => value * value)), 1, 0.05)
})

it("hashes of ids that differ by one letter fill folds evenly", () => {
  const counts = [0, 0, 0, 0, 0]
  for (let i = 0; i < 5000; i++) counts[hashOf(`0193-${i}`) % 5]! += 1
  for (const count of counts) assert.closeTo(count, 1000, 120)
})

it("the hash of bytes is that of their hexadecimal text", () => {
  const text = "00ff0a9b1c2d3e"
  const bytes = Uint8Array.from(Buffer.from(text, "hex"))
  assert.strictEqual(hashOfHex(bytes, 0, bytes.length), hashOf(text))
  assert.strictEqual(hashOfHex(bytes, 3, bytes.length), hashOf(text, 6))
})
