import { assert, describe, it } from "@effect/vitest"
import { money, price, sum } from "../../../packages/dashboard/src/Figures.ts"
import { firstScreen } from "../../../packages/dashboard/src/FirstScreen.ts"
import { figuresOf } from "../../../packages/dashboard/src/Grounds.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { decided, reported } from "../../reports/rows.ts"
import { answersOn, htmlIn } from "./answers.ts"

const textOf = (rows: ReadonlyArray<LedgerRow>) => {
  const answers = answersOn(rows)
  return figuresOf(answers).flatMap(({ figure, sentences, title }) => [title, figure, ...sentences]).join("\n")
    .replaceAll("\u00a0", " ")
}
const shownOn = (rows: ReadonlyArray<LedgerRow>) => htmlIn(firstScreen(answersOn(rows)))

/** A decision whose caller would otherwise use the large model. */
const ofLarge = { baselineModelId: "large" }

describe("what the figures rest on", () => {
  it("claims one saving, of followed calls", () => {
    const text = textOf([
      reported({ actualCostUsd: 0.125 }, { ...ofLarge, costDeclaredUsd: 0.5 }),
      decided({ costDeclaredUsd: 0.5 }),
      decided()
    ])
    assert.include(text, "No bill of that model is known, so what it would have cost is an unchecked estimate")
    assert.include(text, "Billed saving\nnot known\nOnly the 1 request")
    assert.lengthOf(text.match(/sav(ed|ing) \$/g) ?? [], 1)
    assert.include(text, "Only the 1 request that followed the advice, named the model you would otherwise use, and had"
      + " a bill: you paid $0.13; that saved $0.38.")
  })

  it("states that nothing was billed and no model was named, instead of showing zeros", () => {
    const text = textOf([decided(), reported()])
    assert.include(text, "Saving\nnot known\nNo request followed the advice")
    assert.include(text, "Billed cost\nnot known\nNo feedback carried a cost")
  })

  it("says that a pick which is the usual model saved nothing, whatever its estimate was", () => {
    const text = textOf([reported({ actualCostUsd: 0.125 }, { baselineModelId: "small", costDeclaredUsd: 0.5 })])
    assert.include(text, "All of them ran that very model, so nothing was saved")
  })

  it("scales the model you would otherwise use by its own bills, with an interval", () => {
    const own = Array.from({ length: 40 }, () =>
      reported({ chosenModelId: "large", actualCostUsd: 0.25 }, { ...ofLarge, costDeclaredUsd: 0.5 }))
    const text = textOf([...own, reported({ actualCostUsd: 0.125 }, { ...ofLarge, costDeclaredUsd: 0.5 })])
    assert.match(text, /had a bill: you paid \$0\.13; that saved \$0\.13 \(95 % interval [^)]+ to [^)]+\)/)
    assert.include(text, "its estimates are multiplied by 0.50, by 40 bills of it")
  })

  it("shows the saving at list prices where only tokens were reported, beside the billed one", () => {
    const declared = { ...ofLarge, costDeclaredUsd: 0.5 }
    const listed = [
      ...Array.from({ length: 40 }, () => reported({ chosenModelId: "large", computedCostUsd: 0.25 }, declared)),
      ...Array.from({ length: 4 }, () => reported({ computedCostUsd: 0.125 }, declared))
    ]
    const text = textOf(listed)
    assert.include(text, "Saving at list prices\n$0.50\nOnly the 4 requests that followed the advice, named the model you"
      + " would otherwise use, and had tokens and no bill: at list prices they cost $0.50; that saved $0.50")
    assert.include(text, "its estimates are multiplied by 0.50, by 40 costs of it at list prices")
    assert.notInclude(text, "Billed saving")
    const shown = shownOn(listed)
    assert.match(shown, /<h3>Saved at list prices against large<\/h3><p class="figure">\$0\.50<\/p>/)
    assert.include(shown, "50 % less than $1.00, on 4 calls with tokens and no bill")
    // With bills as well, either has its own figure.
    const billed = [
      ...Array.from({ length: 40 }, () => reported({ chosenModelId: "large", actualCostUsd: 0.5 }, declared)),
      ...Array.from({ length: 8 }, () => reported({ actualCostUsd: 0.125 }, declared))
    ]
    const page = shownOn([...billed, ...listed])
    assert.match(page, /<h3>Saved by the bills against large<\/h3><p class="figure">\$3\.00<\/p>/)
    assert.include(page, "and $0.50 at list prices, on 4 others")
    // Of a model that never ran, the estimate is no saving.
    assert.include(textOf([reported({ computedCostUsd: 0.125 }, declared)]), "Saving at list prices\nnot known\n")
    // A saving that is not known leaves the first place to one that is.
    const unknown = reported({ actualCostUsd: 0.1 }, { ...declared, cluster: "qa:easy", baselineModelId: "never" })
    assert.include(shownOn([unknown, ...listed]), "<h3>Saved at list prices against large or never</h3>")
  })

  it("does not know what was saved where no request named a model", () => {
    const text = textOf([reported({ actualCostUsd: 0.125 })])
    assert.include(text, "Saving\nnot known\nNo request followed the advice, named the model you would otherwise use")
    assert.include(text, "Billed cost\n$0.13\n1 request had a bill.")
  })

  it("leaves out a bill that is far above every estimate, and states it", () => {
    const bill = (actualCostUsd: number) => reported({ actualCostUsd }, { ...ofLarge, costDeclaredUsd: 0.5 })
    const text = textOf([bill(0.125), bill(1_000_000)])
    assert.include(text, "you paid $0.13; that saved $0.38")
    assert.include(text, "$1,000,000.00 is not compared: 1 bill of more than 50 times the highest estimate")
    assert.include(text, "Only the 1 request that followed the advice")
    const confirmed = textOf([bill(0.125), bill(1_000_000), bill(900_000)])
    assert.notInclude(confirmed, "is not compared")
    assert.include(confirmed, "Only the 3 requests that followed the advice")
    assert.include(textOf([bill(1_000_000)]), "Saving\nnot known")
  })

  it("states that Sextant cost more when it did", () => {
    const text = textOf([reported({ actualCostUsd: 4 }, { ...ofLarge, costDeclaredUsd: 0.125 })])
    assert.include(text, "Billed saving\n−$3.88\nOnly the 1 request")
    assert.include(text, "you paid $4.00; that cost $3.88 more.")
  })
})

describe("figures", () => {
  it("sums have cents from ten cents on, and losses keep their sign", () => {
    assert.deepStrictEqual([1204.5, 3.174, 0.699, 0.0123, 0, -3.5].map(money), [
      "$1,204.50", "$3.17", "$0.70", "$0.0123", "$0", "−$3.50"
    ])
  })

  it("have thousands separators in prices too, and whole dollars in a sentence", () => {
    assert.deepStrictEqual([9825.51, 1.2, 0.00123].map(price), ["$9,825.51", "$1.20", "$0.00123"])
    assert.deepStrictEqual([9721.4, 75.2, -1300.83].map(sum), ["$9,721", "$75.20", "−$1,301"])
  })
})
