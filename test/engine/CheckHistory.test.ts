import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CheckHistory, type CheckedAttempt, type LaneChecks, withVerdict } from "../../src/engine/CheckHistory.ts"
import { findingsOf } from "../../src/engine/recommend/CheckFindings.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { laneOf } from "../../src/domain/Scope.ts"
import { accountOf, request } from "../support/builders.ts"

const lane = { accountId: accountOf("acme"), lane: laneOf(null) }
const failed: CheckedAttempt = {
  attemptNumber: 1, outcome: "failure", provenance: "gate", models: 1, isKnownFailure: false
}
const passed: CheckedAttempt = { ...failed, outcome: "success" }
const unseen: LaneChecks = { failedFirst: 0, isRetried: false, gateVerdicts: 0, gatePasses: 0 }
const after = (...attempts: ReadonlyArray<CheckedAttempt>) => attempts.reduce(withVerdict, unseen)
const times = (count: number, attempt: CheckedAttempt) => Array.from({ length: count }, () => attempt)
const asked = (kind: "gate" | "self_check" | "none", over: object = {}) =>
  request({ verification: { kind, passWrong: null, failRight: null, costUsd: null }, ...over })
const said = (seen: LaneChecks, asks = asked("gate")) => {
  const { isAlone, warnings } = findingsOf(defaults, asks, seen)
  return [...(isAlone ? ["verification_without_retry"] : []), ...warnings]
}

describe("a lane whose failed attempts nobody follows", () => {
  it("is warned of from the tenth on, whatever checks them", () => {
    assert.deepStrictEqual(said(after(...times(9, failed))), [])
    for (const kind of ["gate", "self_check"] as const) {
      assert.deepStrictEqual(said(after(...times(10, failed)), asked(kind)), ["verification_without_retry"])
    }
  })

  it("is warned of by attempts, and not by what several sources say of one", () => {
    const twice = [failed, { ...failed, provenance: "judge", isKnownFailure: true } as const]
    assert.deepStrictEqual(said(after(...Array.from({ length: 9 }, () => twice).flat())), [])
  })

  it("is not warned of once there was a second attempt, of the plan or of another model", () => {
    for (const second of [{ ...failed, attemptNumber: 2 }, { ...failed, models: 2 }]) {
      assert.deepStrictEqual(said(after(...times(10, failed), second)), [])
    }
  })

  it("is not warned of where attempts pass, or the caller wants one, checks none or runs its own", () => {
    assert.deepStrictEqual(said(after(...times(30, { ...passed, provenance: "judge" }))), [])
    for (const asks of [asked("gate", { maxAttempts: 1 }), asked("none"), asked("gate", { shadow: true }), request()]) {
      assert.deepStrictEqual(said(after(...times(10, failed)), asks), [])
    }
  })
})

describe("a gate that passes nearly everything", () => {
  it("is warned of from a hundred verdicts on, where it is how results are checked", () => {
    assert.deepStrictEqual(said(after(...times(99, passed))), [])
    assert.deepStrictEqual(said(after(...times(100, passed))), ["gate_seldom_fails"])
    assert.deepStrictEqual(said(after(...times(100, passed)), asked("self_check")), [])
    assert.deepStrictEqual(said(after(...times(95, passed), ...times(5, failed))), [])
  })

  it("is forgotten as it begins to fail", () => {
    const seen = after(...times(5_000, passed), ...times(30, failed))
    assert.isAtMost(seen.gateVerdicts, 201)
    assert.notInclude(said(seen), "gate_seldom_fails")
  })
})

it.effect("A process remembers each account's lanes apart", () =>
  Effect.gen(function*() {
    const history = yield* CheckHistory
    yield* history.noteVerdict(lane, failed)
    yield* history.noteRetry({ ...lane, lane: laneOf("other") })
    assert.deepStrictEqual(yield* history.seenIn(lane), after(failed))
    assert.isTrue((yield* history.seenIn({ ...lane, lane: laneOf("other") })).isRetried)
    assert.deepStrictEqual(yield* history.seenIn({ ...lane, accountId: accountOf("umbrella") }), unseen)
  }).pipe(Effect.provide(CheckHistory.layer)))
