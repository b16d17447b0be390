import { assert, it } from "@effect/vitest"
import { element } from "../../../packages/dashboard/src/Element.ts"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import { hasHidden } from "../../../src/domain/text/HiddenCharacters.ts"
import { hiddenCharacters } from "../../support/hidden.ts"

const hostile = `model${hiddenCharacters.join("")}name`

it("no text or attribute is markup when it is written as HTML, nor has a hidden character", () => {
  const markup = "<img src=x onerror='alert(1)'>\"&"
  const html = htmlOf(element("td", { title: markup, "aria-label": hostile }, markup, hostile, null))
  const escaped = "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;"
  assert.include(html, `<td title="${escaped}"`)
  assert.include(html, `>${escaped}model`)
  assert.isFalse(hasHidden(html))
  assert.strictEqual(htmlOf(element("p", {}, element("br"), "a")), "<p><br>a</p>")
})
