import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { readingsOf } from "./readings.ts"
import { variedTexts } from "./variedTexts.ts"

const frozen: Readonly<Record<string, string>> =
  JSON.parse(readFileSync(new URL("./readings.json", import.meta.url), "utf8"))

it("every varied text has the frozen classes, probabilities, features and vector, bit for bit", () => {
  assert.strictEqual(new Set(variedTexts.map(([name]) => name)).size, variedTexts.length, "a name is there twice")
  const changed = variedTexts.filter(([name, text]) => frozen[name] !== readingsOf(text)).map(([name]) => name)
  assert.deepStrictEqual(changed, [])
  assert.strictEqual(Object.keys(frozen).length, variedTexts.length)
})

it("a text read twice, and after other texts, has the same readings", () => {
  for (const [name, text] of variedTexts.toReversed().filter((_, index) => index % 5 === 0)) {
    assert.strictEqual(readingsOf(text), frozen[name], name)
  }
})
