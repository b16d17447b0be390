import { assert, describe, it } from "@effect/vitest"
import type { DecisionCandidate } from "../../../src/domain/Decision.ts"
import { modelIdOf } from "../../../src/domain/model/ModelVariant.ts"
import { dayMs, dayOf } from "../../../src/domain/Time.ts"
import { kindsOf } from "../../../src/reports/advice/AdviceArms.ts"
import { adviceSettings } from "../../../src/reports/advice/AdviceSettings.ts"
import type { ArmSums } from "../../../src/reports/advice/ArmSums.ts"
import { daysLeft, type Retiring, retirementOf, retiringRow, type UsedKind } from "../../../src/reports/advice/Retirement.ts"
import { generator } from "../../../src/stats/Generator.ts"

const nowMs = Date.parse("2026-11-30T10:00:00Z")
const firstMs = nowMs - 30 * dayMs

const arm = (modelId: string, nCalls: number, usd: number, nVerdicts = 0, rate = 0.8, over: Partial<ArmSums> = {}): ArmSums => ({
  lane: "sextant:shop", cluster: "code:hard", modelId, nCalls, firstMs, nVerdicts, weight: nVerdicts,
  successWeight: rate * nVerdicts, predictedWeight: nVerdicts, predicted: 0.8 * nVerdicts, nCosted: nCalls,
  costUsd: usd * nCalls, costSquares: 1.2 * usd ** 2 * nCalls, estimatedUsd: usd * nCalls, newestId: null, ...over
})
const candidate = (modelId: string, estCostUsd: number, predictedSuccess = 0.8): DecisionCandidate =>
  ({ modelId, estCostUsd, predictedSuccess, isEligible: true })

const retiring = (over: Partial<Retiring> = {}): Retiring =>
  ({ accountId: "acme", modelId: "old", retiresOn: "2026-12-31", lastDayOf: () => null, nowMs, ...over })

const used = (arms: ReadonlyArray<ArmSums>, candidates: ReadonlyArray<DecisionCandidate>): ReadonlyArray<UsedKind> =>
  kindsOf(arms, nowMs, 30).map((kind) => ({
    kind, candidates, isCandidate: (id) => arms.some(({ modelId }) => modelId === id)
  }))

const old = arm("old", 3_000, 0.01, 600)
const three = [candidate("old", 0.01), candidate("same", 0.004), candidate("weak", 0.001, 0.4)]

