import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Logger, References } from "effect"
import { flushedQuietly } from "../../../src/telemetry/otlp/Exports.ts"

const part = (end: () => Promise<void>) => ({ forceFlush: end, shutdown: end })

describe("The end of a signal's processor", () => {
  it.effect("succeeds with a warning when its last batch could not be sent", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const context = Context.make(References.CurrentLoggers, new Set([
        Logger.make<unknown, void>(({ message }) => void lines.push(message))
      ]))
      // A trace processor rejects with a list of errors, which is not an Error itself.
      const rejecting = flushedQuietly(part(() => Promise.reject([new Error("Request timed out")])), "traces", context)
      yield* Effect.promise(() => rejecting.forceFlush())
      yield* Effect.promise(() => rejecting.shutdown())
      yield* Effect.yieldNow
      assert.strictEqual(lines.length, 2)
      assert.include(JSON.stringify(lines[0]), "not flushed")
    }))

  it.effect("logs nothing when everything was sent", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const context = Context.make(References.CurrentLoggers, new Set([
        Logger.make<unknown, void>(({ message }) => void lines.push(message))
      ]))
      const sending = flushedQuietly(part(() => Promise.resolve()), "logs", context)
      yield* Effect.promise(() => sending.forceFlush())
      yield* Effect.promise(() => sending.shutdown())
      yield* Effect.yieldNow
      assert.deepStrictEqual(lines, [])
    }))
})
