import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { lexicalFloor, onLexicalScale, rescaled } from "../../../src/memory/index/SimilarityScale.ts"
import { neighbours, recalled } from "../../support/builders.ts"

const Cosine = Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))
const Floor = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.95 }))

it("alike texts stay alike, and unrelated ones are where the built-in embedder has them", () => {
  assert.strictEqual(onLexicalScale(1, 0.7), 1)
  assert.closeTo(onLexicalScale(0.7, 0.7), lexicalFloor, 1e-12)
  // 0.1 + 0.9 · 0.15 / 0.3
  assert.closeTo(onLexicalScale(0.85, 0.7), 0.55, 1e-12)
})

it.prop("the order of similarities is kept, and they stay cosines", { one: Cosine, other: Cosine, floor: Floor },
  ({ floor, one, other }) => {
    const [low, high] = [Math.min(one, other), Math.max(one, other)]
    assert.isAtMost(onLexicalScale(low, floor), onLexicalScale(high, floor))
    for (const cosine of [low, high]) {
      const scaled = onLexicalScale(cosine, floor)
      assert.isTrue(scaled >= -1 && scaled <= 1 + 1e-12)
    }
  })

it("all similarities of a recall are on one scale", () => {
  const found = recalled(neighbours(2, "alpha", (i) => ({ similarity: i === 0 ? 1 : 0.7 })))
  const similarities = [...rescaled(found, 0.7).neighbours].map(({ similarity }) => similarity)
  for (const [i, expected] of [1, 0.1].entries()) assert.closeTo(similarities[i] ?? 0, expected, 1e-12)
})
