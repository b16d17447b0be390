import { assert, describe, it } from "@effect/vitest"
import { defaults } from "../../src/engine/Settings.ts"
import { type CallCount, modelHealth, reporterOf } from "../../src/stats/ModelHealth.ts"

const rule = defaults.healthRule
const minute = 29_000_000
const nowMs = (minute + 1) * 60_000

/** Calls of one minute: the first `failures` of them broke, the others came after. */
const count = (calls: number, failures: number, over: Partial<CallCount> = {}): CallCount => {
  const at = over.minute ?? minute
  return {
    minute: at, provider: "p", modelId: "m", reporter: 1, calls, failures, rateLimits: 0,
    run: calls > failures ? calls - failures : -failures,
    failedAtMs: failures === 0 ? null : at * 60_000 + 30_000, retryAtMs: null, ...over
  }
}

/** Calls of which the last one broke. */
const mixed = (calls: number, failures: number, over: Partial<CallCount> = {}) =>
  count(calls, failures, { run: -1, ...over })

const unhealthy = (counts: ReadonlyArray<CallCount>, atMs = nowMs): ReadonlyArray<string> =>
  modelHealth(rule, counts, atMs).filter(({ isHealthy }) => !isHealthy)
    .map(({ modelId, provider }) => `${provider}/${modelId ?? "*"}`).sort()

it("the users of a key are four reporters at most, and of no other key", () => {
  const reportersOf = (key: number) => new Set(Array.from({ length: 1_000 }, (_, user) => reporterOf(key, user)))
  const [one, other] = [reportersOf(1), reportersOf(2)]
  assert.strictEqual(one.size, 4)
  assert.strictEqual(new Set([...one, ...other]).size, 8)
  // As a column of two bytes holds them.
  for (const reporter of [reporterOf(0, 0), reporterOf(2 ** 32 - 1, 2 ** 32 - 1)]) assert.isTrue(reporter >= 0 && reporter < 2 ** 15)
})

