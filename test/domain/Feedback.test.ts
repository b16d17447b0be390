import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { errorCauseOf, FeedbackRequest } from "../../src/domain/feedback/Feedback.ts"
import { feedback } from "../support/builders.ts"

describe("why a call failed", () => {
  it.each<readonly [status: number | null, cause: "infra" | null]>([
    [null, null], [200, null], [400, null], [401, null], [404, null], [408, "infra"], [409, "infra"],
    [422, null], [429, "infra"], [499, null], [500, "infra"], [529, "infra"], [599, "infra"]
  ])("follows from the provider's status where the caller says nothing: of %s it is %s", (providerStatus, cause) => {
    const of = (over: Parameters<typeof feedback>[0]) => errorCauseOf(feedback({ providerStatus, ...over }))
    assert.strictEqual(of({ outcome: "failure" }), cause)
    assert.strictEqual(of({ outcome: "partial" }), cause)
    assert.strictEqual(of({ outcome: "success" }), null)
    assert.strictEqual(of({ outcome: "failure", errorCause: "quality" }), "quality")
  })
})

describe("what a provider said", () => {
  it.each([
    ["provider_status", 99], ["provider_status", 600], ["provider_status", 429.5], ["provider_status", "429"],
    ["retry_after_ms", -1], ["retry_after_ms", 600_001], ["retry_after_ms", 0.5], ["retry_after_ms", "7"]
  ])("has bounds: %s of %j is refused", (field, value) => {
    const body = { recommendation_id: "x", outcome: "failure", [field]: value }
    assert.throws(() => Schema.decodeUnknownSync(FeedbackRequest)(body), field)
  })
})
