import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { withoutPreamble, withoutTags } from "../../../src/engine/classifier/Envelope.ts"
import { squeeze } from "../../../src/engine/classifier/Normalise.ts"
import {
  characterData, closingTag, greeting, markerOnly, openingTag, otherMark, requestLabel, turnMark
} from "../../../src/engine/classifier/patterns/Envelopes.ts"
import { markerCharsMax, taskCharsMin } from "../../../src/engine/classifier/Sentences.ts"
import { fuzzedTexts, variedTexts } from "./variedTexts.ts"

/** {@link withoutTags} by expressions alone. */
const plainWithoutTags = (text: string): string => {
  let rest = text.trim()
  for (let round = 0; round < 4; round++) {
    const head = rest.slice(0, 120).replace(openingTag, "").replace(requestLabel, "")
    const inner = head + rest.slice(120)
    const cut = Math.max(0, inner.length - 120)
    const shorter = inner.slice(0, cut) + inner.slice(cut).replace(closingTag, "")
    if (shorter.length === rest.length || shorter.trim().length < taskCharsMin) break
    rest = shorter.trim()
  }
  return rest
}

const framed = fuzzedTexts(10, 400, 6).flatMap((text) => [
  text, `<task>${text}</task>`, `[INST] ${text} [/INST]`, `User says: ${text} #help`, `${text} 🙂`, `${text}\n©`, `<|im_start|>user\n${text}`,
  `<![CDATA[${text}]]>`, `Request follows: ${text}`, `Hi Ann, ${text}`, `@bot <<SYS>> ${text}>`, `${text}\ud83d`
])
const texts = [...variedTexts.map(([, text]) => text.slice(0, 3_000)), ...framed]

describe("what is around a request", () => {
  it("is dropped as the expressions say, wherever one is not tried for want of a character", () => {
    for (const text of texts) assert.strictEqual(withoutTags(text), plainWithoutTags(text), text)
  })

  it.prop("is dropped as the expressions say in any text", { text: Schema.String }, ({ text }) => {
    assert.strictEqual(withoutTags(text), plainWithoutTags(text))
    assert.strictEqual(withoutTags(`${text}: <b>${text}</b>`), plainWithoutTags(`${text}: <b>${text}</b>`))
  })

  it("holds a mark of a template only where the characters are that are looked for first", () => {
    for (const text of texts) {
      if (text.replace(turnMark, "").replace(otherMark, "") !== text) assert.include(text, "<|")
      if (text.replace(characterData, "") !== text) assert.match(text, /\[CDATA\[|\]\]>/)
    }
  })

  it("is a piece at the start where it is a greeting", () => {
    for (const text of texts) {
      const head = text.slice(0, markerCharsMax)
      assert.isTrue(head.endsWith(head.replace(greeting, "")), text)
      assert.isTrue(text.includes(withoutPreamble(text)), text)
    }
  })
})

it("a line that is only a marker is dropped however it is written, and is at most 48 long", () => {
  for (const word of ["instructions", "conversation", "user", ""]) {
    for (const [before, after] of [["😀".repeat(8), "😀".repeat(8)], ["=== ", " ==="], ["/", ""], ["<|", "|>"]]) {
      const line = `${before}/${word}${after}`
      if (markerOnly.test(line)) assert.isAtMost(line.length, 48)
      if (markerOnly.test(line)) assert.strictEqual(squeeze(`${line}\nSum the list.`), "Sum the list.", line)
    }
  }
})