describe("a model", () => {
  it.each<readonly [name: string, counts: ReadonlyArray<CallCount>, unhealthy: ReadonlyArray<string>]>([
    ["without calls", [], []],
    ["whose calls go well", [count(1_000, 0)], []],
    ["of which nine calls broke, all", [count(9, 9)], []],
    ["of which ten calls broke, all", [count(10, 10)], ["p/m"]],
    ["of which 2 of 10 broke, which may be chance", [mixed(10, 2)], []],
    ["of which 3 of 10 broke", [mixed(10, 3)], ["p/m"]],
    ["of which 19 % of many broke", [mixed(1_000, 190)], []],
    ["of which 21 % of many broke", [mixed(1_000, 210)], ["p/m"]],
    ["of which ten broke over five minutes", [0, 1, 2, 3, 4].map((ago) => count(2, 2, { minute: minute - ago })), ["p/m"]],
    ["of which ten broke over ten minutes", [0, 2, 4, 6, 8].map((ago) => count(2, 2, { minute: minute - ago })), []],
    ["that one of two reporters cannot call", [count(1_000, 1_000), count(1_000, 0, { reporter: 2 })], []],
    ["that one noisy reporter of many cannot call", [
      count(1_000, 1_000), ...Array.from({ length: 8 }, (_, i) => count(3, 0, { reporter: 2 + i }))
    ], []],
    ["that two reporters of two cannot call", [count(10, 10), count(10, 10, { reporter: 2 })], ["p/m"]],
    ["that every third call of all reporters breaks", Array.from({ length: 8 }, (_, reporter) =>
      mixed(9, 3, { reporter })), ["p/m"]],
    ["of a reporter whose own network is out", [count(10, 10), count(3, 3, { provider: "q" })], []],
    ["of a reporter whom another provider answers", [count(10, 10), count(4, 3, { provider: "q" })], ["p/m"]],
    ["that is out while another provider errs twice", [count(10, 10), count(2, 2, { provider: "q" })], ["p/m"]],
    ["that others cannot call beside a reporter without a network", [
      count(10, 10), count(3, 3, { provider: "q" }), count(10, 10, { reporter: 2 })
    ], ["p/m"]],
    ["that one key of two cannot call, whichever users it names", [
      ...Array.from({ length: 60 }, (_, user) => count(10, 10, { reporter: reporterOf(1, user) })), count(10, 0, { reporter: reporterOf(2, 0) })
    ], []],
    ["that one key's users cannot call beside another key that has too few calls to tell", [
      ...Array.from({ length: 20 }, (_, user) => count(1, 1, { reporter: reporterOf(1, user) })), count(9, 0, { reporter: reporterOf(2, 0) })
    ], ["p/m"]],
    ["that the users of two keys cannot call", [
      ...Array.from({ length: 20 }, (_, user) => count(1, 1, { reporter: reporterOf(1 + user % 2, user) })), mixed(9, 2, { reporter: reporterOf(2, 25) })
    ], ["p/m"]],
    ["of which one key of two says that its provider is out as a whole", [
      ...["m", "n"].flatMap((modelId) => Array.from({ length: 60 }, (_, user) => count(10, 10, { modelId, reporter: reporterOf(1, user) }))),
      ...["m", "n"].map((modelId) => count(5, 0, { modelId, reporter: reporterOf(2, 0) }))
    ], ["p/m", "p/n"]],
    ["of a provider that fails as a whole, with few calls of its own", [
      count(10, 10), count(3, 3, { modelId: "n" }), count(1, 1, { modelId: "o" })
    ], ["p/*", "p/m", "p/n", "p/o"]],
    ["of a provider of which another model is well", [
      count(10, 10), count(5, 5, { modelId: "n" }), count(5, 0, { modelId: "o" })
    ], ["p/m"]]
  ])("%s is unhealthy as the calls say", (_, counts, expected) => {
    assert.deepStrictEqual(unhealthy(counts), expected)
    // In any order, and in each of a week of minutes.
    assert.deepStrictEqual(unhealthy(counts.toReversed()), expected)
    const later = counts.map((each) => ({
      ...each, minute: each.minute + 10_080, failedAtMs: each.failedAtMs === null ? null : each.failedAtMs + 604_800_000
    }))
    assert.deepStrictEqual(unhealthy(later, nowMs + 604_800_000), expected)
  })

  it("is well after good calls in a row, the more the less it failed", () => {
    const out = count(12, 12)
    const after = (calls: number) => [out, count(calls, 0, { minute: minute + 1 })]
    assert.deepStrictEqual(unhealthy(after(0)), ["p/m"])
    // At 71 % of broken calls, shrunk, three in a row are unlikely.
    assert.deepStrictEqual([unhealthy(after(2)), unhealthy(after(3))], [["p/m"], []])
    const partly = (calls: number) => [mixed(100, 30), count(calls, 0, { minute: minute + 1 })]
    assert.deepStrictEqual([unhealthy(partly(8)), unhealthy(partly(9))], [["p/m"], []])
    // Its own reporter's count in the minute of the failure too.
    assert.deepStrictEqual(unhealthy([count(23, 20)]), [])
  })

  it("is forgotten after ten minutes without a failure, and stays out until then", () => {
    const failedAtMs = minute * 60_000 + 30_000
    assert.deepStrictEqual(unhealthy([count(10, 10)], failedAtMs + 599_999), ["p/m"])
    assert.deepStrictEqual(modelHealth(rule, [count(10, 10)], failedAtMs + 600_000), [])
  })

  it("with enough calls is never made unhealthy by a good call, and never well by a broken one", () => {
    for (let calls = rule.callsMin; calls < 40; calls++) {
      for (let failures = 1; failures <= calls; failures++) {
        const before = unhealthy([mixed(calls, failures)]).length
        assert.isAtMost(unhealthy([mixed(calls + 1, failures)]).length, before)
        assert.isAtLeast(unhealthy([mixed(calls + 1, failures + 1)]).length, before)
      }
    }
  })

  it("may be tried again after a quarter of a minute, or when the first caller may call again", () => {
    const failedAtMs = minute * 60_000 + 30_000
    const probeOf = (...counts: ReadonlyArray<CallCount>) => modelHealth(rule, counts, nowMs)[0]!.probeAtMs - failedAtMs
    assert.strictEqual(probeOf(count(10, 10)), 15_000)
    const asked = (waitMs: number, reporter: number) => count(10, 10, { reporter, retryAtMs: failedAtMs + waitMs })
    assert.strictEqual(probeOf(asked(120_000, 1)), 120_000)
    assert.strictEqual(probeOf(asked(120_000, 1), asked(40_000, 2)), 40_000)
    assert.strictEqual(probeOf(asked(9e9, 1)), 600_000)
  })
})
