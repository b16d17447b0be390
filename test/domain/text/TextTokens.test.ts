import { assert, describe, it } from "@effect/vitest"
import { textTokens } from "../../../src/domain/text/TextTokens.ts"

const perCharacter = (text: string) => textTokens(text.repeat(1_000)) / (text.length * 1_000)

describe("the estimate of a text's tokens", () => {
  it("is a quarter of the characters of English", () => {
    assert.strictEqual(textTokens(""), 0)
    assert.closeTo(perCharacter("The quick brown fox jumps over the lazy dog. "), 0.25, 1e-9)
  })

  // What tokenizers of 2024 to 2026 make of each script: o200k, and Anthropic's by its API's counts, in public reports.
  for (
    const [script, text, least, most] of [
      ["Chinese", "量子计算机利用叠加态进行计算", 0.6, 1], ["Japanese", "これは日本語の文章です。", 0.6, 1],
      ["Korean", "이것은 한국어 문장입니다", 0.5, 1], ["Russian", "Это предложение на русском языке ", 0.25, 0.5],
      ["Arabic", "هذه جملة باللغة العربية ", 0.25, 0.5], ["Hebrew", "זהו משפט בעברית ", 0.3, 0.6], ["Hindi", "यह हिंदी में एक वाक्य है ", 0.3, 0.6],
      ["Thai", "นี่คือประโยคภาษาไทย", 0.4, 1], ["emoji", "🎉🚀", 0.6, 1.5]
    ] as const
  ) it(`of ${script} is ${least} to ${most} tokens a character`, () => {
    assert.isAtLeast(perCharacter(text), least)
    assert.isAtMost(perCharacter(text), most)
  })

  it("counts a long run of letters and digits as data, and one as long as a word as a word", () => {
    assert.closeTo(textTokens("QUJDRA==".repeat(1_000)), 8_000 / 1.5, 1)
    assert.closeTo(textTokens(`${"a".repeat(64)} `), 65 / 4, 1e-9)
  })

  it("grows with its text", () => {
    for (const text of ["word ", "量", "🎉", "A".repeat(200)]) assert.isAbove(textTokens(text + text), textTokens(text))
  })
})
