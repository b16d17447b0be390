import { assert, describe, it } from "@effect/vitest"
import { progressLine, makeProgress } from "../../src/cli/Progress.ts"

describe("progress", () => {
  it("is shown in bytes, with a rate and the remaining time", () => {
    assert.strictEqual(progressLine("Writing", 30e6, 60e6, 2_000), "Writing: 30.0 of 60.0 MB, 15.0 MB/s, 2 s left")
    assert.strictEqual(progressLine("Writing", 1e9, 10e9, 100_000), "Writing: 1000.0 of 10000.0 MB, 10.0 MB/s, 15 min left")
  })

  it("leaves out a total that was exceeded, and the remaining time in the first second", () => {
    assert.strictEqual(progressLine("Writing", 70e6, 60e6, 2_000), "Writing: 70.0 MB, 35.0 MB/s")
    assert.strictEqual(progressLine("Writing", 1e6, null, 2_000), "Writing: 1.0 MB, 0.5 MB/s")
    assert.strictEqual(progressLine("Writing", 0, 60e6, 0), "Writing: 0.0 of 60.0 MB, 0.0 MB/s")
  })

  it("prints nothing for work that ends at once", () => {
    for (const isTTY of [true, false]) {
      const written: Array<string> = []
      const { end, report } = makeProgress({ isTTY, write: (text) => written.push(text) }, "Writing")
      report(1, 2)
      end()
      assert.deepStrictEqual(written, [])
    }
  })
})
