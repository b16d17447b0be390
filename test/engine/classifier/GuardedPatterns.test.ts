import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { voices } from "../../../scripts/training/examples.ts"
import { rowsIn } from "../../../scripts/training/words.ts"
import { GuardedPatterns } from "../../../src/engine/classifier/GuardedPatterns.ts"
import { scopePatterns, spanPatterns } from "../../../src/engine/classifier/patterns/Cues.ts"
import { requiredLiterals } from "../../../src/engine/classifier/RequiredLiterals.ts"
import { fuzzedTexts, variedTexts } from "./variedTexts.ts"

const patterns = [...spanPatterns, ...scopePatterns]
const guarded = new GuardedPatterns(patterns)
const foundIn = (text: string, list = guarded): ReadonlyArray<number> => {
  const found: Array<number> = []
  list.holding(text, 0, found)
  return found
}
const heldIn = (text: string, list: ReadonlyArray<RegExp> = patterns): ReadonlyArray<number> =>
  list.flatMap((pattern, index) => pattern.test(text) ? [index] : [])

describe("guarded patterns", () => {
  it("hold where the plain ones do, on the texts of training and on texts put together at random", () => {
    const trained = ["synthetic", "fresh", ...voices.map((voice) => `voices-${voice}`)]
      .flatMap((file) => rowsIn<{ readonly task: string }>(file).map(({ task }) => task.slice(0, 900)))
    const varied = variedTexts.map(([, text]) => text.slice(0, 900))
    for (const text of [...trained, ...varied, ...fuzzedTexts(8, 4_000, 30)]) {
      assert.deepStrictEqual(foundIn(text), heldIn(text), text)
    }
  })

  it("hold in what any of them matches, alone and between other characters", () => {
    for (const [name, text] of variedTexts.filter((_, index) => index % 3 === 0)) {
      for (const pattern of patterns) {
        const match = pattern.exec(text.slice(0, 900))?.[0]
        if (match === undefined) continue
        for (const piece of [match, `\n${match}\n`, `é${match}é`, `_${match}0`, match.toUpperCase()]) {
          assert.deepStrictEqual(foundIn(piece), heldIn(piece), name)
        }
      }
    }
  })

  it.prop("hold where the plain ones do, in any text", { text: Schema.String }, ({ text }) => {
    assert.deepStrictEqual(foundIn(text), heldIn(text))
  })

  it("leave most patterns untried in a plain request", () => {
    let tried = 0
    const counting = patterns.map(({ flags, source }) => new class extends RegExp {
      override test(text: string): boolean {
        tried++
        return super.test(text)
      }
    }(source, flags))
    foundIn("Summarize the report below in two sentences.", new GuardedPatterns(counting))
    assert.isAtMost(tried, 6)
  })

  it("keep their order, and may follow a text of any length", () => {
    const list = [/b+c/, /a/i, /\d{2}-\d/, /$/]
    const few = new GuardedPatterns(list)
    for (const text of ["bbc", "x".repeat(5_000), "A", "", "12-3 abc", "1-3"]) {
      assert.deepStrictEqual(foundIn(text, few), heldIn(text, list), text.slice(0, 20))
    }
  })
})

describe("requiredLiterals", () => {
  const shown = (pattern: RegExp) => requiredLiterals(pattern).map((set) => set.map((literal) =>
    literal.replace("\u0001", "<").replace("\u0002", "^").replace("\u0003", ">").replaceAll("\u007f", "~")))

  for (
    const [pattern, sets] of [
      [/\b(?:cat|dogs?)\b/i, [["<cat>", "<dog>", "<dogs>"]]],
      [/\bmake\b.{0,60}\bapp\b/, [["<make>"], ["<app>"]]],
      [/^\W{0,4}(?:question|q)\s?[:：]/im, [["^question", "^q"], [":", "~"]]],
      [/[一-鿿]/, [["~"]]],
      [/wie|grün/i, [["wie", "gr~n"]]],
      [/optimi[sz]e/, [["optimise", "optimize"]]],
      [/\$x\d?/, [["$x", "$x0"]]],
      [/key/iu, [["key", "~"]]],
      [/a*|b/, []],
      [/(?<name>a)/, []],
      [/(a)\1/, []],
      [/\u0041b/, []],
      [/x(?:^\s*ab|\bc)y/m, [["x"], ["^aby", "<cy"]]],
      [/.[^x]\w\p{L}?/u, []]
    ] as const
  ) {
    it(`of ${String(pattern)} are ${JSON.stringify(sets)}`, () => assert.deepStrictEqual(shown(pattern), sets.map((set) => [...set])))
  }
})
