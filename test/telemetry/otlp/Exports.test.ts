import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Logger, References } from "effect"
import { flushedQuietly } from "../../../src/telemetry/otlp/Exports.ts"

/** Ends a part whose flush and shutdown do this; yields what the log says. */
const linesOfEnd = (end: () => Promise<void>) =>
  Effect.gen(function*() {
    const lines: Array<unknown> = []
    const context = Context.make(References.CurrentLoggers, new Set([
      Logger.make<unknown, void>(({ message }) => void lines.push(message))
    ]))
    const part = flushedQuietly({ forceFlush: end, shutdown: end }, "traces", context)
    yield* Effect.promise(() => part.forceFlush())
    yield* Effect.promise(() => part.shutdown())
    yield* Effect.yieldNow
    return lines
  })

describe("The end of a signal's processor", () => {
  it.effect("succeeds with a warning when its last batch could not be sent", () =>
    Effect.gen(function*() {
      // A trace processor rejects with a list of errors, which is not an Error itself.
      const lines = yield* linesOfEnd(() => Promise.reject([new Error("Request timed out")]))
      assert.strictEqual(lines.length, 2)
      assert.include(JSON.stringify(lines[0]), "not flushed")
    }))

  it.effect("logs nothing when everything was sent", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* linesOfEnd(() => Promise.resolve()), [])
    }))
})
