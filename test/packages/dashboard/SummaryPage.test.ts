import { assert, describe, it } from "@effect/vitest"
import { shortfallsOf } from "../../../packages/dashboard/src/Shortfalls.ts"
import { summaryPage } from "../../../packages/dashboard/src/SummaryPage.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { decided, reported } from "../../reports/rows.ts"
import { answersOn } from "./answers.ts"

const madeAt = new Date("2026-11-23T10:30:00Z")
const pageOn = (rows: ReadonlyArray<LedgerRow>) =>
  summaryPage({ answers: answersOn(rows), madeAt, version: "1.2.3" }).replaceAll("\u00a0", " ")
const shortOf = (rows: ReadonlyArray<LedgerRow>) => shortfallsOf(answersOn(rows)).join("\n").replaceAll("\u00a0", " ")

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
    assert.match(page, /<p class="figure">\$5\.00<\/p><p class="within">95 % interval \$[\d.]+ to \$[\d.]+<\/p>/)
    assert.include(page, "acme, all namespaces, 1 Nov 2026 to 23 Nov 2026")
    assert.include(page, "as of 23 Nov 2026, 10:30 UTC, by Sextant 1.2.3")
  })

  it("calls a loss a loss", () => {
    const page = pageOn([...own, ...Array.from({ length: 40 }, () => reported({ actualCostUsd: 0.75 }, ofLarge))])
    assert.include(page, "<p class=\"figure loss\">−$20.00</p>")
    assert.include(page, "200 % more than your own model")
    assert.include(page, "Billed saving: the advice cost more than the model you would otherwise use")
  })

  it("has no figure where there is no decision", () => {
    const page = pageOn([])
    assert.include(page, "There was no recommendation in this window")
    assert.notInclude(page, "class=\"figure\"")
  })
})

describe("what falls short", () => {
  it("names bills, feedback, baselines, outcomes and labels that are missing", () => {
    const text = shortOf([decided(), reported({ provenance: "judge" })])
    assert.include(text, "No followed call that named the model you would otherwise use")
    assert.include(text, "Feedback came for 50 % of 2 calls")
    assert.include(text, "2 of 2 calls did not name the model you would otherwise use")
    assert.include(text, "With 1 outcome every rate is uncertain")
    assert.include(text, "No outcome was verified by a check or a person")
  })

  it("says that it is not enough to tell where the interval includes no saving", () => {
    const bills = [0.1, 0.4].flatMap((actualCostUsd) => Array.from({ length: 20 }, () =>
      reported({ chosenModelId: "large", actualCostUsd }, ofLarge)))
    const even = Array.from({ length: 4 }, () => reported({ actualCostUsd: 0.25 }, ofLarge))
    assert.include(shortOf([...bills, ...even]), "Billed saving: not enough to tell whether the advice saved anything")
    assert.include(pageOn([...bills, ...even]), ": not enough to tell</p>")
  })

  it("says how many followed calls lack a bill, and claims nothing that these could turn", () => {
    const without = (count: number) => Array.from({ length: count }, () => reported({ actualCostUsd: null }, ofLarge))
    const few = pageOn([...own, ...followed, ...without(1)])
    assert.match(few, /95 % interval \$[\d.]+ to \$[\d.]+<\/p>/)
    assert.include(few, "on 40 of 41 followed calls with a bill.")
    assert.include(few, "1 more call that followed it and named that model came without a bill.")
    const many = [...own, ...followed, ...without(80)]
    const words = "not enough to tell, since 80 more calls without a bill could turn it"
    assert.match(pageOn(many), /\$[\d.]+: not enough to tell<\/p>/)
    assert.include(pageOn(many), "on 40 of 120 followed calls with a bill.")
    assert.include(pageOn(many), `: ${words}) against the model you would otherwise use`)
    assert.include(pageOn(many), ", undecided)")
    assert.include(shortOf(many), `Billed saving: ${words}.`)
    assert.notInclude(shortOf([...own, ...followed, ...without(1)]), "Billed saving")
  })

  it("says of an unchecked estimate that it is one", () => {
    assert.include(shortOf([reported({ actualCostUsd: 0.125 }, ofLarge)]), "has a bill, so it is an unchecked estimate")
    const listed = shortOf([reported({ computedCostUsd: 0.125 }, ofLarge)])
    assert.include(listed, "has a cost at list prices, so it is an unchecked estimate")
    assert.include(listed, "No bill confirms the saving: it is at list prices.")
  })

  it("leaves out what is there", () => {
    const text = shortOf([...own, ...followed])
    for (const absent of ["No followed", "Feedback came", "did not name", "every rate is uncertain", "not enough", "No bill"]) {
      assert.notInclude(text, absent)
    }
  })
})
