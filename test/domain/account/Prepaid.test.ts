import { assert, describe, it } from "@effect/vitest"
import { isDay } from "../../../src/domain/Time.ts"
import { prepaidEstimate, prepaidModels, tokensLeft, usesAfter } from "../../../src/domain/account/Prepaid.ts"
import { documentOf } from "../../accounts/AccountModelsContract.ts"

const quota = (prepaidTokens: number | null, prepaidUntil: string | null = null, modelId = "llama") =>
  documentOf({ models: [{ modelId, prepaidTokens, prepaidUntil }] })
const use = (used: number) => ({ llama: { since: "2026-11-01T00:00:00.000Z", used } })

describe("a quota", () => {
  it.each([
    ["2026-12-31", true], ["2024-02-29", true], ["2026-02-29", false], ["2026-12-32", false], ["2026-1-1", false],
    ["2026-12-31T00:00:00Z", false], ["", false]
  ] as const)("may end on a day of the calendar alone: %s", (text, is) => assert.strictEqual(isDay(text), is))

  it.each([
    [quota(100), 99, true], [quota(100), 100, false], [quota(100), 140, false], [quota(null), 0, false],
    [quota(100, "2026-11-26"), 0, true], [quota(100, "2026-11-25"), 0, false]
  ] as const)("pays for the next call while tokens are left, to the end of its last day in UTC (%#)", (document, used, is) =>
    assert.strictEqual(prepaidModels(document, use(used), Date.UTC(2026, 10, 26, 23, 59, 59)).has("llama"), is))

  it("is never below 0, and null where there is none, whatever its model is called", () => {
    const leftOf = (document: ReturnType<typeof quota>, used: number) => tokensLeft(document.models[0]!, use(used))
    assert.deepStrictEqual([leftOf(quota(100), 30), leftOf(quota(100), 130), leftOf(quota(null), 30)], [70, 0, null])
    assert.strictEqual(leftOf(quota(100, null, "__proto__"), 30), 100)
  })

  it("goes on under a document that leaves it as it was, and begins anew under another", () => {
    const before = { document: quota(100), prepaid: use(30) }
    assert.deepStrictEqual(usesAfter(before, quota(100), "now"), use(30))
    assert.deepStrictEqual(usesAfter(before, quota(100, "2026-12-31"), "now"), { llama: { since: "now", used: 0 } })
    assert.deepStrictEqual(usesAfter(before, quota(null), "now"), {})
    const own = usesAfter(before, quota(5, null, "__proto__"), "now")
    assert.deepStrictEqual(JSON.parse(JSON.stringify(own)), JSON.parse(`{"__proto__":{"since":"now","used":0}}`))
  })

  it("serves a model at whatever effort", () => {
    const estimates = { "gpt-5": 10, "gpt-5#effort=high": 30 }
    assert.deepStrictEqual(
      ["gpt-5", "gpt-5#effort=high", "gpt-5#effort=low", "gpt-5-mini"].map((id) => prepaidEstimate(estimates, id)),
      [10, 30, 10, null]
    )
    assert.isNull(prepaidEstimate(undefined, "gpt-5"))
  })
})
