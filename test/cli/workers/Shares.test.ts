import { assert, describe, it } from "@effect/vitest"
import { heapMb, processesFor, resourceAttributes } from "../../../src/cli/workers/Shares.ts"
import { shareOf } from "../../../src/sql/PoolShare.ts"

const gigabyte = 2 ** 30

describe("processes of one port", () => {
  it("are one a core, and fewer where their heaps would not fit into a lone process's", () => {
    assert.deepStrictEqual(
      [[1, gigabyte], [2, 4 * gigabyte], [8, gigabyte], [64, 64 * gigabyte], [4, gigabyte / 8]].map(
        ([cores = 0, heap = 0]) => processesFor(cores, heap)),
      [1, 2, 4, 16, 1]
    )
  })

  it("share the heap of a lone process, but have a least one each", () => {
    assert.deepStrictEqual([1, 2, 4, 16].map((processes) => heapMb(2 * gigabyte, processes)), [2_048, 1_024, 512, 256])
  })

  it("share the connections of a lone process, and each keeps some that never settle a feedback", () => {
    assert.deepStrictEqual(shareOf(1), { connections: 10, settlements: 7 })
    assert.deepStrictEqual(shareOf(2), { connections: 5, settlements: 3 })
    assert.deepStrictEqual(shareOf(16), { connections: 4, settlements: 2 })
  })

  it("write telemetry under instance ids of their own where the operator named one", () => {
    assert.strictEqual(
      resourceAttributes("team=a,service.instance.id=pod-7,zone=b", 2), "team=a,service.instance.id=pod-7-2,zone=b"
    )
    assert.strictEqual(resourceAttributes("service.instance.id = x", 1), "service.instance.id = x-1")
    assert.strictEqual(resourceAttributes("team=service.instance.id", 1), "team=service.instance.id")
  })
})
