import { assert, describe, it } from "@effect/vitest"
import { money } from "../../../packages/dashboard/src/Figures.ts"
import { headlineFigures, verdict } from "../../../packages/dashboard/src/Headline.ts"
import { headlineSection } from "../../../packages/dashboard/src/HeadlineSection.ts"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { decided, reported } from "../../reports/rows.ts"
import { answersOn } from "./answers.ts"

const textOf = (rows: ReadonlyArray<LedgerRow>) => {
  const answers = answersOn(rows)
  const claims = headlineFigures(answers).flatMap(({ figure, sentences, title }) => [title, figure, ...sentences])
  return [verdict(answers), ...claims].join("\n").replaceAll("\u00a0", " ")
}

/** A decision whose caller would otherwise use the large model. */
const ofLarge = { baselineModelId: "large" }

describe("the headline", () => {
  it("claims one saving, of followed calls, and calls estimates costs", () => {
    const text = textOf([
      reported({ actualCostUsd: 0.125 }, { ...ofLarge, costDeclaredUsd: 0.5 }),
      decided({ costDeclaredUsd: 0.5 }),
      decided()
    ])
    assert.include(text, "By the bills of the 1 call that followed the advice, it saved $0.38 against the model you would"
      + " otherwise use, as far as that model's estimate is right.")
    assert.include(text, "Feedback came for 33 % of the calls. The advice was followed in 100 % of those reported.")
    assert.include(text, "No bill of that model is known, so what it would have cost is an unchecked estimate")
    assert.include(text, "Billed saving\nnot known\nOnly the 1 request")
    assert.include(text, "Estimated cost\n$0.75\nOf the advised models, on all 3 requests. The most expensive candidates would"
      + " come to $3.00.\nOn the 2 requests that named it, the model you would otherwise use would come to $1.00")
    assert.lengthOf(text.match(/sav(ed|ing) \$/g) ?? [], 2)
    assert.include(text, "Only the 1 request that followed the advice, named the model you would otherwise use, and had"
      + " a bill: you paid $0.13; that saved $0.38.")
    assert.include(text, "Feedback came for 33 % of 3 recommendations. The outcomes of the others are not known")
  })

  it("counts one call in the singular, and more in the plural", () => {
    const followed = reported({ actualCostUsd: 0.125 }, { ...ofLarge, costDeclaredUsd: 0.5 })
    const large = reported({ actualCostUsd: 0.5, chosenModelId: "large" }, { ...ofLarge, costDeclaredUsd: 0.5 })
    const leadOf = (rows: ReadonlyArray<LedgerRow>) => htmlOf(headlineSection(answersOn(rows)))
    assert.include(leadOf([followed, large]), "on 1 followed call with a bill.")
    assert.include(leadOf([followed, followed, large]), "on 2 followed calls with a bill.")
  })

  it("states that nothing was billed and no model was named, instead of showing zeros", () => {
    const text = textOf([decided(), reported()])
    assert.include(text, "No bill and no token count says what it saved.")
    assert.include(text, "Saving\nnot known\nNo request followed the advice")
    assert.include(text, "Billed cost\nnot known\nNo feedback carried a cost")
    assert.include(text, "No request named the model you would otherwise use")
  })

  it("says that a pick which is the usual model saved nothing, whatever its estimate was", () => {
    const text = textOf([reported({ actualCostUsd: 0.125 }, { baselineModelId: "small", costDeclaredUsd: 0.5 })])
    assert.include(text, "By the bills of the 1 call that followed the advice, it saved $0 against")
    assert.include(text, "All of them ran that very model, so nothing was saved")
  })

  it("scales the model you would otherwise use by its own bills, with an interval", () => {
    const own = Array.from({ length: 40 }, () =>
      reported({ chosenModelId: "large", actualCostUsd: 0.25 }, { ...ofLarge, costDeclaredUsd: 0.5 }))
    const text = textOf([...own, reported({ actualCostUsd: 0.125 }, { ...ofLarge, costDeclaredUsd: 0.5 })])
    assert.match(text, /By the bills of the 1 call that followed the advice, it saved \$0\.13 \(95 % interval [^)]+ to [^)]+\)/)
    assert.include(text, "its estimates are multiplied by 0.50, by 40 bills of it")
    assert.include(text, "The advice was followed in 2 % of those reported")
  })

  it("shows the saving at list prices where only tokens were reported, beside the billed one", () => {
    const declared = { ...ofLarge, costDeclaredUsd: 0.5 }
    const listed = [
      ...Array.from({ length: 40 }, () => reported({ chosenModelId: "large", computedCostUsd: 0.25 }, declared)),
      ...Array.from({ length: 4 }, () => reported({ computedCostUsd: 0.125 }, declared))
    ]
    const text = textOf(listed)
    assert.match(text, /At list prices of the 4 calls that followed the advice, it saved \$0\.50 \(95 % interval [^)]+\) against/)
    assert.include(text, "Saving at list prices\n$0.50\nOnly the 4 requests that followed the advice, named the model you"
      + " would otherwise use, and had tokens and no bill: at list prices they cost $0.50; that saved $0.50")
    assert.include(text, "its estimates are multiplied by 0.50, by 40 costs of it at list prices")
    assert.notInclude(text, "Billed saving")
    const shown = htmlOf(headlineSection(answersOn(listed))).replaceAll("\u00a0", " ")
    assert.match(shown, /<h2 id="headline">Saving at list prices, last 30 days, [^<]+<\/h2><p class="figure">\$0\.50<\/p>/)
    assert.include(shown, "50 % less than your own model, on 4 followed calls with tokens and no bill.")
    // With bills as well, either has its own figure.
    const billed = [
      ...Array.from({ length: 40 }, () => reported({ chosenModelId: "large", actualCostUsd: 0.5 }, declared)),
      ...Array.from({ length: 8 }, () => reported({ actualCostUsd: 0.125 }, declared))
    ]
    const both = textOf([...billed, ...listed])
    assert.match(both, /By the bills of the 8 calls that followed the advice, it saved \$3\.00 [^;]+\. At list prices of the 4 others that/)
    const page = htmlOf(headlineSection(answersOn([...billed, ...listed])))
    assert.match(page, /Billed saving, last 30 days, [^<]+<\/h2><p class="figure">\$3\.00<\/p>/)
    assert.include(page, "<h3>Saving at list prices</h3><p class=\"figure\">$0.50</p>")
    // Of a model that never ran, the costs are shown and no saving.
    const never = htmlOf(headlineSection(answersOn([reported({ computedCostUsd: 0.125 }, declared)])))
    assert.include(never, "<p class=\"figure unknown\">not known</p><p class=\"within\">Not enough to tell: no cost at list"
      + " prices of your own model.</p><p class=\"basis\">1 followed call cost $0.13; your own model, unchecked, $0.50.</p>")
    // A saving that is not known leaves the first place to one that is.
    const unknown = reported({ actualCostUsd: 0.1 }, { ...declared, cluster: "qa:easy", baselineModelId: "never" })
    const headed = htmlOf(headlineSection(answersOn([unknown, ...listed])))
    assert.match(headed, /Saving at list prices, last 30 days/)
    assert.include(headed, "<h3>Billed saving</h3><p class=\"figure unknown\">not known</p>")
  })

  it("does not know what was saved where no request named a model", () => {
    const text = textOf([reported({ actualCostUsd: 0.125 })])
    assert.include(text, "Saving\nnot known\nNo request followed the advice, named the model you would otherwise use")
    assert.include(text, "Billed cost\n$0.13\n1 request had a bill.")
  })

  it("leaves out a bill that is far above every estimate, and states it", () => {
    const bill = (actualCostUsd: number) => reported({ actualCostUsd }, { ...ofLarge, costDeclaredUsd: 0.5 })
    const text = textOf([bill(0.125), bill(1_000_000)])
    assert.include(text, "By the bills of the 1 call that followed the advice, it saved $0.38")
    assert.include(text, "No saving counts 1 bill of $1,000,000")
    assert.include(text, "Only the 1 request that followed the advice")
    const confirmed = textOf([bill(0.125), bill(1_000_000), bill(900_000)])
    assert.notInclude(confirmed, "No saving counts")
    assert.include(confirmed, "By the bills of the 3 calls that followed the advice, it cost")
    assert.include(textOf([bill(1_000_000)]), "Saving\nnot known")
  })

  it("states that Sextant cost more when it did", () => {
    const text = textOf([reported({ actualCostUsd: 4 }, { ...ofLarge, costDeclaredUsd: 0.125 })])
    assert.include(text, "By the bills of the 1 call that followed the advice, it cost $3.88 more")
    assert.include(text, "Billed saving\n−$3.88\nOnly the 1 request")
    assert.include(text, "you paid $4.00; that cost $3.88 more.")
  })

  it("compares the mean prediction with the mean outcome, and warns of few outcomes", () => {
    const text = textOf([reported(), reported({ outcome: "failure" })])
    assert.include(text, "75 % predicted, 50 % succeeded")
    assert.include(text, "They are off by 25.0 points on average, on 2 outcomes. With so few outcomes that is uncertain")
    assert.include(text, "No model repeatedly misses its predictions")
    assert.include(textOf([decided()]), "There are no outcomes to compare the predictions with")
  })
})

describe("figures", () => {
  it("sums have cents from ten cents on, and losses keep their sign", () => {
    assert.deepStrictEqual([1204.5, 3.174, 0.699, 0.0123, 0, -3.5].map(money), [
      "$1,204.50", "$3.17", "$0.70", "$0.0123", "$0", "−$3.50"
    ])
  })
})
