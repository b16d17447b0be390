import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { variantIdOf } from "../../src/domain/model/ModelVariant.ts"
import type { Decision, Reconciliation } from "../../src/domain/Decision.ts"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { type FeedbackReport, reported, type ReportEffect, unmeasured } from "../../src/domain/feedback/FeedbackPrecedence.ts"
import { rowsOf } from "../reports/reference/LedgerRows.ts"
import { checkedOf } from "../reports/reference/Overview.ts"
import { AccountId, laneOf } from "../../src/domain/Scope.ts"
import { Ledger, type LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { contractTest } from "../support/Contract.ts"
import { Unreachable } from "../../src/resilience/FailureReason.ts"
import type { DecisionOutcomes, ReportKey, ReportPlan, ReportResult, ReportSubmission } from "../../src/ledger/ReportSubmission.ts"

/** An account that no other test has. */
export const newAccount = () => AccountId.make(`account-${randomBytes(6).toString("hex")}`)

const today = Date.now()

export const decisionOf = (accountId: AccountId, over: Partial<Decision> = {}): Decision => {
  const createdAt = over.createdAt ?? new Date(today)
  return {
    recommendationId: RecommendationId.make(createdAt.getTime()),
    workflowId: null,
    accountId,
    createdAt,
    lane: laneOf("tests"),
    userId: "user \"one\"",
    taskExcerpt: "Sum a list; 'quotes', ümlauts, 🦉 and\nlines",
    taskType: "code",
    difficulty: "hard",
    cluster: "code:hard",
    tags: ["typescript", "lists"],
    recommendedModelId: "maker/small",
    predictedSuccess: 0.8125,
    threshold: 0.755,
    successValueUsd: 0.5,
    decisionBasis: "memory",
    selectionPolicy: "epsilon_softmax",
    propensity: 0.97,
    isExploration: false,
    isEscalated: true,
    isShadow: false,
    costMarginUsd: 0.0004,
    guaranteeBaselineId: null,
    guaranteeCandidateId: null,
    taskKey: "id:task \"one\"",
    attemptNumber: 2,
    costRecommendedUsd: 0.00123,
    costPremiumUsd: 0.25,
    baselineModelId: "maker/large",
    costDeclaredUsd: 0.1,
    candidates: [
      { modelId: "maker/small", predictedSuccess: 0.8125, estCostUsd: 0.00123, isEligible: true },
      { modelId: "maker/large", predictedSuccess: 0.9, estCostUsd: 0.25, isEligible: false }
    ],
    forecasts: [{ modelId: "maker/small", base: 0.5, cells: 0.625, local: 0.75, mixed: 0.6875, given: 0.5 }],
    neighbours: [{ entryId: "entry-1", modelId: "maker/small", weight: 0.5 }],
    warnings: ["cold_start", "prices_stale"],
    catalogVersion: "abc123",
    latencyMs: 12.5,
    reasonerCostUsd: 0.000625,
    ...over
  }
}

export const reconciliationOf = (over: Partial<Reconciliation> = {}): Reconciliation => ({
  feedbackAt: new Date(today + 1),
  chosenModelId: "maker/small",
  outcome: "partial",
  quality: 0.5,
  provenance: "gate",
  errorCause: "quality",
  teaches: true,
  isLate: false,
  actualCostUsd: 0.002,
  computedCostUsd: null,
  inputTokens: 1_000_000_000_000,
  cachedInputTokens: 999_999_999_999,
  outputTokens: 0,
  reasoningTokens: 0,
  latencyMs: 900,
  timeToFirstTokenMs: 120,
  ...over
})

export const reportOf = (over: Partial<FeedbackReport> = {}): FeedbackReport => {
  const reconciliation = reconciliationOf(over)
  return { ...reconciliation, taughtQuality: reconciliation.quality, provenanceWeight: 1, ...over }
}


export const answerOf = (recordId: string): FeedbackResponse =>
  FeedbackResponse.make({
    accepted: true,
    recordId,
    reinforcedEntryIds: ["entry-1"],
    updatedConfidence: 0.75,
    reflectionTriggered: false,
    lessonPromoted: true,
    stepOutcomesRecorded: 2,
    warnings: ["late_feedback_no_attribution", "step_outcomes_capped:32"]
  })

const reportKeyOf = (accountId: AccountId, fingerprint = "a".repeat(64)): ReportKey =>
  ({ accountId, idempotencyKey: "key", fingerprint })

/** A plan that changes nothing, with that answer. */
export const planOf = (over: Partial<ReportPlan> = {}, answer: FeedbackResponse = answerOf("record")): ReportPlan => ({
  outcomes: [],
  writes: [],
  call: null,
  calibration: null,
  answer: () => answer,
  ...over
})

/** Takes no write. */
export const storingNothing: ReportSubmission["store"] = (_accountId, writes) =>
  Effect.succeed({ written: writes.map(() => null), isElsewhere: false, onDurable: Effect.void })

/** A report under a key of its own, which writes nothing, of a decision that the ledger lacks. */
export const submissionOf = (accountId: AccountId, over: Partial<ReportSubmission> = {}): ReportSubmission => ({
  key: { accountId, idempotencyKey: randomUUID(), fingerprint: "f" },
  decision: decisionOf(accountId),
  report: reportOf(),
  taskKey: null,
  plan: ({ outcomes }) => planOf({ outcomes }),
  store: storingNothing,
  ...over
})

/** The plan of one more report. */
export const reporting = (report: FeedbackReport, modelsMax = 16): ReportSubmission["plan"] => ({ outcomes, revision }) =>
  planOf({ outcomes: reported(outcomes, report, revision, modelsMax).outcomes })

/** The account's decision, and what its reports come to; null where it has none. */
export const decisionIn = (ledger: Ledger["Service"], accountId: AccountId, id: RecommendationId.RecommendationId) =>
  Effect.map(ledger.find(accountId, id), (found) => found?.decision ?? null)
export const outcomesIn = (ledger: Ledger["Service"], accountId: AccountId, id: RecommendationId.RecommendationId) =>
  Effect.map(ledger.find(accountId, id), (found) => found?.outcomes ?? null)

/** Applies one more report of a decision; null without such a decision. */
export const reportTo = Effect.fnUntraced(function*(
  ledger: Ledger["Service"],
  accountId: AccountId,
  recommendationId: RecommendationId.RecommendationId,
  report: FeedbackReport,
  modelsMax = 16
): Effect.fn.Return<ReportEffect | null, LedgerUnavailable> {
  const found = yield* ledger.find(accountId, recommendationId)
  if (found === null) return null
  let effect: ReportEffect | null = null
  const { decision } = found
  yield* ledger.applyReport(submissionOf(accountId, {
    decision,
    report,
    plan: ({ outcomes, revision }) => {
      const { outcomes: all, ...counted } = reported(outcomes, report, revision, modelsMax)
      effect = counted
      return planOf({ outcomes: all })
    }
  }))
  return effect
})

/** What applying a feedback on a recorded decision came to. */
const settledBy = Effect.fnUntraced(function*(
  accountId: AccountId,
  over: Partial<ReportSubmission>
): Effect.fn.Return<ReportResult, LedgerUnavailable, Ledger> {
  const ledger = yield* Ledger
  const submission = submissionOf(accountId, over)
  yield* ledger.record([decisionOf(accountId, submission.decision)])
  return (yield* ledger.applyReport(submission)) ?? assert.fail("its decision is recorded")
})

/** The key and the answer alone. */
const answerIn = ({ reception, response }: ReportResult) => ({ reception, response })

const windowOf = (accountId: AccountId) => rowsOf({ accountId, lane: null, since: new Date(0) })

/** A decision of the account that the ledger has. */
const recordedIn = (ledger: Ledger["Service"], accountId: AccountId) => {
  const decision = decisionOf(accountId)
  return Effect.as(ledger.record([decision]), decision)
}

/** What every ledger promises, whatever it is kept in. */
export const ledgerContract = (tests: Vitest.MethodsNonLive<Ledger>) => {
  const it = contractTest(tests, Ledger, newAccount)

  it("a recorded decision is found again in every field", function*(ledger, accountId) {
    const full = decisionOf(accountId, { workflowId: "workflow", isShadow: true })
    const bare = decisionOf(accountId, {
      userId: null,
      tags: [],
      baselineModelId: null,
      costDeclaredUsd: null,
      candidates: [],
      neighbours: [],
      forecasts: [],
      warnings: []
    })
    yield* ledger.record([full, bare])
    assert.sameMembers((yield* windowOf(accountId)).map(({ decision }) => decision.isShadow), [true, false])
    assert.deepStrictEqual(yield* decisionIn(ledger, accountId, full.recommendationId), full)
    assert.deepStrictEqual(yield* decisionIn(ledger, accountId, bare.recommendationId), bare)
  })

  it("a decision told again stays as it was, its feedback included", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    yield* reportTo(ledger, accountId, decision.recommendationId, reportOf())
    yield* ledger.record([{ ...decision, predictedSuccess: 0.1 }, decisionOf(accountId)])
    assert.deepStrictEqual(yield* decisionIn(ledger, accountId, decision.recommendationId), decision)
    const rows = yield* windowOf(accountId)
    assert.lengthOf(rows, 2)
    assert.deepStrictEqual(rows.flatMap(({ feedback }) => feedback ?? []), [reconciliationOf()])
  })

  it("another account's id, an unknown one and a text that is no id all resolve to null", function*(ledger, mine) {
    const decision = yield* recordedIn(ledger, mine)
    assert.isNull(yield* decisionIn(ledger, newAccount(), decision.recommendationId))
    assert.isNull(yield* decisionIn(ledger, mine, RecommendationId.make(today)))
    assert.isNull(RecommendationId.parse("'; drop table decision; --"))
  })

  it("an id whose time is after the year 9999 resolves to null, and so does the very first one", function*(ledger) {
    for (const epochMs of [0, Date.parse("9999-12-31T23:59:59.999Z"), Date.parse("+010000-01-01"), 2 ** 48 - 1]) {
      const id = RecommendationId.make(epochMs)
      assert.isNull(yield* decisionIn(ledger, newAccount(), id))
      assert.isNull(yield* outcomesIn(ledger, newAccount(), id))
    }
  })

  it("decisions of two accounts may be recorded by one call", function*(ledger) {
    const [one, other] = [decisionOf(newAccount()), decisionOf(newAccount())]
    yield* ledger.record([one, other])
    assert.deepStrictEqual(yield* decisionIn(ledger, one.accountId, one.recommendationId), one)
    assert.deepStrictEqual(yield* decisionIn(ledger, other.accountId, other.recommendationId), other)
  })

  it("feedback stands on its decision in every field, with measurements or without", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    const {
      accountId: _account, costMarginUsd: _margin, forecasts: _forecasts, neighbours: _neighbours,
      taskExcerpt: _excerpt, ...lean
    } = decision
    assert.deepStrictEqual(yield* windowOf(accountId), [{ decision: lean, feedback: null, outcomes: [] }])

    const bare = reconciliationOf({ ...unmeasured, errorCause: null, teaches: false, isLate: true })
    yield* reportTo(ledger, accountId, decision.recommendationId, reportOf(bare))
    assert.deepStrictEqual((yield* windowOf(accountId))[0]?.feedback, bare)
    yield* reportTo(ledger, accountId, decision.recommendationId, reportOf())
    assert.deepStrictEqual((yield* windowOf(accountId))[0]?.feedback, reconciliationOf())
  })

  it("what a judge said stays beside the verdict of a gate, whichever came first", function*(ledger) {
    for (const isFirst of [true, false]) {
      const accountId = newAccount()
      const decision = decisionOf(accountId)
      yield* ledger.record([decision])
      const judge = reportOf({ provenance: "judge", outcome: "success", errorCause: null })
      const gate = reportOf({ provenance: "gate", outcome: "failure" })
      for (const report of isFirst ? [judge, gate] : [gate, judge]) {
        yield* reportTo(ledger, accountId, decision.recommendationId, report)
      }
      const [row] = yield* windowOf(accountId)
      assert.deepStrictEqual(checkedOf(row?.outcomes ?? []), [{ source: "judge", said: 1, success: 0 }])
      assert.strictEqual(row?.feedback?.provenance, "gate")
    }
  })

  it("telemetry erases neither the label nor the bill, another label replaces the label alone", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    const after = Effect.fnUntraced(function*(next: Reconciliation) {
      yield* reportTo(ledger, accountId, decision.recommendationId, reportOf(next))
      return (yield* windowOf(accountId))[0]?.feedback
    })
    const first = reconciliationOf({ inputTokens: null })
    const telemetry = {
      outcome: "success", quality: 1, provenance: "none", errorCause: null, teaches: false, isLate: true,
      feedbackAt: new Date(today + 2)
    } as const
    assert.deepStrictEqual(yield* after(first), first)
    assert.deepStrictEqual(yield* after(reconciliationOf({ ...telemetry, ...unmeasured })), first)
    assert.deepStrictEqual(
      yield* after(reconciliationOf({ ...telemetry, ...unmeasured, inputTokens: 7, latencyMs: 901 })),
      { ...first, inputTokens: 7, latencyMs: 901 }
    )
    const ofAnother = reconciliationOf({ ...telemetry, chosenModelId: "maker/large", actualCostUsd: 9 })
    assert.deepStrictEqual(yield* after(ofAnother), { ...first, inputTokens: 7, latencyMs: 901 })
    const second = reconciliationOf({
      ...unmeasured, outcome: "failure", quality: 0, errorCause: null, isLate: true, feedbackAt: new Date(today + 3)
    })
    assert.deepStrictEqual(yield* after(second), {
      ...second, actualCostUsd: first.actualCostUsd, inputTokens: 7, cachedInputTokens: first.cachedInputTokens,
      outputTokens: 0, reasoningTokens: 0, latencyMs: 901, timeToFirstTokenMs: first.timeToFirstTokenMs
    })
    const switched = reconciliationOf({
      ...unmeasured, chosenModelId: "maker/large", actualCostUsd: 0.2, feedbackAt: new Date(today + 4)
    })
    // Of its own model it had been told before what was measured.
    const {
      cachedInputTokens, inputTokens, latencyMs, outputTokens, reasoningTokens, timeToFirstTokenMs
    } = ofAnother
    assert.deepStrictEqual(yield* after(switched), {
      ...switched, inputTokens, cachedInputTokens, latencyMs, outputTokens, reasoningTokens, timeToFirstTokenMs
    })
  })

  it("a computed cost stands beside the bill and never replaces it", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    const after = Effect.fnUntraced(function*(next: Partial<FeedbackReport>) {
      const report = reportOf({ ...unmeasured, ...next })
      const counted = yield* reportTo(ledger, accountId, decision.recommendationId, report)
      const feedback = (yield* windowOf(accountId))[0]?.feedback
      assert.deepStrictEqual(
        [counted?.after?.billed.actualCostUsd, counted?.after?.billed.computedCostUsd],
        [feedback?.actualCostUsd, feedback?.computedCostUsd]
      )
      return [feedback?.actualCostUsd, feedback?.computedCostUsd]
    })
    assert.deepStrictEqual(yield* after({ computedCostUsd: 0.25 }), [null, 0.25])
    assert.deepStrictEqual(yield* after({}), [null, 0.25])
    assert.deepStrictEqual(yield* after({ actualCostUsd: 0.5 }), [0.5, 0.25])
    assert.deepStrictEqual(yield* after({ computedCostUsd: 0.125 }), [0.5, 0.125])
  })

  it("of one decision and model the most trusted report stands, among equals the last", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    const tell = (minute: number, over: Partial<FeedbackReport>) =>
      reportTo(ledger, accountId, decision.recommendationId, reportOf({
        ...unmeasured, feedbackAt: new Date(today + minute), quality: minute / 100, ...over
      }))
    const infra = { outcome: "failure", errorCause: "infra", teaches: false, provenance: "gate" } as const
    const said: ReadonlyArray<readonly [over: Partial<FeedbackReport>, stands: number]> = [
      [{ ...infra, actualCostUsd: 9 }, 0],
      [{ provenance: "none", teaches: false, actualCostUsd: 1 }, 1],
      [{ ...infra, outcome: "partial", actualCostUsd: 8 }, 1],
      [{ provenance: "judge" }, 3],
      [{ provenance: "assertion" }, 4],
      [{ provenance: "judge" }, 5],
      [{ provenance: "human" }, 6],
      [{ provenance: "judge" }, 6],
      [{ provenance: "gate" }, 8],
      [{ provenance: "human", inputTokens: 5 }, 8],
      [{ provenance: "none", teaches: false, outputTokens: 6 }, 8],
      [{ provenance: "gate", latencyMs: 7 }, 11]
    ]
    let revision = 0
    for (const [minute, [over, stands]] of said.entries()) {
      const counted = yield* tell(minute, over)
      assert.strictEqual(counted?.before?.revision ?? 0, revision)
      revision = counted?.after?.revision ?? 0
      assert.isAbove(revision, counted?.before?.revision ?? 0)
      assert.strictEqual(counted?.after?.label.quality, stands / 100, `after report ${minute}`)
      assert.strictEqual(counted?.after?.verdictRevision === revision, stands === minute)
      assert.strictEqual((yield* windowOf(accountId))[0]?.feedback?.quality, stands / 100)
    }
    const [outcome, ...others] = (yield* outcomesIn(ledger, accountId, decision.recommendationId)) ?? []
    assert.deepStrictEqual([outcome?.billed, outcome?.measured, others], [
      { ...unmeasured, actualCostUsd: 8, inputTokens: 5, outputTokens: 6, latencyMs: 7 },
      { ...unmeasured, actualCostUsd: 1, inputTokens: 5, outputTokens: 6, latencyMs: 7 },
      []
    ])
  })

  it("the levels of effort of a model are candidates and outcomes of their own", function*(ledger, accountId) {
    const [low, high] = ["low", "high"].map((effort) => variantIdOf({ modelId: "maker/small", effort }))
    const decision = decisionOf(accountId, {
      recommendedModelId: low!,
      baselineModelId: high!,
      candidates: [low!, high!].map((modelId) =>
        ({ modelId, predictedSuccess: 0.75, estCostUsd: 0.125, isEligible: true })),
      forecasts: [low!, high!].map((modelId) => ({ modelId, base: 0.5, cells: 0.5, local: 0.5, mixed: 0.5 }))
    })
    yield* ledger.record([decision])
    assert.deepStrictEqual(yield* decisionIn(ledger, accountId, decision.recommendationId), decision)
    for (const chosenModelId of [low!, high!, low!]) {
      yield* reportTo(ledger, accountId, decision.recommendationId, reportOf({ chosenModelId }))
    }
    const outcomes = (yield* outcomesIn(ledger, accountId, decision.recommendationId)) ?? []
    assert.sameMembers(outcomes.map(({ modelId }) => modelId), [low!, high!])
  })

  it("a decision takes outcomes of so many models, and a further one changes nothing", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    const tell = (chosenModelId: string) =>
      reportTo(ledger, accountId, decision.recommendationId, reportOf({ chosenModelId }), 2)
    for (const model of ["one", "two", "one"]) assert.isNotNull((yield* tell(model))?.after)
    const before = yield* windowOf(accountId)
    assert.deepStrictEqual(yield* tell("three"), { before: null, after: null })
    assert.deepStrictEqual(yield* windowOf(accountId), before)
    const outcomes = (yield* outcomesIn(ledger, accountId, decision.recommendationId)) ?? []
    assert.sameMembers(outcomes.map(({ modelId }) => modelId), ["one", "two"])
  })

  it("a report is planned from the reports that came before it, whatever was read of them", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    const { recommendationId } = decision
    const given: Array<DecisionOutcomes> = []
    const submission = submissionOf(accountId, {
      decision,
      plan: (known) => {
        given.push(known)
        return reporting(reportOf({ quality: 0.25 }))(known)
      }
    })
    yield* reportTo(ledger, accountId, recommendationId, reportOf())
    const before = yield* outcomesIn(ledger, accountId, recommendationId)
    const applied = yield* ledger.applyReport(submission)
    if (applied?.reception !== "first") return assert.fail("it is the first under its key")
    assert.deepStrictEqual(given.map(({ outcomes }) => outcomes), [before])
    assert.strictEqual(given[0]?.revision, applied.revision)
    assert.isAbove(applied.revision, before?.[0]?.revision ?? Infinity)
    assert.deepStrictEqual(yield* outcomesIn(ledger, accountId, recommendationId), applied.plan.outcomes)
    assert.strictEqual((yield* windowOf(accountId))[0]?.feedback?.quality, 0.25)
  })

  it("a report of a decision that is not there has no effect, and is planned once it is", function*(ledger, accountId) {
    const decision = decisionOf(accountId)
    let plans = 0
    const submission = submissionOf(accountId, {
      decision,
      plan: (known) => {
        plans++
        return reporting(reportOf())(known)
      }
    })
    assert.isNull(yield* ledger.applyReport(submission))
    assert.strictEqual(plans, 0)
    yield* ledger.record([decision])
    assert.strictEqual((yield* ledger.applyReport(submission))?.reception, "first")
    assert.strictEqual(plans, 1)
  })

  it("of many reports of one decision at once each is counted upon another", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    const count = 40
    const bases = yield* Effect.forEach(Array.from({ length: count }, (_, index) => index), (index) =>
      Effect.map(
        reportTo(ledger, accountId, decision.recommendationId, reportOf({ chosenModelId: index % 2 === 0 ? "one" : "two" })),
        (counted) => counted?.before?.revision ?? -(index % 2) - 1
      ), { concurrency: "unbounded" })
    assert.strictEqual(new Set(bases).size, count)
  })

  it("feedback under another account changes nothing", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    yield* reportTo(ledger, newAccount(), decision.recommendationId, reportOf())
    assert.isNull((yield* windowOf(accountId))[0]?.feedback)
  })

  it("of fifty concurrent reports of one key exactly one has its effects; all answer the same", function*(_, accountId) {
    const key = reportKeyOf(accountId)
    const decision = decisionOf(accountId)
    let plans = 0
    let durable = 0
    const applied = yield* Effect.forEach(
      Array.from({ length: 50 }, (_, index) => index),
      (index) =>
        settledBy(accountId, {
          key,
          decision,
          plan: ({ outcomes }) => {
            plans++
            return planOf({ outcomes }, answerOf(`record-${index}`))
          },
          store: (...args) =>
            Effect.map(storingNothing(...args), (stored) =>
              ({ ...stored, onDurable: Effect.sync(() => void durable++) }))
        }),
      { concurrency: "unbounded" }
    )
    const first = applied.filter((one) => one.reception === "first")
    assert.deepStrictEqual([plans, durable], [1, 1])
    assert.lengthOf(first, 1)
    assert.lengthOf(applied.filter((one) => one.reception === "same"), 49)
    for (const { response } of applied) assert.deepStrictEqual(response, first[0]?.response)
  })

  it("another body under an applied key gets the first answer; accounts share no keys", function*(_, accountId) {
    const key = reportKeyOf(accountId)
    const answering = (key: ReportKey, recordId: string) =>
      Effect.map(
        settledBy(key.accountId, { key, plan: ({ outcomes }) => planOf({ outcomes }, answerOf(recordId)) }),
        answerIn
      )
    yield* answering(key, "first")
    const other = yield* answering({ ...key, fingerprint: "b".repeat(64) }, "second")
    assert.deepStrictEqual(other, { response: answerOf("first"), reception: "other" })
    assert.deepStrictEqual(yield* answering(reportKeyOf(newAccount()), "third"), {
      response: answerOf("third"), reception: "first"
    })
  })

  it("a repeated report and a report without a decision take no revision, alone or in a group", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    const named = { key: reportKeyOf(accountId), decision, plan: reporting(reportOf()) }
    const first = yield* ledger.applyReport(submissionOf(accountId, named))
    yield* ledger.applyReport(submissionOf(accountId, named))
    assert.isNull(yield* ledger.applyReport(submissionOf(accountId)))
    const later = yield* Effect.forEach(
      [{}, named, { decision, plan: reporting(reportOf()) }, {}, { decision, plan: reporting(reportOf()) }],
      (over) => ledger.applyReport(submissionOf(accountId, over)),
      { concurrency: "unbounded" }
    )
    const revisions = [first, ...later].flatMap((each) => each?.reception === "first" ? [each.revision] : [])
    const [start = 0] = revisions
    assert.deepStrictEqual(revisions.toSorted((one, other) => one - other), [start, start + 1, start + 2])
  })

  it("a report whose writes cannot be stored leaves no trace, and may be applied again", function*(ledger, accountId) {
    const decision = yield* recordedIn(ledger, accountId)
    const { recommendationId } = decision
    const submission = submissionOf(accountId, { decision, plan: reporting(reportOf()) })
    const reason = new Unreachable({ cause: "the memory is out" })
    const failed = yield* Effect.flip(ledger.applyReport({ ...submission, store: () => Effect.fail({ reason }) }))
    assert.strictEqual(failed.reason._tag, "Unreachable")
    assert.deepStrictEqual(yield* outcomesIn(ledger, accountId, recommendationId), [])
    assert.strictEqual((yield* ledger.applyReport(submission))?.reception, "first")
  })
}
