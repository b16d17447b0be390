import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { laneOf } from "../../src/domain/Scope.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import type { LaneNumbers } from "../../src/stats/LaneNumbers.ts"
import { answerOf, newAccount } from "./LedgerContract.ts"

const start: LaneNumbers = {
  outcomes: 0, similarityLow: 0.1, similarityHigh: 0.4, localShare: 0.5, cellsError: 10, mixedError: 9
}
const lane = laneOf("tests")
const next = (now: LaneNumbers | null): LaneNumbers => {
  const before = now ?? start
  return { ...before, outcomes: before.outcomes + 1, cellsError: before.cellsError + 0.25 }
}

/** What every store of lane numbers promises. */
export const lanesContract = (it: Vitest.MethodsNonLive<LaneCalibrations | Ledger>) => {
  it.effect("a lane that has learned nothing has no numbers; a change is read back in every field", () =>
    Effect.gen(function*() {
      const lanes = yield* LaneCalibrations
      const accountId = newAccount()
      assert.isNull(yield* lanes.read(accountId, lane))
      yield* lanes.change(accountId, lane, next)
      assert.deepStrictEqual(yield* lanes.read(accountId, lane), { ...start, outcomes: 1, cellsError: 10.25 })
      yield* lanes.change(accountId, lane, next)
      assert.strictEqual((yield* lanes.read(accountId, lane))?.outcomes, 2)
    }))

  it.effect("lanes and accounts have numbers of their own", () =>
    Effect.gen(function*() {
      const lanes = yield* LaneCalibrations
      const accountId = newAccount()
      yield* lanes.change(accountId, lane, next)
      assert.isNull(yield* lanes.read(accountId, laneOf("other")))
      assert.isNull(yield* lanes.read(newAccount(), lane))
    }))

  it.effect("of fifty concurrent changes none is lost", () =>
    Effect.gen(function*() {
      const lanes = yield* LaneCalibrations
      const accountId = newAccount()
      yield* Effect.forEach(Array.from({ length: 50 }), () => lanes.change(accountId, lane, next), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(yield* lanes.read(accountId, lane), { ...start, outcomes: 50, cellsError: 22.5 })
    }))

  it.effect("a change inside a settlement commits with it and vanishes with it", () =>
    Effect.gen(function*() {
      const lanes = yield* LaneCalibrations
      const ledger = yield* Ledger
      const accountId = newAccount()
      const claim = { accountId, idempotencyKey: "key", fingerprint: "f" }
      const changing = lanes.change(accountId, lane, next)
      yield* Effect.flip(ledger.settle(claim, Effect.andThen(changing, Effect.fail("no"))))
      assert.isNull(yield* lanes.read(accountId, lane))
      yield* ledger.settle(claim, Effect.as(changing, answerOf("r")))
      assert.strictEqual((yield* lanes.read(accountId, lane))?.outcomes, 1)
    }))
}
