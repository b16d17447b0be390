import { assert, it } from "@effect/vitest"
import { element } from "../../src/dashboard/Element.ts"
import { hasHidden } from "../../src/domain/text/HiddenCharacters.ts"
import { hiddenCharacters } from "../support/hidden.ts"

it("no hidden character of a text or an attribute reaches the page", () => {
  const seen: Array<string> = []
  const node = { setAttribute: (_: string, value: string) => seen.push(value), append: (...texts: Array<string>) => seen.push(...texts) }
  Object.assign(globalThis, { document: { createElement: () => node } })
  const hostile = `model${hiddenCharacters.join("")}name`
  element("td", { "aria-label": hostile, title: hostile }, hostile, null)
  assert.strictEqual(seen.length, 3)
  for (const text of seen) assert.isFalse(hasHidden(text) || !text.startsWith("model"))
})
