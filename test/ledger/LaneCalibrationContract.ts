import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import type { AccountId } from "../../src/domain/Scope.ts"
import { laneOf } from "../../src/domain/Scope.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import type { PlannedCalibration } from "../../src/ledger/ReportSubmission.ts"
import { type JudgedPrediction, type LaneNumbers, type LaneRule, observe, replace } from "../../src/stats/LaneNumbers.ts"
import { contractTest } from "../support/Contract.ts"
import { decisionOf, newAccount, planOf, submissionOf } from "./LedgerContract.ts"

const start: LaneNumbers = { outcomes: 0, localShare: 0.5, spreadEvidence: [] }
const lane = laneOf("tests")
const rule: LaneRule = { hedgeShare: 0.02 }

/** A trial of its own for each number. */
const trialOf = (index: number): JudgedPrediction => {
  const part = (of: number) => ((index * 7 + of * 13) % 29) / 28
  return {
    cells: part(2), local: part(3), success: part(5), weight: part(6),
    spreadEvidence: index % 2 === 0 ? [] : [-part(9), -part(10)]
  }
}

/** Applies a feedback which moves the lane's numbers by the trial. */
export const move = Effect.fnUntraced(function*(
  accountId: AccountId,
  trial: JudgedPrediction,
  over: { readonly replaced?: JudgedPrediction; readonly lane?: typeof lane } = {}
) {
  const { remember } = yield* LaneCalibrations
  const of = over.lane ?? lane
  const ledger = yield* Ledger
  const decision = decisionOf(accountId, { lane: of })
  yield* ledger.record([decision])
  const calibration: PlannedCalibration = {
    lane: of, trial, replaced: over.replaced ?? null, rule, start,
    remember: (numbers) => remember(accountId, of, numbers)
  }
  return yield* ledger.applyReport(submissionOf(accountId, {
    decision, plan: ({ outcomes }) => planOf({ outcomes, calibration })
  }))
})

const assertNumbers = (numbers: LaneNumbers | null, wanted: LaneNumbers) => {
  assert.strictEqual(numbers?.outcomes, wanted.outcomes)
  assert.closeTo(numbers?.localShare ?? -1, wanted.localShare, 1e-9)
  const rounded = (evidence: ReadonlyArray<number> = []) => evidence.map((each) => Math.round(each * 1e9))
  assert.deepStrictEqual(rounded(numbers?.spreadEvidence), rounded(wanted.spreadEvidence))
}

const read = (accountId: AccountId, of = lane) => LaneCalibrations.use((lanes) => lanes.read(accountId, of))

/** What every store of lane numbers promises. */
export const lanesContract = (tests: Vitest.MethodsNonLive<LaneCalibrations | Ledger>) => {
  const it = contractTest(tests, LaneCalibrations, newAccount)

  it("a lane that has learned nothing has no numbers, and reports move them as `LaneNumbers`", function*(_, accountId) {
    assert.isNull(yield* read(accountId))
    let wanted = start
    for (let index = 0; index < 30; index++) {
      const trial = trialOf(index)
      yield* move(accountId, trial)
      wanted = observe(wanted, trial, rule)
      assertNumbers(yield* read(accountId), wanted)
      if (index % 3 > 0) continue
      const label = {
        ...trial, success: 1 - trial.success, weight: trial.weight / 2,
        spreadEvidence: trial.spreadEvidence.map((each) => each / 2)
      }
      yield* move(accountId, label, { replaced: trial })
      wanted = replace(wanted, trial, label, rule)
      assertNumbers(yield* read(accountId), wanted)
    }
  })

  it("a label that replaces one counts as an outcome in a lane that has no numbers", function*(_, accountId) {
    yield* move(accountId, trialOf(1), { replaced: trialOf(2) })
    assertNumbers(yield* read(accountId), observe(start, trialOf(1), rule))
  })

  it("lanes and accounts have numbers of their own", function*(_, accountId) {
    yield* move(accountId, trialOf(1))
    assert.isNull(yield* read(accountId, laneOf("other")))
    assert.isNull(yield* read(newAccount()))
  })

  it("of sixty concurrent reports on two lanes none is lost", function*(_, accountId) {
    const trial = trialOf(3)
    yield* Effect.forEach(Array.from({ length: 60 }, (_, index) => index), (index) =>
      move(accountId, trial, index % 3 === 0 ? { lane: laneOf("other") } : {}), { concurrency: "unbounded" })
    for (const [of, count] of [[lane, 40], [laneOf("other"), 20]] as const) {
      const wanted = Array.from({ length: count }).reduce<LaneNumbers>((now) => observe(now, trial, rule), start)
      assertNumbers(yield* read(accountId, of), wanted)
    }
  })

  it("a report of a decision that is not there moves nothing", function*(lanes, accountId) {
    const calibration: PlannedCalibration = {
      lane, trial: trialOf(1), replaced: null, rule, start,
      remember: (numbers) => lanes.remember(accountId, lane, numbers)
    }
    const applied = yield* (yield* Ledger).applyReport(submissionOf(accountId, {
      plan: ({ outcomes }) => planOf({ outcomes, calibration })
    }))
    assert.isNull(applied)
    assert.isNull(yield* read(accountId))
  })
}
