import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type ReportedOutcome, unmeasured } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import { prepaidChanges } from "../../../src/engine/learn/PrepaidUse.ts"

const outcome = (
  modelId: string,
  inputTokens: number | null,
  outputTokens: number | null,
  isBroken = false
): ReportedOutcome => {
  const billed = { ...unmeasured, inputTokens, outputTokens }
  return {
    modelId, revision: 1, verdictRevision: 1, billed, measured: billed,
    label: {
      feedbackAt: new Date(0), outcome: isBroken ? "failure" : "success", quality: 1, taughtQuality: 1, provenance: "gate",
      provenanceWeight: 1, errorCause: isBroken ? "infra" : null, teaches: !isBroken, isLate: false
    }
  }
}

const estimates = { "gpt-5": 1_000, "gpt-5#effort=high": 3_000 }
const Tokens = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 })))

describe("what a report uses of a quota", () => {
  it.each([
    ["the tokens that it reports", [outcome("gpt-5", 70, 30)], 100],
    ["what was expected of the call without them", [outcome("gpt-5", null, null)], 1_000],
    ["at least that where one count is missing", [outcome("gpt-5", 70, null)], 1_000],
    ["the one that is known where it is more", [outcome("gpt-5", null, 7_000)], 7_000],
    ["nothing of a call that broke unmeasured", [outcome("gpt-5", null, null, true)], 0],
    ["what a broken call measured", [outcome("gpt-5", 70, null, true)], 70],
    ["nothing on another model", [outcome("gpt-5-mini", 70, 30)], 0],
    ["that of the model at every effort", [outcome("gpt-5#effort=high", null, null), outcome("gpt-5#effort=low", 70, 30)], 3_100]
  ] as const)("is %s", (_, after, tokens) =>
    assert.deepStrictEqual(prepaidChanges(estimates, [], after), tokens === 0 ? [] : [{ modelId: "gpt-5", tokens }]))

  it("is nothing where nothing was paid already", () => {
    assert.deepStrictEqual(prepaidChanges(undefined, [], [outcome("gpt-5", 70, 30)]), [])
  })

  it.prop("sums over reports to what the last of them says, and a repeat adds nothing", { first: Tokens, second: Tokens, third: Tokens }, (tokens) => {
    const [one, two, three] = [tokens.first, tokens.second, tokens.third].map((input) => [outcome("gpt-5", input, 30)])
    const change = (before: ReadonlyArray<ReportedOutcome>, after: ReadonlyArray<ReportedOutcome>) =>
      prepaidChanges(estimates, before, after).reduce((sum, each) => sum + each.tokens, 0)
    assert.strictEqual(change([], one!) + change(one!, two!) + change(two!, three!), change([], three!))
    assert.strictEqual(change(three!, three!), 0)
  })
})
