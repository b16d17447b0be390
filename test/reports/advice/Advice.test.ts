import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { adviceSection, adviceWords } from "../../../packages/dashboard/src/AdviceSection.ts"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"
import { type DecisionCandidate, heldBy } from "../../../src/domain/Decision.ts"
import { AdviceResponse } from "../../../src/domain/reports/Advice.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { adviceOf } from "../../../src/reports/advice/Advice.ts"
import { kindsOf } from "../../../src/reports/advice/AdviceArms.ts"
import { adviceSettings } from "../../../src/reports/advice/AdviceSettings.ts"
import type { ArmSums } from "../../../src/reports/advice/ArmSums.ts"
import { answersOn } from "../../packages/dashboard/answers.ts"

const dayMs = 86_400_000

/** So many calls, each with a cost of little spread, and some of them with a verdict. */
const arm = (
  modelId: string, nCalls: number, usd: number, nVerdicts = 0, rate = 0.8, over: Partial<ArmSums> = {}
): ArmSums => ({
  lane: "sextant:shop", cluster: "code:hard", modelId, nCalls, firstMs: 0, nVerdicts, weight: nVerdicts,
  successWeight: rate * nVerdicts, predictedWeight: nVerdicts, predicted: 0.8 * nVerdicts, nCosted: nCalls,
  costUsd: usd * nCalls, costSquares: 1.2 * usd ** 2 * nCalls, estimatedUsd: usd * nCalls, newestId: null, ...over
})
const candidate = (modelId: string, estCostUsd: number, predictedSuccess = 0.8): DecisionCandidate =>
  ({ modelId, estCostUsd, predictedSuccess, isEligible: true })
const both = [candidate("dear", 0.02), candidate("cheap", 0.002)]

/** Advice after 30 days of these calls, whose newest decisions had these candidates. */
const adviceOn = (arms: ReadonlyArray<ArmSums>, candidates: ReadonlyArray<DecisionCandidate> = both, account = "acme") =>
  adviceOf(kindsOf(arms, 30 * dayMs, 30).map((kind) => ({ kind, candidates, heldId: null })), account)
const [dear, cheap] = [arm("dear", 3_000, 0.02, 600), arm("cheap", 500, 0.002, 400, 0.81)]

/** With enough verdicts a day for a guarantee. */
const busy = arm("dear", 3_000, 0.02, 3_000)

