import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { MemoryUnavailable } from "../../../src/memory/Memory.ts"
import { failedAgain, noFailures, pauseAfter } from "../../../src/memory/delivery/Delivery.ts"
import { deliverySettings } from "../../../src/memory/delivery/DeliverySettings.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"

const failureOf = (reason: Reason.FailureReason) => new MemoryUnavailable({ reason })
const down = failureOf(new Reason.Unreachable({ cause: "down" }))
const broken = failureOf(new Reason.Unreachable({ cause: "broken", status: 500 }))
const { badAnswersMax, pauseMs, pauseMsMax } = deliverySettings

const Tries = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))
const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999 }))

it("a pause doubles with every failure, up to the longest", () => {
  const pauses = [1, 2, 3, 4, 5, 6].map((tries) => pauseAfter(deliverySettings, { tries, badAnswers: 0 }, down, 0))
  assert.deepStrictEqual(pauses, [250, 500, 1_000, 2_000, 2_500, 2_500])
})

it.prop("a pause is never shorter than half the first and never longer than the longest", {
  tries: Tries, share: Share
}, ({ tries, share }) => {
  const pause = pauseAfter(deliverySettings, { tries, badAnswers: 0 }, down, share)
  assert.isTrue(pause >= pauseMs / 2 && pause <= pauseMsMax)
})

it("a backend that asks for longer is given longer, and what was unsent does not lengthen it", () => {
  const failures = { tries: 9, badAnswers: 0 }
  const asking = failureOf(new Reason.Unreachable({ cause: "busy", retryAfterMs: 60_000 }))
  assert.strictEqual(pauseAfter(deliverySettings, failures, asking, 0), 60_000)
  const open = failureOf(new Reason.NotSent({ cause: "the breaker is open" }))
  assert.strictEqual(pauseAfter(deliverySettings, failures, open, 0), pauseMs / 2)
})

it("only answers of a working backend count against a write, and so many of them refuse it", () => {
  assert.deepStrictEqual(failedAgain(deliverySettings, noFailures, down), { tries: 1, badAnswers: 0 })
  assert.deepStrictEqual(failedAgain(deliverySettings, noFailures, broken), { tries: 1, badAnswers: 1 })
  const nearly = { tries: 900, badAnswers: badAnswersMax - 1 }
  assert.isNotNull(failedAgain(deliverySettings, nearly, down))
  assert.isNull(failedAgain(deliverySettings, nearly, broken))
  assert.isNull(failedAgain(deliverySettings, noFailures, failureOf(new Reason.Rejected({ cause: "never" }))))
})
