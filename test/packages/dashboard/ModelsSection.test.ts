import { assert, describe, it } from "@effect/vitest"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import { modelsSection } from "../../../packages/dashboard/src/ModelsSection.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { reported } from "../../reports/rows.ts"
import { answersOn } from "./answers.ts"

const textOn = (rows: ReadonlyArray<LedgerRow>): string =>
  htmlOf(modelsSection(answersOn(rows))).replaceAll("\u00a0", " ")

describe("the models by kind of task", () => {
  const plausible = [reported({ actualCostUsd: 0.25 }), reported({ actualCostUsd: 0.75 })]

  it("say that an implausible bill is left out of what a call is billed", () => {
    const text = textOn([...plausible, reported({ actualCostUsd: 500_000 }, { isShadow: true })])
    assert.include(text, "$0.50")
    assert.include(text, "3, 1 left out as implausible")
    assert.notInclude(text, "$166")
    assert.include(textOn([reported({ actualCostUsd: 500_000 })]), "not known")
  })

  it("say nothing of it where every bill counts", () => {
    assert.notInclude(textOn(plausible), "implausible")
  })
})
