import { assert, describe, it } from "@effect/vitest"
import { policiesSection } from "../../../packages/dashboard/src/PoliciesSection.ts"
import { reported } from "../../reports/rows.ts"
import { idOf } from "../../support/builders.ts"
import { answersOn, htmlIn } from "./answers.ts"

const answers = answersOn(Array.from({ length: 80 }, (_, index) =>
  reported({ outcome: index % 4 === 0 ? "failure" : "success" }, { recommendationId: idOf(`rec-${index}`) })))
const html = htmlIn(policiesSection(answers))
/** What is folded away below the point of a policy. */
const choice = (policy: string) => new RegExp(`<details id="choose-${policy}">(.*?)</details>`).exec(html)?.[1] ?? ""

describe("the plane of success and cost", () => {
  it("has a point for each setting that a click opens, and its success, cost and line below", () => {
    for (const policy of ["slider-0", "slider-5", "slider-10", "value-4", "value-40"]) {
      assert.include(html, `<g data-opens="choose-${policy}">`)
      assert.match(choice(policy), /: \d+ % at \$[\d.]+ a call</)
    }
    assert.include(choice("slider-5"), "&quot;cost_quality_tradeoff&quot;: 5<")
    assert.include(choice("value-4"), "one success more costs about $4.")
    assert.include(choice("value-4"), "&quot;success_value_usd&quot;: 4<")
    assert.include(choice("value-4"), "sextant account set --instance acme --success-value 4<")
  })

  it("claims nothing of a setting that the log has no outcome of, or whose interval overlaps", () => {
    assert.include(choice("slider-10"), "It rests on 0 outcomes and predictions: not enough to tell.")
    assert.include(choice("slider-5"), "Not enough to tell whether it succeeds more or less often")
    assert.strictEqual(html.includes("choose-deployed"), false)
  })

  it("claims a difference where both intervals are apart", () => {
    const { policyValue } = answers
    const policies = policyValue.report.policies.map((row) => row.policy !== "slider-10" ? row : {
      ...row, basis: "doubly-robust" as const, effective_sample_size: 400, success_low: 0.95, success_high: 0.99
    })
    const apart = { ...answers, policyValue: { ...policyValue, report: { ...policyValue.report, policies } } }
    assert.include(htmlIn(policiesSection(apart)), "It succeeds more often than what ran.")
  })
})