describe("what may replace a model that retires", () => {
  it("is the cheapest that is as good but for the tolerance, then the likeliest of the others", () => {
    const { kinds: [kind], successor, ...rest } = retirementOf(retiring(), used([old, arm("same", 500, 0.004, 400, 0.83)], three))
    assert.deepStrictEqual(kind?.successors.map(({ model, certainty }) => [model.modelId, certainty]), [
      ["same", "known"], ["weak", "believed"]
    ])
    assert.deepInclude(successor, { modelId: "same", certainty: "known", callShare: 1, knownShare: 1 })
    assert.closeTo(successor?.usdPerMonthChange ?? 0, -3_000 * 0.006, 1e-9)
    assert.isNull(rest.audition)
    assert.strictEqual(rest.guarantee, "sextant account set --instance acme --guarantee-baseline old --guarantee-trials 0.2")
    assert.deepStrictEqual(rest.switch, {
      command: "sextant account set --instance acme --guarantee-baseline same --guarantee-trials 0.2",
      aliases: { old: "same" }
    })
  })

  it("is only believed by a prediction, and says what an audition of it costs", () => {
    const { audition, kinds: [kind], successor } = retirementOf(retiring(), used([old], three))
    assert.deepInclude(kind?.successors[0], { certainty: "believed", differenceLow: null, isCandidate: false })
    assert.deepInclude(successor, { modelId: "same", certainty: "believed", knownShare: 0 })
    assert.isAbove((successor?.successHigh ?? 0) - (successor?.successLow ?? 0), 0.4)
    assert.closeTo(audition?.costUsd ?? 0, (audition?.count ?? 0) * 0.014, 1e-9)
    assert.include(audition?.command, "--models old,same")
  })

  it("is none where nothing else may run, or where nothing is known of the model itself", () => {
    const none = retirementOf(retiring(), used([old], [candidate("old", 0.01)]))
    assert.deepInclude(none, { successor: null, audition: null, switch: null })
    assert.deepStrictEqual(none.kinds[0]?.successors, [])
    const unpriced = arm("old", 10, 0, 0, 0, { nCosted: 0, costUsd: 0, costSquares: 0 })
    assert.isNull(retirementOf(retiring(), used([unpriced], [candidate("same", 0.004)])).kinds[0]?.usual)
    assert.deepInclude(retirementOf(retiring(), []), { kinds: [], successor: null, guarantee: null, switch: null })
  })

  it("counts all efforts of the model as the model, and an effort of another one as its own", () => {
    const arms = [arm("old#effort=high", 100, 0.02, 60), arm("old#effort=low", 50, 0.01, 40), arm("same#effort=low", 90, 0.001, 60)]
    const { audition, kinds: [kind], switch: line } = retirementOf(retiring(), used(arms, three.slice(0, 1)))
    assert.strictEqual(kind?.nCalls, 150)
    assert.deepStrictEqual(kind?.successors.map(({ model }) => [model.modelId, model.effort]), [["same", "low"]])
    assert.deepStrictEqual(line?.aliases, { old: "same" })
    assert.isNull(audition)
  })

  it("weighs kinds of task by their calls, and takes what is compared on most of them", () => {
    const everywhere = ["code:hard", "qa:easy"].flatMap((cluster, at) => [
      { ...old, cluster, nCalls: at === 0 ? 900 : 100 }, { ...arm("same", 90, 0.004, 80), cluster }
    ])
    const { kinds, successor } = retirementOf(retiring(), used(
      [...everywhere, { ...arm("here", 90, 0.0001, 80), cluster: "code:hard" }], three.slice(0, 1)))
    assert.strictEqual(kinds[0]?.successors[0]?.model.modelId, "here")
    assert.deepInclude(successor, { modelId: "same", callShare: 1 })
  })

  it("is never, in random worlds, the model, one that ends too early, or known by a prediction", () => {
    let [known, believed, rows] = [0, 0, 0]
    for (let seed = 0; seed < 300; seed++) {
      const uniform = generator(seed)
      const ids = ["old", "old#effort=low", "a", "b", "b#effort=high", "c", "d"]
      const days = new Map(ids.map((id) => [modelIdOf(id), uniform() < 0.4 ? dayOf(nowMs + (uniform() * 400 - 100) * dayMs) : null]))
      const asked = retiring({ retiresOn: days.get("old") ?? null, lastDayOf: (id) => days.get(modelIdOf(id)) ?? null })
      const arms = ["code:hard", "qa:easy"].flatMap((cluster) => ids.filter((id) => id === "old" || uniform() < 0.5).map((id) => {
        const verdicts = uniform() < 0.4 ? 0 : Math.floor(200 * uniform())
        const own = { ...arm(id, verdicts + 10, 0.001 + uniform(), verdicts, uniform()), cluster }
        const { nCalls, nVerdicts, successWeight, weight } = own
        return uniform() < 0.7 ? own : { ...own, predicted: 0, predictedWeight: 0, observed: { nCalls, nVerdicts, successWeight, weight } }
      }))
      const { kinds, successor } = retirementOf(asked, used(arms, ids.map((id) => candidate(id, uniform(), uniform()))))
      const lastMs = Math.max(nowMs, Date.parse(asked.retiresOn ?? "2026-01-01"))
      const named = [...kinds.flatMap(({ successors }) => successors.map(({ model }) => model.modelId)), ...successor === null ? [] : [successor.modelId]]
      for (const id of named) {
        assert.notStrictEqual(id, "old")
        const day = days.get(id) ?? null
        assert.isTrue(day === null || Date.parse(day) > lastMs + (adviceSettings.successorDaysMin - 1) * dayMs, id)
      }
      for (const row of kinds) {
        for (const { chance, differenceHigh, differenceLow, model, certainty } of row.successors) {
          rows++
          assert.isTrue(model.successLow <= model.success && model.success <= model.successHigh)
          assert.isTrue(chance >= 0 && chance <= 1)
          if (certainty === "known") {
            known++
            assert.isAtLeast(Math.min(model.nVerdicts, row.usual?.nVerdicts ?? 0), adviceSettings.knownMin)
            assert.isTrue(differenceLow !== null && differenceHigh !== null && differenceLow > -0.05 && differenceLow <= differenceHigh)
            assert.strictEqual(model.nObserved, undefined)
          }
          if ([model, row.usual].some((each) => each?.successBasis === "prediction")) {
            believed++
            assert.strictEqual(certainty, "believed")
          }
        }
      }
      if (successor !== null) {
        assert.isTrue(successor.successLow <= successor.success && successor.success <= successor.successHigh)
        if (successor.certainty === "known") assert.closeTo(successor.knownShare, successor.callShare, 1e-12)
      }
    }
    assert.isAbove(known, 50)
    assert.isAbove(believed, 200)
    assert.isAbove(rows, 1_000)
  })

  it("is in a line what it is in the answer, with the days that are left", () => {
    const row = retiringRow(retiring(), used([old, arm("same", 500, 0.004, 400)], three))
    assert.deepInclude(row, {
      modelId: "old", daysLeft: 31, nKinds: 1, lanes: ["sextant:shop"], command: "sextant retire old --instance acme"
    })
    assert.closeTo(row.callsPerMonth, 3_000, 1e-6)
    assert.strictEqual(row.successor?.modelId, "same")
    assert.strictEqual(daysLeft("2026-11-30", nowMs), 0)
    assert.strictEqual(daysLeft("2026-11-28", nowMs), -2)
    assert.isNull(daysLeft(null, nowMs))
  })
})
