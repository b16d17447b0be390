import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { TextCodes } from "../../../src/domain/text/TextCodes.ts"

const codesOf = (text: string): ReadonlyArray<number> =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))

describe("TextCodes", () => {
  const reading = new TextCodes(4)

  it("gives each code of a text and a 0 after it, for half pairs and for texts past its size too", () => {
    for (const text of ["", "a", "abcd", "x\ud800y", "\udc00\ud800", "é漢😀", "\0\uffff\ufeff", "b".repeat(5_000), "c"]) {
      reading.read(text)
      assert.strictEqual(reading.length, text.length)
      assert.deepStrictEqual([...reading.codes.subarray(0, text.length + 1)], [...codesOf(text), 0])
    }
  })

  it.prop("gives each code of any text", { text: Schema.String }, ({ text }) => {
    reading.read(`${text}\ud83d`)
    assert.deepStrictEqual([...reading.codes.subarray(0, reading.length)], codesOf(`${text}\ud83d`))
  })
})
