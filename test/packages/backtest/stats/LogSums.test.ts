import { assert, describe, it } from "@effect/vitest"
import { wholeOf } from "../../../../packages/backtest/src/stats/LogIntervals.ts"
import { blocksMax, column, columns, makeLogSums } from "../../../../packages/backtest/src/stats/LogSums.ts"

/** One row in each block of the caller, for the second of two policies. */
const filled = (blocks: number) => {
  const sums = makeLogSums(2)
  for (let block = 0; block < blocks; block++) sums.byBlock[sums.baseOf(block) + columns + column.rows]! += 1
  return sums
}
const rowsOf = (blocks: number): ReadonlyArray<number> => {
  const sums = filled(blocks)
  return Array.from({ length: sums.blocks() }, (_, block) =>
    sums.byBlock[(block * 2 + 1) * columns + column.rows]!)
}

describe("the sums of a log", () => {
  it("keep a block per block of the caller up to 256", () => {
    assert.deepStrictEqual(rowsOf(3), [1, 1, 1])
    assert.strictEqual(filled(blocksMax).blocks(), blocksMax)
  })

  it("merge neighbours beyond, so that all blocks but the last stay alike", () => {
    const rows = rowsOf(blocksMax + 3)
    assert.strictEqual(rows.length, blocksMax / 2 + 2)
    assert.isTrue(rows.slice(0, -1).every((count) => count === 2))
    assert.strictEqual(rows.at(-1), 1)
  })

  it("lose no row of a hundred thousand blocks, in the same memory", () => {
    const sums = filled(100_000)
    assert.isAtMost(sums.blocks(), blocksMax)
    assert.strictEqual(sums.byBlock.length, blocksMax * 2 * columns)
    assert.strictEqual(wholeOf(sums)[columns + column.rows], 100_000)
  })
})
