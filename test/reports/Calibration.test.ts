import { assert, describe, it } from "@effect/vitest"
import type { LedgerRow } from "../../src/domain/Decision.ts"
import { calibration } from "./reference/Calibration.ts"
import { decided, reported } from "./rows.ts"

const hour = (index: number) => new Date(Date.UTC(2026, 10, 1, index))
const many = <A>(count: number, row: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => row(index))

const failed: typeof reported = (but = {}, decision = {}) =>
  reported({ outcome: "failure", quality: 0.1, ...but }, decision)

describe("calibration", () => {
  // Three of four at 0.75 succeed: no error. Against quality, (0.9 * 3 + 0.1) / 4 = 0.7: an error of 0.05.
  it("a model that keeps its promise has no error", () => {
    const rows = [reported(), reported(), reported(), failed()]
    const [global] = calibration(rows).reports
    assert.strictEqual(global?.n, 4)
    assert.closeTo(global?.ece ?? NaN, 0, 1e-12)
    assert.closeTo(global?.eceQuality ?? NaN, 0.05, 1e-12)
    assert.strictEqual(global?.bins.length, 10)
  })

  it("a partial outcome counts half", () => {
    const [global] = calibration([reported({ outcome: "partial", quality: 0.75 })]).reports
    assert.closeTo(global?.ece ?? NaN, 0.25, 1e-12)
    assert.closeTo(global?.eceQuality ?? NaN, 0, 1e-12)
  })

  it("the prediction is the one for the model that ran, not for the pick", () => {
    const [global] = calibration([reported({ chosenModelId: "large" })]).reports
    assert.closeTo(global?.ece ?? NaN, 0.05, 1e-12)
  })

  it("telemetry, silence and models that were no candidates judge nothing", () => {
    const rows = [decided(), reported({ teaches: false }), reported({ chosenModelId: "unheard-of" })]
    const { reports, health } = calibration(rows)
    const [global] = reports
    assert.strictEqual(reports.length, 1)
    assert.deepInclude(global, { sliceKey: "global", n: 0, ece: null, eceShrunk: null, eceQuality: null })
    assert.strictEqual(health.recommendations, 3)
  })

  // All four at 0.75, three of them succeed: no error together. The one of qa fails: 0.75 off, shrunk to 0.75
  // / 21.
  it("task types follow in order, their errors pulled toward the global one", () => {
    const rows = [
      failed({}, { taskType: "qa", difficulty: "easy", cluster: "qa:easy" }),
      ...many(3, () => reported())
    ]
    const { reports } = calibration(rows)
    const sizes = reports.map(({ sliceKey, n }) => [sliceKey, n])
    assert.deepStrictEqual(sizes, [["global", 4], ["code", 3], ["qa", 1]])
    const [global, , qa] = reports
    assert.closeTo(global?.ece ?? NaN, 0, 1e-12)
    assert.closeTo(qa?.ece ?? NaN, 0.75, 1e-12)
    assert.closeTo(qa?.eceShrunk ?? NaN, 0.75 / 21, 1e-12)
  })

  it("a model that fails where success was predicted is over-predicted, in its cluster alone", () => {
    const failing = many(6, (index) => failed({ feedbackAt: hour(index) }))
    const fine = many(6, () => reported({}, { difficulty: "easy", cluster: "code:easy" }))
    assert.deepStrictEqual(calibration([...failing, ...fine]).driftFlags, [
      { cluster: "code:hard", modelId: "small", direction: "over_predicting", leftAt: null }
    ])
  })

  it("a model counts as left where ten outcomes of others, over a day, follow its last run", () => {
    const failing = many(6, (index) => failed({ feedbackAt: hour(index) }, { createdAt: hour(index) }))
    const others = (n: number, from: number) => many(n, (index) => {
      const at = hour(from + 3 * index)
      return reported({ chosenModelId: "large", feedbackAt: at }, { createdAt: at })
    })
    const leftAt = (rows: ReadonlyArray<LedgerRow>) => calibration(rows).driftFlags.map((flag) => flag.leftAt)
    assert.deepStrictEqual(leftAt([...failing, ...others(11, 6)]), [hour(5).toISOString()])
    // Too few, and none of them a day later.
    assert.deepStrictEqual(leftAt([...failing, ...others(9, 6)]), [null])
    assert.deepStrictEqual(leftAt([...failing, ...others(8, 6), ...others(8, 6)]), [null])
  })

  it("a model that succeeds where failure was predicted is under-predicted", () => {
    const candidates = [
      { modelId: "small", predictedSuccess: 0.25, estCostUsd: 0.25, isEligible: false }
    ]
    const rows = many(6, () => reported({}, { candidates }))
    const [flag] = calibration(rows).driftFlags
    assert.strictEqual(flag?.direction, "under_predicting")
  })

  it("drift is read in the order of the feedback, not of the decisions", () => {
    const failures = many(6, (index) => failed({ feedbackAt: hour(index) }))
    const recovery = many(20, (index) => reported({ feedbackAt: hour(100 + index) }))
    assert.deepStrictEqual(calibration([...recovery, ...failures]).driftFlags, [])
  })
})
