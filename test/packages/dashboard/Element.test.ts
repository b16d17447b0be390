import { assert, it } from "@effect/vitest"
import { domOf } from "../../../packages/dashboard/src/Dom.ts"
import { element } from "../../../packages/dashboard/src/Element.ts"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import { hasHidden } from "../../../src/domain/text/HiddenCharacters.ts"
import { hiddenCharacters } from "../../support/hidden.ts"

const hostile = `model${hiddenCharacters.join("")}name`

it("no hidden character of a text or an attribute reaches the page", () => {
  const seen: Array<string> = []
  const node = { setAttribute: (_: string, value: string) => seen.push(value), append: (...texts: Array<string>) => seen.push(...texts) }
  Object.assign(globalThis, { document: { createElement: () => node } })
  domOf(element("td", { "aria-label": hostile, title: hostile }, hostile, null))
  assert.strictEqual(seen.length, 3)
  for (const text of seen) assert.isFalse(hasHidden(text) || !text.startsWith("model"))
})

it("no text or attribute is markup when it is written as HTML, nor has a hidden character", () => {
  const markup = "<img src=x onerror='alert(1)'>\"&"
  const html = htmlOf(element("td", { title: markup, "aria-label": hostile }, markup, hostile, null))
  const escaped = "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;"
  assert.include(html, `<td title="${escaped}"`)
  assert.include(html, `>${escaped}model`)
  assert.isFalse(hasHidden(html))
  assert.strictEqual(htmlOf(element("p", {}, element("br"), "a")), "<p><br>a</p>")
})
