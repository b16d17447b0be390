import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { escapedLine, hasHidden, shown } from "../../../src/domain/text/HiddenCharacters.ts"
import { quoted } from "../../../src/domain/text/Text.ts"
import { hiddenCharacters } from "../../support/hidden.ts"

it("none of the corpus is shown, and words on both sides of it stay", () => {
  for (const character of hiddenCharacters) {
    const text = shown(`left${character}right`)
    assert.match(text, /^left ?\n?right$/, JSON.stringify(character))
    assert.isTrue(hasHidden(`left${character}right`), JSON.stringify(character))
    assert.isFalse(hasHidden(text))
    assert.notInclude(quoted(`left${character}right`), character)
  }
})

it("line feeds, tabs, joiners, accents and emoji are shown as they are", () => {
  const text = "a\nb\tc é \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u{1f469}\u200d\u{1f4bb} 日本"
  assert.strictEqual(shown(text), text)
})

it.prop("what is shown holds nothing hidden, and shown twice is shown once", { text: Schema.String }, ({ text }) => {
  const once = shown(text)
  assert.isFalse(hasHidden(once))
  assert.strictEqual(shown(once), once)
})

it("a log line stays one line, two texts stay two, and JSON reads as it was written", () => {
  for (const character of [...hiddenCharacters, "\n", "\t"]) {
    const line = escapedLine(JSON.stringify({ model: `a${character}b` }))
    assert.isFalse(hasHidden(line) || /[\n\t]/.test(line), JSON.stringify(character))
    assert.deepStrictEqual(JSON.parse(line), { model: `a${character}b`.toWellFormed() })
  }
  assert.strictEqual(escapedLine("a\u202eb"), "a\\u202eb")
})
