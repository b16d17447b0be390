import { assert, describe, it } from "@effect/vitest"
import { shadowSection } from "../../../packages/dashboard/src/ShadowSection.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { decided, reported } from "../../reports/rows.ts"
import { answersOn, htmlIn } from "./answers.ts"

const textOn = (rows: ReadonlyArray<LedgerRow>): string => htmlIn(shadowSection(answersOn(rows)))

/** A call in shadow that ran the large model where the small one was recommended. */
const shadowOf = (actualCostUsd: number) => reported({ chosenModelId: "large", actualCostUsd }, { isShadow: true })

describe("the section of shadows", () => {
  it("is left away where no decision was asked in shadow", () => {
    assert.strictEqual(textOn([decided(), reported({ actualCostUsd: 1 })]), "")
  })

  it("gives what following would have kept with its interval under bills, never as a saving", () => {
    const bills = Array.from({ length: 40 }, () => reported({ actualCostUsd: 0.25 }))
    const text = textOn([...bills, ...Array.from({ length: 40 }, () => shadowOf(1))])
    assert.include(text, "Following would have kept $30.00")
    assert.match(text, /\$30\.00 \(95 % interval \$[\d.]+ to \$[\d.]+\)/)
    assert.include(text, "no saving counts it")
  })

  it("does not show a gain over a model without bills, and does show a loss", () => {
    assert.include(textOn([shadowOf(1)]), "Following would have kept an amount that is not known")
    assert.notInclude(textOn([shadowOf(1)]), "would have kept $")
    const dear = { isShadow: true, recommendedModelId: "large", costRecommendedUsd: 1 }
    const text = textOn([reported({ chosenModelId: "small", actualCostUsd: 0.25 }, dear)])
    assert.match(text, /Following would have cost \$0\.\d+ more/)
  })

  it("gives the success of what ran with its interval", () => {
    assert.include(textOn([shadowOf(1), shadowOf(1)]), "100 % (34 % to 100 %)")
  })
})
