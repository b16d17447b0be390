import { assert, describe, it } from "@effect/vitest"
import { makeQuota } from "../../../src/http/limits/Quota.ts"

const quotaOf = (limit: number, keysMax = 100) => makeQuota({ limit, windowSeconds: 60, keysMax })
/** Counts requests of one unit. */
const quota = (limit: number, keysMax = 100) => {
  const { spend } = quotaOf(limit, keysMax)
  return (key: string, nowMs: number) => spend(key, nowMs, 1)
}

describe("a quota", () => {
  it("allows its limit at once, then one at a time as it refills", () => {
    const count = quota(60)
    for (let i = 59; i >= 0; i--) assert.deepInclude(count("a", 0), { isAllowed: true, remaining: i })
    assert.deepInclude(count("a", 0), { isAllowed: false, remaining: 0, retrySeconds: 1, resetSeconds: 60 })
    assert.isFalse(count("a", 900).isAllowed)
    assert.isTrue(count("a", 1_000).isAllowed)
    assert.isFalse(count("a", 1_000).isAllowed)
  })

  it("never exceeds its limit, and reports when it is full again", () => {
    const count = quota(2)
    assert.deepInclude(count("a", 0), { remaining: 1, resetSeconds: 30 })
    assert.deepInclude(count("a", 3_600_000), { remaining: 1, resetSeconds: 30 })
  })

  it("is separate for each key", () => {
    const count = quota(1)
    assert.isTrue(count("a", 0).isAllowed)
    assert.isTrue(count("b", 0).isAllowed)
    assert.isFalse(count("a", 0).isAllowed)
  })

  it("stores a bounded number of keys, and drops the least recently used one", () => {
    const count = quota(1, 2)
    count("a", 0)
    count("b", 0)
    count("a", 0)
    count("c", 0)
    assert.isFalse(count("a", 0).isAllowed)
    assert.isTrue(count("b", 0).isAllowed)
  })

  it("counts a request by its units, and refills what exceeds the limit before the next one", () => {
    const { owe, spend } = quotaOf(60)
    assert.deepInclude(spend("a", 0, 10), { isAllowed: true, remaining: 50, resetSeconds: 10 })
    assert.deepInclude(owe("a", 0, 99), { isAllowed: true, remaining: 0, resetSeconds: 109 })
    assert.deepInclude(spend("a", 0, 1), { isAllowed: false, remaining: 0, retrySeconds: 50, resetSeconds: 109 })
    assert.isFalse(spend("a", 49_000, 1).isAllowed)
    assert.isTrue(spend("a", 50_000, 1).isAllowed)
  })

  it("admits the same work over time, whatever the units of the requests", () => {
    for (const units of [1, 7, 100]) {
      const { spend } = quotaOf(60)
      let had = 0
      for (let nowMs = 0; nowMs < 3_600_000; nowMs += 100) if (spend("a", nowMs, units).isAllowed) had += units
      assert.isAtMost(Math.abs(had - 3_660), 100)
    }
  })
})
