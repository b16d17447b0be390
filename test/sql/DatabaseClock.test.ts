import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { dayMs } from "../../src/domain/Time.ts"
import { makeDatabaseClock, type ClockReading } from "../../src/sql/DatabaseClock.ts"


/** A machine whose wall clock can be set independently of its monotonic one. */
const machineOf = (test: Clock.Clock) => {
  const state = { aheadMs: 0 }
  const machine: Clock.Clock = {
    ...test,
    currentTimeMillisUnsafe: () => test.currentTimeMillisUnsafe() + state.aheadMs,
    monotonicTimeNanosUnsafe: () => BigInt(test.currentTimeMillisUnsafe()) * 1_000_000n
  }
  return { machine, state }
}

describe("a process's clock", () => {
  it.effect("is the machine's own before the first reading of the database, and while the two agree", () =>
    Effect.gen(function*() {
      const { machine, state } = machineOf(yield* Clock.Clock)
      let reading: ClockReading | null = null
      const clock = makeDatabaseClock(machine, () => reading)
      state.aheadMs = 450 * dayMs
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 450 * dayMs)
      state.aheadMs = 1_900
      reading = { databaseMs: 0, monotonicMs: 0, errorMs: 0 }
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_900)
    }))

  it.effect("is the database's while the machine's is wrong either way, and goes on without readings", () =>
    Effect.gen(function*() {
      const { machine, state } = machineOf(yield* Clock.Clock)
      let differences = 0
      const clock = makeDatabaseClock(machine, () => ({ databaseMs: 1_000, monotonicMs: 0, errorMs: 0 }), () => differences++)
      for (const days of [450, -450]) {
        state.aheadMs = days * dayMs
        const before = clock.currentTimeMillisUnsafe()
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(clock.currentTimeMillisUnsafe() - before, 3_600_000)
        assert.isTrue(Number.isInteger(clock.currentTimeMillisUnsafe()))
      }
      assert.isAtLeast(differences, 4)
      state.aheadMs = 0
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 7_200_000)
    }))

  it.effect("is not corrected by a reading whose round trip is longer than the difference", () =>
    Effect.gen(function*() {
      const { machine, state } = machineOf(yield* Clock.Clock)
      state.aheadMs = 4_000
      const slow = makeDatabaseClock(machine, () => ({ databaseMs: 0, monotonicMs: 0, errorMs: 3_000 }))
      assert.strictEqual(slow.currentTimeMillisUnsafe(), 4_000)
    }))
})
