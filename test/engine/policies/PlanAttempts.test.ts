import { assert, describe, it } from "@effect/vitest"
import { rationales } from "../../../src/engine/recommend/answer/Rationale.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { forecast, priced } from "../../support/builders.ts"
import { asked, type AskedChoice, attemptsBy, type Candidates, choiceOf } from "../../support/choices.ts"
import { guaranteeBy } from "../../support/guarantees.ts"

const three: Candidates = [priced("cheap", 0.6, 0.1), priced("middle", 0.8, 1), priced("dear", 0.9, 3)]
const decide = (over: Partial<AskedChoice> = {}) =>
  choiceOf(defaults, three, asked({ threshold: 0.85, plan: attemptsBy(), ...over }))
const saidOfPick = (over: Partial<AskedChoice> = {}) => {
  const choice = decide(over)
  return rationales(choice)(choice.pick)
}

describe("a request about attempts", () => {
  it("gets the first attempt of the best order, and the next one as its fallback", () => {
    const { fallback, isReaching, pick } = decide()
    assert.deepStrictEqual([pick.card.modelId, fallback?.card.modelId, isReaching], ["cheap", "middle", true])
  })

  it("is told what all attempts come to, and no tau that would change the pick", () => {
    assert.match(saidOfPick({ plan: attemptsBy({ attemptsMax: 2 }) }),
      /the first of 2 attempts for tau 0\.85, together 92 % at \$0\.50 expected\.$/)
  })

  it("advises no attempt that is not worth its cost", () => {
    const { expectedUsd, isIdle, warnings } = decide({ valueUsd: 0.01, threshold: 0, plan: attemptsBy({ valueUsd: 0.01 }) })
    assert.deepStrictEqual([isIdle, expectedUsd, warnings], [true, 0, []])
  })

  it("is warned once that nothing follows failures, where the plan alone has another attempt", () => {
    const warned = (over: Partial<AskedChoice>) =>
      decide(over).warnings.filter((warning) => warning === "verification_without_retry").length
    const alone = (attemptsMax: number) => ({ plan: attemptsBy({ attemptsMax, isAlone: true }) })
    assert.deepStrictEqual([1, 2, 3].map((attemptsMax) => warned(alone(attemptsMax))), [0, 1, 1])
    assert.strictEqual(warned({ ...alone(3), guarantee: guaranteeBy({ baselineModelId: "middle" }) }), 1)
    assert.strictEqual(warned({ plan: attemptsBy() }), 0)
  })

  it("is told of a guarantee why its pick is that, and of the failures before it", () => {
    const failed = ["cheap"]
    const [cheap, middle] = three.map((each) => ({ ...each, forecast: { ...forecast, mixed: 0.95 } }))
    const plan = attemptsBy({ made: 1, ran: new Set(failed), failed })
    const choice = choiceOf(defaults, [cheap ?? three[0], middle ?? three[0]], asked({
      plan, guarantee: guaranteeBy({ baselineModelId: "middle" })
    }))
    assert.strictEqual(choice.pick.card.modelId, "middle")
    assert.match(rationales(choice)(choice.pick),
      /the baseline, as .*\. cheap failed here, which makes this task look hard: 80 % instead of 95 %\.$/)
  })
})
