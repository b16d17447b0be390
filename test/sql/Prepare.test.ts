import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { databaseSettings } from "../../src/sql/DatabaseSettings.ts"
import { prepare } from "../../src/sql/Prepare.ts"

const { reminderMs, retryMsMax, startMs } = databaseSettings

/** A database that fails until the test says otherwise, what was asked of it, and what the log said. */
const world = () => {
  const state = { failure: "out" as unknown, attempts: 0, said: [] as Array<string> }
  const attempt = Effect.suspend(() => {
    state.attempts++
    return state.failure === null ? Effect.void : Effect.fail(state.failure)
  })
  const log = Logger.layer([Logger.make(({ logLevel, message }) => {
    state.said.push(`${logLevel} ${Array.isArray(message) ? message[0] : message}`)
  })])
  const start = Effect.provide(prepare(attempt), log)
  /** A start that has waited for as long as it may. */
  const startedLate = Effect.gen(function*() {
    const starting = yield* Effect.forkChild(start, { startImmediately: true })
    yield* TestClock.adjust(startMs)
    yield* Fiber.join(starting)
  })
  return { state, start, startedLate }
}

const wrongPassword = new SqlError.SqlError({
  reason: new SqlError.AuthenticationError({ cause: new Error("password authentication failed"), operation: "connect" })
})

describe("preparing the database", () => {
  it.effect("returns at once for a database that is ready, and logs nothing", () =>
    Effect.gen(function*() {
      const { start, state } = world()
      state.failure = null
      yield* start
      assert.deepStrictEqual([state.attempts, state.said], [1, []])
    }))

  it.effect("lets the start go on without a database after a few seconds, and prepares it when it comes", () =>
    Effect.gen(function*() {
      const { startedLate, state } = world()
      yield* startedLate
      assert.match(state.said.join("\n"), /cannot be reached[^]*degraded/)
      state.failure = null
      yield* TestClock.adjust(retryMsMax)
      assert.match(state.said.at(-1) ?? "", /ready/)
      const { attempts } = state
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(state.attempts, attempts)
    }))

  it.effect("waits for a database that comes during the start", () =>
    Effect.gen(function*() {
      const { start, state } = world()
      const starting = yield* Effect.forkChild(start, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      state.failure = null
      yield* TestClock.adjust(retryMsMax)
      yield* Fiber.join(starting)
      assert.notMatch(state.said.join("\n"), /degraded/)
    }))

  it.effect("tries an unreachable database often, and logs it once a minute", () =>
    Effect.gen(function*() {
      const { startedLate, state } = world()
      yield* startedLate
      for (let minute = 0; minute < 5; minute++) yield* TestClock.adjust(reminderMs)
      assert.isAtLeast(state.attempts, (5 * reminderMs) / retryMsMax)
      assert.isAtMost(state.said.length, 8)
    }))

  it.effect("logs a wrong password as an error, and takes the right one without a restart", () =>
    Effect.gen(function*() {
      const { startedLate, state } = world()
      state.failure = wrongPassword
      yield* startedLate
      assert.match(state.said[0] ?? "", /^Error .*check user, password/)
      state.failure = null
      yield* TestClock.adjust(retryMsMax)
      assert.match(state.said.at(-1) ?? "", /ready/)
    }))
})
