import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { laneOf } from "../../../src/domain/Scope.ts"
import { readLaneNumbers } from "../../../src/engine/recommend/AccountReads.ts"
import { defaults, Settings } from "../../../src/engine/Settings.ts"
import { LaneCalibrations } from "../../../src/ledger/LaneCalibration.ts"
import { LedgerUnavailable } from "../../../src/ledger/Ledger.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import type { LaneNumbers } from "../../../src/stats/LaneNumbers.ts"
import { accountOf } from "../../support/builders.ts"

const asked = (read: Effect.Effect<LaneNumbers | null, LedgerUnavailable>) =>
  readLaneNumbers(accountOf(), laneOf(null)).pipe(Effect.provide([
    Layer.succeed(LaneCalibrations, { read: () => read, remember: () => Effect.void }), Settings.layer()
  ]))

it.effect("a lane's own numbers are read, and a new lane has the starting numbers", () =>
  Effect.gen(function*() {
    const own = { ...defaults.laneStart, outcomes: 7 }
    assert.strictEqual(yield* asked(Effect.succeed(own)), own)
    assert.strictEqual(yield* asked(Effect.succeed(null)), defaults.laneStart)
  }))

it.effect("numbers that cannot be read, or not within the recall budget, fail as the ledger does", () =>
  Effect.gen(function*() {
    const out = yield* Effect.flip(asked(new LedgerUnavailable({ reason: new Reason.Unreachable({}) })))
    assert.strictEqual(out._tag, "LedgerUnavailable")
    const waiting = yield* Effect.forkChild(Effect.flip(asked(Effect.never)))
    yield* TestClock.adjust(defaults.recallBudgetMs)
    assert.strictEqual((yield* Fiber.join(waiting))._tag, "LedgerUnavailable")
  }))
