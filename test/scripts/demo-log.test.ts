import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { join } from "node:path"
import { readLogs } from "../../packages/backtest/src/logs/ReadLogs.ts"
import { demoLog, logModels } from "../../scripts/demo/log.ts"

const folder = join(import.meta.dirname, "../../examples/backtest")
const log = demoLog()

describe("the log of the backtest's demo", () => {
  it.live("is read whole, in the order of time, with its labels and bills", () =>
    Effect.gen(function*() {
      const batches = yield* Stream.runCollect(readLogs([join(folder, "log.jsonl.gz")], { format: "auto" }))
      const items = batches.flatMap((batch) => batch.items)
      const calls = items.flatMap((item) => item._tag === "Call" ? [item.call] : [])
      assert.strictEqual(calls.length, items.length)
      assert.deepStrictEqual(calls.map(({ id }) => id), log.map(({ id }) => id))
      const times = calls.map(({ at }) => at.getTime())
      assert.deepStrictEqual(times, times.toSorted((one, other) => one - other))
      assert.strictEqual(calls.filter(({ quality }) => quality !== null).length, 1_516)
      assert.isTrue(calls.every(({ costUsd, prompt }) => costUsd !== null && prompt !== null))
    }))

  it("shows every model for every team, so that what was not chosen can be judged", () => {
    const shown = Map.groupBy(log, ({ tags: [team] }) => team)
    assert.strictEqual(shown.size, 5)
    for (const [team, rows] of shown) {
      for (const model of logModels) assert.isAbove(rows.filter((row) => row.model === model).length, 15, `${team} ${model}`)
    }
  })
})
