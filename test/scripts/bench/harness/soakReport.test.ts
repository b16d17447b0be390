import { assert, describe, it } from "@effect/vitest"
import { quantiles } from "../../../../scripts/bench/harness/figures.ts"
import { processorMs, processorMsOfFamily } from "../../../../scripts/bench/harness/processor.ts"
import { leastSquares } from "../../../../scripts/bench/harness/slope.ts"
import { faultsOf, type Soaked, soakReport } from "../../../../scripts/bench/harness/soakReport.ts"
import { Tally } from "../../../../scripts/bench/harness/tally.ts"

it("quantiles are values at floored ranks, and 0 of none", () => {
  assert.deepStrictEqual(quantiles([4, 1, 3, 2], [0, 0.5, 1]), [1, 2, 4])
  assert.deepStrictEqual(quantiles([], [0.5]), [0])
})

describe("the line of least squares", () => {
  it("is the line itself, without error, where the points lie on one", () => {
    const points = [0, 1, 2, 3].map((x) => ({ x, y: 5 - 2 * x }))
    assert.deepStrictEqual(leastSquares(points), { slope: -2, error: 0 })
  })

  it("has the standard error of the textbook", () => {
    // y = 0, 2, 1: slope 1/2; residuals -1/2, 1, -1/2; 1.5 over 1 degree of freedom and squares of 2.
    const { error, slope } = leastSquares([{ x: 0, y: 0 }, { x: 1, y: 2 }, { x: 2, y: 1 }])
    assert.closeTo(slope ?? NaN, 0.5, 1e-12)
    assert.closeTo(error ?? NaN, Math.sqrt(0.75), 1e-12)
  })

  it("is unknown of one point, of none, and of points above one another", () => {
    const unknown = { slope: null, error: null }
    assert.deepStrictEqual(leastSquares([]), unknown)
    assert.deepStrictEqual(leastSquares([{ x: 1, y: 1 }]), unknown)
    assert.deepStrictEqual(leastSquares([{ x: 1, y: 1 }, { x: 1, y: 2 }, { x: 1, y: 3 }]), unknown)
    assert.deepStrictEqual(leastSquares([{ x: 0, y: 1 }, { x: 1, y: 2 }]), { slope: 1, error: null })
  })
})

it("a family's processor time has its own process in it", { skip: process.platform !== "linux" }, () => {
  // Read first: the process goes on using time between the two readings.
  const ownMs = processorMs(process.pid) ?? Infinity
  assert.isAtLeast(processorMsOfFamily(process.pid) ?? 0, ownMs)
})

describe("the soak's report", () => {
  const soaked = (
    counts: Readonly<Partial<Pick<Tally, "accepted" | "statuses" | "unanswered" | "unsure" | "written">>>,
    kept: Soaked["kept"]
  ): Soaked => ({
    perSecond: 1, seconds: 60, settledAtMs: 0, endedAtMs: 600_000, kept, besides: [],
    loaded: { ...new Tally(), seconds: 60, processorMs: 0, lateMsP99: 0, ...counts },
    insides: [0, 1, 2].map((i) => ({
      kind: "inside", atMs: i * 300_000, rssBytes: 1e8, heapBytes: 1e8,
      descriptors: 20 + i, resources: { Timeout: i },
      collected: { heapBytes: (50 + i) * 1_048_576, externalBytes: 1e6, collectionMs: 30 },
      delayMs: { p50: 0, p99: 1, max: 7 + i }, wholeDelayMs: { p50: 0, p99: 1, max: 40 }
    }))
  })

  it("tells growth per ten minutes, the longest delay without our collections, and handles", () => {
    const report = soakReport(soaked({ accepted: 2, written: 3 }, { decisions: 3, feedbacks: 2 }))
    assert.match(report, /heap after collection +3 +50\.0 +52\.0 +2\.00 +0\.00/)
    assert.match(report, /whole run +0\.0 +1\.0 +9\.0/)
    assert.match(report, /after it +22 +- +Timeout 2/)
    assert.include(report, "No failure, nothing lost")
  })

  it("finds fault with what failed or was lost, and not with what was refused", () => {
    const none = { decisions: 0, feedbacks: 0 }
    assert.deepStrictEqual(faultsOf(soaked({ statuses: { 200: 9, 429: 1, 503: 1 } }, none)), [])
    assert.lengthOf(faultsOf(soaked({ statuses: { 200: 9, 500: 1 } }, none)), 1)
    assert.lengthOf(faultsOf(soaked({ statuses: { 0: 1 } }, none)), 1)
    assert.lengthOf(faultsOf(soaked({ unanswered: 1 }, none)), 1)
    assert.lengthOf(faultsOf(soaked({ accepted: 2 }, { decisions: 0, feedbacks: 1 })), 1)
    assert.lengthOf(faultsOf(soaked({ accepted: 2 }, { decisions: 0, feedbacks: 3 })), 1)
    assert.lengthOf(faultsOf(soaked({ accepted: 2, unsure: 1 }, { decisions: 0, feedbacks: 3 })), 0)
    assert.lengthOf(faultsOf(soaked({ written: 2 }, { decisions: 1, feedbacks: 0 })), 1)
  })
})
