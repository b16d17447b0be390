import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { withoutFloods } from "../../../src/telemetry/log/LogFlood.ts"

/** Runs the effect with a logger that floods cannot pass; yields the lines that did. */
const linesOf = (effect: Effect.Effect<void>) => {
  const lines: Array<string> = []
  const logger = withoutFloods(Logger.make(({ message }) => {
    lines.push([message].flat().join(" | "))
  }))
  return Effect.as(Effect.provide(effect, Layer.fresh(Logger.layer([logger]))), lines)
}

const said = (message: string, times: number, more?: string) =>
  Effect.repeat(Effect.logWarning(message, ...(more === undefined ? [] : [more])), { times: times - 1 })

describe("The limit of log lines", () => {
  it.effect("writes a message twenty times and, after ten seconds, how many times it was left out", () =>
    Effect.gen(function*() {
      const lines = yield* linesOf(Effect.gen(function*() {
        yield* said("The ledger is out", 1_000, "refused")
        yield* TestClock.adjust("10 seconds")
        yield* said("The ledger is out", 2, "refused")
      }))
      assert.strictEqual(lines.length, 22)
      assert.strictEqual(lines[19], "The ledger is out | refused")
      assert.strictEqual(lines[20], "The ledger is out | refused | 980 more like it were left out")
      assert.strictEqual(lines[21], "The ledger is out | refused")
    }))

  it.effect("applies to each message separately", () =>
    Effect.gen(function*() {
      const lines = yield* linesOf(Effect.andThen(said("one", 100), said("another", 1)))
      assert.strictEqual(lines.at(-1), "another")
    }))

  it.effect("leaves rare messages complete and unchanged", () =>
    Effect.gen(function*() {
      const lines = yield* linesOf(Effect.forEach(
        [1, 2, 3],
        (number) => Effect.andThen(said("a line", 10, `${number}`), TestClock.adjust("10 seconds")),
        { discard: true }
      ))
      assert.strictEqual(lines.length, 30)
      assert.isTrue(lines.every((line) => /^a line \| \d$/.test(line)))
    }))
})
