import { assert, describe, it } from "@effect/vitest"
import * as Reason from "../../src/resilience/FailureReason.ts"

describe("A failure reason", () => {
  const retryable = [
    new Reason.NotSent({}),
    new Reason.Unreachable({}),
    new Reason.TimedOut({}),
    new Reason.Conflict({}),
    new Reason.Exhausted({}),
    new Reason.Unclassified({})
  ]
  for (const reason of retryable) {
    it(`is retryable when it is ${reason._tag}`, () => assert.isTrue(reason.isRetryable))
  }
  for (const reason of [new Reason.Unauthorized({}), new Reason.Rejected({}), new Reason.Unusable({})]) {
    it(`is not retryable when it is ${reason._tag}`, () => assert.isFalse(reason.isRetryable))
  }

  it("may blame the request when the other side answered for itself", () => {
    for (const status of [200, 302, 404, 500, 501]) {
      assert.isTrue(new Reason.Unreachable({ status }).mayBlameRequest, `${status}`)
    }
  })

  it("does not blame the request without an answer, or for a status that proxies and quotas give", () => {
    assert.isFalse(new Reason.Unreachable({}).mayBlameRequest)
    for (const status of [401, 402, 403, 408, 429, 502, 503, 504]) {
      assert.isFalse(new Reason.Unreachable({ status }).mayBlameRequest, `${status}`)
    }
  })

  it("says in its message what the driver met, where that is a text", () => {
    assert.strictEqual(new Reason.NotSent({ cause: "no time is left" }).message, "The request was not sent: no time is left")
    assert.strictEqual(new Reason.Unreachable({ status: 503 }).message, "Answered with status 503")
    assert.strictEqual(new Reason.TimedOut({ limitMs: 100 }).message, "No answer within 100 ms")
  })
})
