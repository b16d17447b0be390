import { assert, it } from "@effect/vitest"
import { quantiles } from "../../../../scripts/bench/harness/figures.ts"
import { processorMs, processorMsOfFamily } from "../../../../scripts/bench/harness/processor.ts"

it("quantiles are values at floored ranks, and 0 of none", () => {
  assert.deepStrictEqual(quantiles([4, 1, 3, 2], [0, 0.5, 1]), [1, 2, 4])
  assert.deepStrictEqual(quantiles([], [0.5]), [0])
})

it("a family's processor time has its own process in it", { skip: process.platform !== "linux" }, () => {
  // Read first: the process goes on using time between the two readings.
  const ownMs = processorMs(process.pid) ?? Infinity
  assert.isAtLeast(processorMsOfFamily(process.pid) ?? 0, ownMs)
})