describe("advice on what to change", () => {
  it("is a move where verdicts and costs of both are known, with what a month of it saves", () => {
    const [row, ...others] = adviceOn([dear, cheap])
    assert.lengthOf(others, 0)
    assert.deepInclude(row, { certainty: "known", action: "move", settle: [], lane: "sextant:shop", cluster: "code:hard" })
    assert.closeTo(row?.savingUsdPerMonth ?? 0, 3_000 * 0.018, 1e-9)
    assert.isAbove(row?.differenceLow ?? -1, -0.05)
    assert.include(row?.command, `"candidate_models":["cheap"]`)
  })

  it("takes a young account's calls for its month, and an older one's at the rate of the window", () => {
    const month = (firstDay: number, windowDays: number) => {
      const arms = [dear, cheap].map((each) => ({ ...each, firstMs: firstDay * dayMs }))
      const kinds = kindsOf(arms, 400 * dayMs, windowDays).map((kind) => ({ kind, candidates: both, heldId: null }))
      return adviceOf(kinds, "acme")[0]?.callsPerMonth
    }
    assert.strictEqual(month(399.9, 30), 3_000)
    assert.strictEqual(month(399.9, 365), 3_000)
    assert.strictEqual(month(0, 90), 1_000)
    assert.strictEqual(month(340, 365), 1_500)
    assert.strictEqual(month(390, 15), 6_000)
  })

  it("asks for no move that a guarantee has made already", () => {
    const rows = (heldId: string | null) =>
      adviceOf(kindsOf([dear, cheap], 30 * dayMs, 30).map((kind) => ({ kind, candidates: both, heldId })), "acme")
    assert.strictEqual(rows(null)[0]?.action, "move")
    assert.lengthOf(rows("cheap"), 0)
    const decided = { guaranteeBaselineId: "dear", guaranteeCandidateId: "cheap" }
    const heldIn = (recommendedModelId: string, isExploration: boolean) =>
      heldBy({ ...decided, recommendedModelId, isExploration })
    assert.deepStrictEqual([heldIn("cheap", false), heldIn("dear", true)], ["cheap", "cheap"])
    assert.deepStrictEqual([heldIn("dear", false), heldIn("cheap", true)], [null, null])
    assert.isNull(heldBy({ ...decided, guaranteeBaselineId: null, recommendedModelId: "cheap", isExploration: false }))
  })

  it("is never a move by a prediction alone, nor by fewer verdicts or costs than it takes", () => {
    const others = [
      [], [arm("cheap", 500, 0.002)], [arm("cheap", 500, 0.002, 2, 1)], [arm("cheap", 500, 0.002, 29, 1)],
      [arm("cheap", 500, 0.002, 400, 0.9, { nCosted: 29, costUsd: 29 * 0.002 })],
      [arm("cheap", 500, 0.002, 100, 0.9, { weight: 29, successWeight: 27 })],
      [arm("cheap", 500, 0.002, 400, 0.9, { predictedWeight: 0, predicted: 0 })]
    ]
    for (const own of others) {
      const [row] = adviceOn([dear, ...own], [candidate("dear", 0.02, 0.5), candidate("cheap", 0.002, 0.99)])
      assert.notStrictEqual(row?.certainty, "known")
      assert.notStrictEqual(row?.action, "move")
      assert.isAbove(row?.settle.length ?? 0, 0)
    }
  })

  it("says that what never ran is only believed, with an interval as wide as ten verdicts'", () => {
    const [row] = adviceOn([dear])
    assert.deepInclude(row, { certainty: "believed", differenceLow: null })
    assert.deepInclude(row?.candidate, { successBasis: "prediction", costBasis: "estimate", nVerdicts: 0, success: 0.8 })
    assert.isAbove((row?.candidate.successHigh ?? 0) - (row?.candidate.successLow ?? 0), 0.4)
  })

  it("names the ways to know it, with commands, the cheapest with what waiting forgoes first", () => {
    const [row] = adviceOn([busy, arm("cheap", 100, 0.002, 60, 0.8)])
    assert.strictEqual(row?.certainty, "tried")
    assert.sameMembers(row?.settle.map(({ by }) => by) ?? [], ["audition", "guarantee", "verdicts"])
    const [first] = row?.settle ?? []
    assert.strictEqual(row?.action, first?.by)
    assert.strictEqual(row?.command, first?.command)
    const audition = row?.settle.find(({ by }) => by === "audition") ?? assert.fail("no audition")
    assert.closeTo(audition.costUsd, audition.count * 0.022, 1e-9)
    assert.include(audition.command, "--models dear,cheap")
    assert.include(row?.settle.find(({ by }) => by === "guarantee")?.command, "--guarantee-baseline dear --guarantee-trials 0.2")
  })

  it("leaves out what is dearer, hardly cheaper, known to be worse, or unlikely to be as good", () => {
    const only = (...arms: ReadonlyArray<ArmSums>) => adviceOn([dear, ...arms], both.slice(0, 1))
    assert.deepStrictEqual(only(arm("dearer", 500, 0.03, 400, 0.9)), [])
    assert.deepStrictEqual(only(arm("hardly", 500, 0.019, 400, 0.9)), [])
    assert.deepStrictEqual(only(arm("worse", 500, 0.002, 400, 0.6)), [])
    assert.deepStrictEqual(adviceOn([dear], [both[0]!, candidate("cheap", 0.002, 0.3)]), [])
    assert.deepStrictEqual(adviceOn([]), [])
  })

  it("takes off what easier tasks gave the candidate, by the predictions of both", () => {
    const [row] = adviceOn([dear, { ...cheap, predicted: 0.85 * 400 }])
    assert.notStrictEqual(row?.action, "move")
    assert.closeTo(row?.easierBy ?? 0, 0.05, 1e-9)
    assert.strictEqual(adviceOn([dear, { ...cheap, predicted: 0.7 * 400 }])[0]?.easierBy, 0)
  })

  it("compares no two lanes and no two kinds, and has at most five rows, most money first", () => {
    assert.deepStrictEqual(adviceOn([dear, { ...cheap, lane: "sextant:other" }], both.slice(0, 1)), [])
    const rows = adviceOn([1, 2, 3, 4, 5, 6, 7].flatMap((n) =>
      [dear, cheap].map((each) => ({ ...each, cluster: `code:${n}`, nCalls: n * each.nCalls }))))
    assert.deepStrictEqual(rows.map(({ cluster }) => cluster), ["code:7", "code:6", "code:5", "code:4", "code:3"])
  })

  it("offers no audition of levels of effort, which an audition does not have", () => {
    const [row] = adviceOn([busy], [both[0]!, candidate("cheap#effort=low", 0.002)])
    assert.deepInclude(row?.candidate, { modelId: "cheap", effort: "low" })
    assert.deepStrictEqual(row?.settle.map(({ by }) => by), ["guarantee"])
  })

  it("adds observed calls to decisions by kind and model; their verdicts make nothing known", () => {
    const told = (model: ArmSums): ArmSums => ({
      ...model, predictedWeight: 0, predicted: 0, estimatedUsd: 0,
      observed: { nCalls: model.nCalls, nVerdicts: model.nVerdicts, weight: model.weight, successWeight: model.successWeight }
    })
    const [alone] = adviceOn([told(dear), told(cheap)])
    assert.deepInclude(alone, { certainty: "tried", action: "audition", differenceLow: null })
    assert.deepInclude(alone?.usual, { nObserved: 3_000, nVerdicts: 600, successBasis: "verdicts" })
    assert.deepStrictEqual(alone?.settle.map(({ by }) => by), ["audition"])
    const [joined] = adviceOn([dear, cheap, told(dear)])
    assert.deepInclude(joined, { certainty: "known", action: "move", callsPerMonth: 6_000 })
    assert.deepInclude(joined?.usual, { nObserved: 3_000, nVerdicts: 1_200, nCosted: 6_000 })
    const few = { ...cheap, ...arm("cheap", 500, 0.002, 20) }
    assert.notStrictEqual(adviceOn([dear, few, told(cheap)])[0]?.action, "move")
    // What was observed to fail is no move, whatever decisions say.
    assert.deepStrictEqual(adviceOn([dear, cheap, told(arm("cheap", 900, 0.002, 900, 0.4))]), [])
  })

  it("is only believed where a prediction alone speaks for what runs today", () => {
    const [row] = adviceOn([arm("dear", 3_000, 0.02), cheap])
    assert.deepInclude(row, { certainty: "believed", differenceLow: null })
    assert.strictEqual(row?.usual.successBasis, "prediction")
    assert.notStrictEqual(row?.action, "move")
  })

  it("keeps names that callers made up inside one word of one line", () => {
    const odd = "a'; rm -rf ~ #\n"
    const [row] = adviceOn([{ ...dear, lane: `sextant:${odd}` }], [both[0]!, candidate(odd, 0.002)])
    const { command } = row?.settle.find(({ by }) => by === "audition") ?? assert.fail("no audition")
    assert.include(command, `'dear,a'\\''; rm -rf ~ #\\u000a'`)
    for (const { command } of row?.settle ?? []) assert.notInclude(command, "\n")
  })

  it("weighs verdicts, and takes a day as near, as the engine does", () => {
    assert.strictEqual(defaults.retirementNoticeDays, adviceSettings.successorDaysMin)
    const { gate, human, judge } = defaults.provenanceWeight
    assert.deepStrictEqual({ gate, human, judge }, adviceSettings.verdictWeight)
  })

  it("is said in words, and is a section of the page where there is any", () => {
    const answer = Schema.encodeSync(AdviceResponse)({
      namespace: null, days: 30, n: 3_500, nKinds: 1, tolerance: 0.05, rows: adviceOn([dear, cheap])
    })
    const [words, command] = adviceWords(answer.rows[0]!).split("\n")
    assert.match(words!, /^shop, hard code: cheap in place of dear, \$54\.00 a month less\. Known: /)
    assert.include(command, "POST /v1/recommend")
    const answers = answersOn([])
    assert.include(htmlOf(adviceSection({ ...answers, advice: answer }) ?? assert.fail("no section")), "$54.00")
    assert.isNull(adviceSection(answers))
    assert.isNull(adviceSection({ ...answers, advice: { ...answer, rows: [] } }))
  })
})
