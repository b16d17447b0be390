import { assert, describe, it } from "@effect/vitest"
import { money, percent, saving } from "../../src/dashboard/Figures.ts"
import { headlineFigures, verdict } from "../../src/dashboard/Headline.ts"
import { headlineSection } from "../../src/dashboard/HeadlineSection.ts"
import { htmlOf } from "../../src/dashboard/Html.ts"
import type { LedgerRow } from "../../src/domain/Decision.ts"
import { decided, reported } from "../reports/rows.ts"
import { answersOn } from "./answers.ts"

const textOf = (rows: ReadonlyArray<LedgerRow>) => {
  const answers = answersOn(rows)
  const claims = headlineFigures(answers).flatMap(({ figure, sentences, title }) => [title, figure, ...sentences])
  return [verdict(answers), ...claims].join("\n").replaceAll("\u00a0", " ")
}

/** A decision whose caller would otherwise use the large model. */
const ofLarge = { baselineModelId: "large" }

describe("the headline", () => {
  it("compares with the named model where requests named one, and separates estimates and bills", () => {
    const text = textOf([
      reported({ actualCostUsd: 0.125 }, { ...ofLarge, costDeclaredUsd: 0.5 }),
      decided({ costDeclaredUsd: 0.5 }),
      decided()
    ])
    assert.include(text, "Compared with the model you would otherwise use, it saved $0.50 by its own estimate on 2 calls")
    assert.include(text, "by the bills of the 1 that followed it, it saved $0.38, as far as that model's estimate is")
    assert.include(text, "Feedback came for 33 % of the calls. The advice was followed in 100 % of them.")
    assert.include(text, "No bill of that model is known, so what it would have cost is an unchecked estimate")
    assert.include(text, "Billed saving\nnot known\nOnly the 1 request")
    assert.include(text, "75 % less than the most expensive candidate of each request would cost: a generous baseline")
    assert.include(text, "Only the 1 request that followed the advice, named the model you would otherwise use, and had"
      + " a bill: you paid $0.13; that saved $0.38.")
    assert.include(text, "Feedback came for 33 % of 3 recommendations. The outcomes of the others are not known")
  })

  it("counts one call in the singular, and more in the plural", () => {
    const followed = reported({ actualCostUsd: 0.125 }, { ...ofLarge, costDeclaredUsd: 0.5 })
    const large = reported({ actualCostUsd: 0.5, chosenModelId: "large" }, { ...ofLarge, costDeclaredUsd: 0.5 })
    const leadOf = (rows: ReadonlyArray<LedgerRow>) => htmlOf(headlineSection(answersOn(rows)))
    assert.include(leadOf([followed, large]), "on 1 followed, billed call.")
    assert.include(leadOf([followed, followed, large]), "on 2 followed, billed calls.")
  })

  it("states that nothing was billed and no model was named, instead of showing zeros", () => {
    const text = textOf([decided(), reported()])
    assert.include(text, "Compared with the most expensive candidate, it saved $1.50 by its own estimate; no bill confirms it")
    assert.include(text, "Billed saving\nnot known\nNo feedback carried a cost")
    assert.include(text, "No request named the model you would otherwise use")
  })

  it("says that a pick which is the model you would otherwise use saved nothing, whatever its estimate was", () => {
    const text = textOf([reported({ actualCostUsd: 0.125 }, { baselineModelId: "small", costDeclaredUsd: 0.5 })])
    assert.include(text, "by the bills of the 1 that followed it, it saved $0")
    assert.include(text, "All of them ran that very model, so nothing was saved")
  })

  it("scales the model you would otherwise use by its own bills, with an interval", () => {
    const own = Array.from({ length: 40 }, () =>
      reported({ chosenModelId: "large", actualCostUsd: 0.25 }, { ...ofLarge, costDeclaredUsd: 0.5 }))
    const text = textOf([...own, reported({ actualCostUsd: 0.125 }, { ...ofLarge, costDeclaredUsd: 0.5 })])
    assert.match(text, /by the bills of the 1 that followed it, it saved \$0\.13 \(95 % interval [^)]+ to [^)]+\)/)
    assert.include(text, "its estimates are multiplied by 0.50, by 40 bills of it")
    assert.include(text, "The advice was followed in 2 % of them")
  })

  it("does not know what was saved where no request named a model", () => {
    const text = textOf([reported({ actualCostUsd: 0.125 })])
    assert.include(text, "Billed saving\nnot known\n1 request had a bill: you paid $0.13 in all")
    assert.include(text, "so what the advice saved is not known")
  })

  it("leaves out a bill that is far above every estimate, and states it", () => {
    const bill = (actualCostUsd: number) => reported({ actualCostUsd }, { ...ofLarge, costDeclaredUsd: 0.5 })
    const text = textOf([bill(0.125), bill(1_000_000)])
    assert.include(text, "by the bills of the 1 that followed it, it saved $0.38")
    assert.include(text, "Left out: 1 bill of $1,000,000")
    assert.include(text, "Only the 1 request that followed the advice")
    const confirmed = textOf([bill(0.125), bill(1_000_000), bill(900_000)])
    assert.notInclude(confirmed, "Left out")
    assert.include(confirmed, "by the bills of the 3 that followed it, it cost")
    assert.include(textOf([bill(1_000_000)]), "Billed saving\nnot known")
  })

  it("states that Sextant cost more when it did", () => {
    const text = textOf([reported({ actualCostUsd: 4 }, { ...ofLarge, costDeclaredUsd: 0.125 })])
    assert.include(text, "it cost $0.13 more by its own estimate on 1 call; by the bills of the 1 that followed it, it cost"
      + " $3.88 more")
    assert.include(text, "Billed saving\n−$3.88\nOnly the 1 request")
    assert.include(text, "you paid $4.00; that cost $3.88 more.")
  })

  it("compares the mean prediction with the mean outcome, and warns of few outcomes", () => {
    const text = textOf([reported(), reported({ outcome: "failure" })])
    assert.include(text, "75 % predicted, 50 % succeeded")
    assert.include(text, "Calibration error 25 % on 2 outcomes; 0 % is perfect. With so few outcomes the error is uncertain")
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

  it("a saving names amount and share, and a loss is called more", () => {
    assert.strictEqual(saving(3, 12), `$3.00 less (${percent(0.25)})`)
    assert.strictEqual(saving(-3, 12), `$3.00 more (${percent(0.25)})`)
    assert.strictEqual(saving(0, 12), "as much")
  })
})
