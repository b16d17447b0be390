import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { makeSpool } from "../../../packages/backtest/src/Spool.ts"
import { generator } from "../../../src/stats/Generator.ts"
import { rowOf } from "./logs.ts"

const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("sextant-backtest-")).length

describe("a spool", () => {
  it.effect("yields rows of any order by time, and those of one moment as they were added, over many runs", () =>
    Effect.scoped(Effect.gen(function*() {
      const spool = yield* makeSpool
      const random = generator(5)
      const vector = new Int16Array(256)
      const count = 40_000
      // Some 25 MB: three sorted runs, of which each holds rows of every moment.
      for (let number = 0; number < count; number++) {
        spool.add(rowOf({ number, atMs: Math.floor(random() * 1_000), vector, tags: [] }))
      }
      let [rows, lastAtMs, lastNumber] = [0, -1, -1]
      for (const { atMs, number } of spool.read()) {
        assert.isTrue(atMs > lastAtMs || (atMs === lastAtMs && number > lastNumber))
        lastAtMs = atMs
        lastNumber = number
        rows++
      }
      assert.strictEqual(rows, count)
      assert.isAbove(spool.bytes, 2 * 8 * 2 ** 20)
    })))

  it.effect("keeps rows that are longer than a page", () =>
    Effect.scoped(Effect.gen(function*() {
      const spool = yield* makeSpool
      const tags = Array.from({ length: 64 }, (_, i) => `${String(i)}${"\u0000".repeat(250)}`)
      for (let number = 0; number < 5; number++) spool.add(rowOf({ number, atMs: -number, tags }))
      const numbers = [...spool.read()].map((row) => {
        assert.deepStrictEqual(row.tags, tags)
        return row.number
      })
      assert.deepStrictEqual(numbers, [4, 3, 2, 1, 0])
    })))

  it.effect("has no name in the folder of temporary files while it is used, nor afterwards", () =>
    Effect.gen(function*() {
      const before = folders()
      yield* Effect.scoped(Effect.gen(function*() {
        const spool = yield* makeSpool
        spool.add(rowOf())
        assert.strictEqual([...spool.read()].length, 1)
        assert.strictEqual(folders(), before)
      }))
      assert.strictEqual(folders(), before)
    }))

  it.effect("yields nothing of an empty log", () =>
    Effect.scoped(Effect.gen(function*() {
      assert.deepStrictEqual([...(yield* makeSpool).read()], [])
    })))
})
