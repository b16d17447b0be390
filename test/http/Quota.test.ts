import { assert, describe, it } from "@effect/vitest"
import { makeQuota } from "../../src/http/Quota.ts"

const quota = (limit: number, keysMax = 100) => makeQuota({ limit, windowSeconds: 60, keysMax })

describe("a quota", () => {
  it("allows its limit at once, then one at a time as it refills", () => {
    const count = quota(60)
    for (let i = 59; i >= 0; i--) assert.deepInclude(count("a", 0), { isAllowed: true, remaining: i })
    assert.deepInclude(count("a", 0), { isAllowed: false, remaining: 0, retrySeconds: 1, resetSeconds: 60 })
    assert.isFalse(count("a", 900).isAllowed)
    assert.isTrue(count("a", 1_000).isAllowed)
    assert.isFalse(count("a", 1_000).isAllowed)
  })

  it("never holds more than its limit, and tells when it is whole again", () => {
    const count = quota(2)
    assert.deepInclude(count("a", 0), { remaining: 1, resetSeconds: 30 })
    assert.deepInclude(count("a", 3_600_000), { remaining: 1, resetSeconds: 30 })
  })

  it("is each key's own", () => {
    const count = quota(1)
    assert.isTrue(count("a", 0).isAllowed)
    assert.isTrue(count("b", 0).isAllowed)
    assert.isFalse(count("a", 0).isAllowed)
  })

  it("remembers so many keys and no more, and forgets the one that is longest silent", () => {
    const count = quota(1, 2)
    count("a", 0)
    count("b", 0)
    count("a", 0)
    count("c", 0)
    assert.isFalse(count("a", 0).isAllowed)
    assert.isTrue(count("b", 0).isAllowed)
  })
})
