import { assert, describe, it } from "@effect/vitest"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import { pageView, type State } from "../../../packages/dashboard/src/PageView.ts"
import { placeOf, queryOf, tabs } from "../../../packages/dashboard/src/Selection.ts"
import { reported } from "../../reports/rows.ts"
import { answersOn } from "./answers.ts"

const hostile = "\"><script>alert(1)</script>"
const state = (query: string, but: Partial<State> = {}): State => ({
  hasKey: true, place: placeOf(query), answers: answersOn([reported({ actualCostUsd: 1 }, { cluster: "code:hard:run" })]),
  decision: null, isBusy: false, status: "", problem: "", ...but
})
const htmlOn = (query: string, but: Partial<State> = {}) => pageView(state(query, but)).map(htmlOf).join("")

describe("the place", () => {
  it("is what its query says, and the query what the place is", () => {
    const query = "?tab=decisions&namespace=shop&dates=2026-11-01%2F2026-11-14&model=gpt-5&tag=a%26b&user=u&by=tag&outcome=failure"
    assert.sameMembers(queryOf(placeOf(query)).slice(1).split("&"), query.slice(1).split("&"))
    assert.strictEqual(queryOf(placeOf("?days=30&by=lane")), "")
    assert.strictEqual(queryOf(placeOf("?days=7")), "?days=7")
  })

  it("is the usual one where a link names what the page does not offer", () => {
    assert.strictEqual(queryOf(placeOf("?tab=constructor&days=8&by=toString&dates=yesterday")), "")
  })
})

describe("the page", () => {
  it("shows one tab at a time, says which, and keeps the filters when another is selected", () => {
    for (const [tab, words] of Object.entries(tabs)) {
      const html = htmlOn(`?tab=${tab}&namespace=shop`)
      assert.deepStrictEqual(html.match(/aria-current="page">[^<]+/g), [`aria-current="page">${words}`])
      assert.include(html, "<option value=\"shop\" selected=\"selected\">")
    }
    assert.notInclude(htmlOn(""), "id=\"reliability\"")
    assert.notInclude(htmlOn("?tab=quality"), "class=\"cards\"")
  })

  it("says that a call was a run of an agent", () => {
    assert.include(htmlOn("?tab=decisions"), "agent&#39;s run")
  })

  it("takes what a link names for text", () => {
    const link = new URLSearchParams({ namespace: hostile, model: hostile, tag: hostile, user: hostile, tab: "decisions", outcome: hostile })
    assert.notInclude(htmlOn(`?${link}`), "<script>")
  })

  it("asks for a key, and shows no control and no figure without one", () => {
    const html = htmlOn("", { hasKey: false, answers: null, problem: "This key is not valid." })
    assert.include(html, "id=\"key-form\"")
    assert.notInclude(html, "id=\"controls\"")
    assert.include(html, "role=\"alert\">This key is not valid.")
  })
})
