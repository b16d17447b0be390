import { assert, describe, it } from "@effect/vitest"
import { makeFailedKeys } from "../../../src/http/limits/FailedKeys.ts"

const made = (limit: number, placesMax = 100) => makeFailedKeys({ limit, placesMax, windowMs: 60_000 })

describe("a place whose keys fail", () => {
  it("is blocked from the limit on, until the window that began with the first failure ends", () => {
    const failed = made(3)
    assert.isFalse(failed.count("a", 1_000))
    assert.isFalse(failed.count("a", 30_000))
    assert.strictEqual(failed.waitMs("a", 40_000), 0)
    assert.isTrue(failed.count("a", 41_000))
    assert.strictEqual(failed.waitMs("a", 41_000), 20_000)
    assert.strictEqual(failed.waitMs("b", 41_000), 0)
    assert.strictEqual(failed.waitMs("a", 60_999), 1)
    assert.strictEqual(failed.waitMs("a", 61_000), 0)
    assert.isFalse(failed.count("a", 61_000))
  })

  it("starts a new window a minute after its first failure, without earlier failures in flight", () => {
    const failed = made(2)
    failed.count("a", 0)
    assert.isFalse(failed.count("a", 60_000))
    assert.isTrue(failed.count("a", 60_001))
    for (let i = 0; i < 10; i++) assert.isFalse(failed.count("a", 60_002 + i))
    assert.strictEqual(failed.waitMs("a", 119_999), 1)
    assert.strictEqual(failed.waitMs("a", 120_000), 0)
  })

  it("is blocked at once when the limit is one failure", () => {
    const failed = made(1)
    assert.isTrue(failed.count("a", 5))
    assert.strictEqual(failed.waitMs("a", 5), 60_000)
  })

  it("is not displaced by many other places while it is blocked", () => {
    const failed = made(2, 10)
    failed.count("a", 0)
    failed.count("a", 0)
    for (let i = 0; i < 1_000; i++) failed.count(`other ${i}`, 1)
    assert.strictEqual(failed.waitMs("a", 2), 59_998)
  })

  it("uses bounded memory for a hundred thousand places", () => {
    const failed = made(2, 1_000)
    for (let i = 0; i < 100_000; i++) failed.count(`2001:db8:${i >> 16}:${i & 0xffff}::/64`, i)
    assert.strictEqual(failed.size(), 1_000)
    for (let i = 0; i < 20_000; i++) {
      failed.count(`waiting ${i}`, i)
      failed.count(`waiting ${i}`, i)
    }
    assert.isAtMost(failed.size(), 2_000)
    // Only the newest are kept: the one before has had its turn.
    assert.strictEqual(failed.waitMs("waiting 0", 1), 0)
    assert.isAbove(failed.waitMs("waiting 19999", 19_999), 0)
  })
})
