import { assert, describe, it } from "@effect/vitest"
import { mailPage, summaryPage } from "../../../packages/dashboard/src/SummaryPage.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { reported } from "../../reports/rows.ts"
import { answersOn } from "./answers.ts"

const madeAt = new Date("2026-11-23T10:30:00Z")
const pageOn = (rows: ReadonlyArray<LedgerRow>) =>
  summaryPage({ answers: answersOn(rows), madeAt, version: "1.2.3" }).replaceAll("\u00a0", " ")

const ofLarge = { baselineModelId: "large", costDeclaredUsd: 0.5 }
const own = Array.from({ length: 40 }, () => reported({ chosenModelId: "large", actualCostUsd: 0.25 }, ofLarge))
const followed = Array.from({ length: 40 }, () => reported({ actualCostUsd: 0.125 }, ofLarge))

describe("the summary page", () => {
  it("loads nothing, runs nothing and has no style of an element, whatever a model is named", () => {
    const hostile = "</style><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>"
    const page = pageOn([
      reported({ chosenModelId: hostile, actualCostUsd: 1 }, {
        recommendedModelId: hostile, baselineModelId: hostile, costDeclaredUsd: 2,
        candidates: [{ modelId: hostile, predictedSuccess: 0.9, estCostUsd: 1, isEligible: true }]
      })
    ])
    assert.include(page, "&lt;script&gt;alert(1)")
    assert.notMatch(page, /<script|<img|<link|\sstyle=|<[^>]+\son\w+=|url\(|@import/)
    assert.include(page, "default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;")
    assert.strictEqual(page.split("<style>").length, 2)
    // The one address is the name of SVG's vocabulary, which is not loaded.
    assert.deepStrictEqual([...new Set(page.match(/https?:\/\/[^"<\s]+/g))], ["http://www.w3.org/2000/svg"])
  })

  it("gives the billed saving with its interval, the account and the window", () => {
    const page = pageOn([...own, ...followed])
    assert.match(page, /<p class="figure">\$5\.00<\/p>.*?<p>95 % interval \$[\d.]+ to \$[\d.]+<\/p>/)
    assert.include(page, "acme, all namespaces, 1 Nov 2026 to 23 Nov 2026")
    assert.include(page, "as of 23 Nov 2026, 10:30 UTC, by Sextant 1.2.3")
  })

  it("calls a loss a loss", () => {
    const page = pageOn([...own, ...Array.from({ length: 40 }, () => reported({ actualCostUsd: 0.75 }, ofLarge))])
    assert.include(page, "<p class=\"figure loss\">−$20.00</p>")
    assert.include(page, "200 % more than $10.00")
  })

  it("has no figure where there is no decision", () => {
    const page = pageOn([])
    assert.include(page, "There was no recommendation in this window")
    assert.notInclude(page, "class=\"figure\"")
  })
})

describe("the page to be mailed", () => {
  const mailOn = (rows: ReadonlyArray<LedgerRow>) =>
    mailPage({ answers: answersOn(rows), madeAt, version: "1.2.3" }).replaceAll("\u00a0", " ")

  it("has looks without its style sheet, in no colour that a dark scheme would swallow", () => {
    const bare = mailOn([...own, ...followed]).replace(/<style>.*?<\/style>/s, "")
    for (const [section] of bare.matchAll(/<(?:section|h2|table|td)\b[^>]*>/g)) assert.include(section, " style=\"")
    assert.notMatch(bare, /\sstyle="[^"]*(?:^|;|")(?:color|background)/)
  })

  it("is the first screen alone, without a script, a form or a link into the page that runs", () => {
    const page = mailOn([...own, ...followed])
    assert.match(page, /<h2 id="headline" style="[^"]+">\$15\.00 spent; large for/)
    assert.notInclude(page, "<details")
    assert.include(page, "id=\"spend\"")
    assert.notMatch(page, /<script|<form|<button|data-state="\?tab|id="policies"|id="reliability"/)
  })

  it("says that it is not enough to tell where the interval includes no saving", () => {
    const bills = [0.1, 0.4].flatMap((actualCostUsd) => Array.from({ length: 20 }, () =>
      reported({ chosenModelId: "large", actualCostUsd }, ofLarge)))
    const even = Array.from({ length: 4 }, () => reported({ actualCostUsd: 0.25 }, ofLarge))
    assert.include(mailOn([...bills, ...even]), ", undecided</p>")
  })

  it("says how many followed calls lack a bill, and claims nothing that these could turn", () => {
    const without = (count: number) => Array.from({ length: count }, () => reported({ actualCostUsd: null }, ofLarge))
    const few = pageOn([...own, ...followed, ...without(1)])
    assert.match(few, /95 % interval \$[\d.]+ to \$[\d.]+<\/p>/)
    assert.include(few, "1 more call that followed it and named that model came without a bill.")
    const many = pageOn([...own, ...followed, ...without(80)])
    assert.match(many, /\$[\d.]+, undecided<\/p>/)
    assert.include(many, ": not enough to tell, since 80 more calls without a bill could turn it)")
  })

  it("says of an unchecked estimate that it is one", () => {
    assert.include(pageOn([reported({ actualCostUsd: 0.125 }, ofLarge)]), "is an unchecked estimate")
    assert.include(pageOn([reported({ computedCostUsd: 0.125 }, ofLarge)]), "No cost at list prices of that model is known")
  })
})
