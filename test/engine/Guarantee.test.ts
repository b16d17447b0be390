import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { AccountSettings, followsService } from "../../src/accounts/AccountSettings.ts"
import type { Decision } from "../../src/domain/Decision.ts"
import type { GuaranteeTerms } from "../../src/domain/account/Guarantee.ts"
import { GuaranteeEvidences, type GuaranteeQuery } from "../../src/ledger/GuaranteeEvidence.ts"
import { LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { type GuaranteeEvidence, noEvidence } from "../../src/stats/GuaranteeStates.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { rowsOf } from "../reports/reference/LedgerRows.ts"
import { accountOf, neighbours, recalled } from "../support/builders.ts"
import { memoryOf } from "../support/fakes.ts"
import { evidenceAfter, trials } from "../support/guarantees.ts"
import { engine, recommend } from "./pipelines.ts"

const guarantee = { baselineModelId: "dear", trialShare: 0.2 }
const held = evidenceAfter(trials(2_000))

/** Every model is well known, and good. */
const memory = memoryOf({
  recall: () => Effect.succeed(recalled([
    ...neighbours(12, "cheap", () => ({})), ...neighbours(12, "middle", () => ({})), ...neighbours(12, "dear", () => ({}))
  ]))
})

/** Runs over that evidence; yields the effect's value, the queries of the evidence, and the decisions. */
const run = <A, E>(
  effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof engine>>>,
  {
    evidence = Effect.succeed(noEvidence), ofAccount = null, recalls = memory
  }: {
    readonly recalls?: typeof memory
    readonly evidence?: Effect.Effect<GuaranteeEvidence, LedgerUnavailable>
    readonly ofAccount?: GuaranteeTerms | null
  } = {}
) =>
  Effect.gen(function*() {
    const queries: Array<GuaranteeQuery> = []
    const context = yield* Layer.build(Layer.fresh(LedgerLocal.layer))
    const ledger = Layer.succeedContext(context)
    const value = yield* effect.pipe(
      Effect.provide(engine({ ledger, memory: recalls, settings: { recallBudgetMs: 5_000 } }).pipe(Layer.provide([
        Layer.succeed(GuaranteeEvidences, {
          read: (query) => Effect.suspend(() => {
            queries.push(query)
            return evidence
          }),
          list: () => Effect.succeed([])
        }),
        Layer.succeed(AccountSettings, {
          read: () => Effect.succeed({ ...followsService, guarantee: ofAccount }), write: () => Effect.void
        })
      ])))
    )
    const rows = yield* Effect.provide(
      rowsOf({ accountId: accountOf(), lane: null, since: new Date(0) }), context
    )
    return { value, queries, decisions: rows.map(({ decision }) => decision) }
  }).pipe(Effect.scoped)

const drawing = (uniform: number) => Effect.provideService(Random.Random, {
  nextIntUnsafe: () => 0, nextDoubleUnsafe: () => uniform
})

describe("a recommendation under a guarantee", () => {
  it.effect("is the baseline until a cheaper model is held, and then that one, though not the cheapest", () =>
    Effect.gen(function*() {
      const earning = yield* run(recommend({ guarantee }).pipe(drawing(0.99)))
      assert.strictEqual(earning.value.recommendedModel.modelId, "dear")
      assert.deepInclude(earning.value.guarantee, { state: "earning", baselineModelId: "dear", isTrial: false })
      assert.include(earning.value.recommendedModel.rationale, "the baseline")
      const middle = evidenceAfter(trials(2_000), { candidate: "middle" })
      const known = yield* run(recommend({ guarantee }).pipe(drawing(0.99)), { evidence: Effect.succeed(middle) })
      assert.strictEqual(known.value.recommendedModel.modelId, "middle")
      assert.strictEqual(known.value.guarantee?.state, "held")
      assert.include(known.value.recommendedModel.rationale, "within 0.05")
    }))

  it.effect("records the models of a trial, and the probability of what was drawn", () =>
    Effect.gen(function*() {
      const of = ({ guaranteeBaselineId, guaranteeCandidateId, propensity, recommendedModelId, isExploration }: Pick<
        Decision,
        "guaranteeBaselineId" | "guaranteeCandidateId" | "isExploration" | "propensity" | "recommendedModelId"
      >) => [recommendedModelId, propensity, guaranteeBaselineId, guaranteeCandidateId, isExploration]
      const { decisions, value } = yield* run(recommend({ guarantee }).pipe(drawing(0)))
      assert.deepStrictEqual(decisions.map(of), [["cheap", 0.05, "dear", "cheap", true]])
      assert.include(value.warnings, "exploration_pick")
      const usual = yield* run(recommend({ guarantee }).pipe(drawing(0.99)), { evidence: Effect.succeed(held) })
      assert.deepStrictEqual(usual.decisions.map(of), [["cheap", 0.9, "dear", "cheap", false]])
      const plain = yield* run(recommend({}).pipe(drawing(0)))
      assert.deepStrictEqual(plain.decisions.map(of), [["cheap", 1, null, null, false]])
      assert.isNull(plain.value.guarantee)
      assert.deepStrictEqual(plain.queries, [])
    }))

  it.effect("is the baseline with a warning while the evidence cannot be read, or not in time", () =>
    Effect.gen(function*() {
      const out = Effect.fail(LedgerUnavailable.timedOut(1))
      const { value } = yield* run(recommend({ guarantee }).pipe(drawing(0)), { evidence: out })
      assert.strictEqual(value.recommendedModel.modelId, "dear")
      assert.include(value.warnings, "guarantee_unavailable")
      const slow = yield* Effect.forkChild(run(recommend({ guarantee }).pipe(drawing(0)), { evidence: Effect.never }))
      yield* TestClock.adjust("6 seconds")
      assert.include((yield* Fiber.join(slow)).value.warnings, "guarantee_unavailable")
    }))

  it.effect("goes by the account's guarantee unless the request has one, and by its baseline's names", () =>
    Effect.gen(function*() {
      const ofAccount = { baselineModelId: "middle", maxQualityLoss: 0.1, confidence: 0.9, trialShare: 0 }
      const own = yield* run(recommend(), { ofAccount })
      assert.deepInclude(own.queries[0], { baselineModelId: "middle", maxQualityLoss: 0.1, confidence: 0.9 })
      assert.strictEqual(own.decisions[0]?.baselineModelId, "middle")
      const request = yield* run(recommend({ guarantee: { baselineModelId: "dear", maxQualityLoss: 0.0519, confidence: 0.9501 } }), { ofAccount })
      // With three decimals, on the stricter side.
      assert.deepInclude(request.queries[0], { baselineModelId: "dear", maxQualityLoss: 0.051, confidence: 0.951 })
    }))

  it.effect("draws trials unless told otherwise, whatever the account explores", () =>
    Effect.gen(function*() {
      const { baselineModelId } = guarantee
      const { value } = yield* run(recommend({ guarantee: { baselineModelId, trialShare: null } }).pipe(drawing(0)))
      assert.strictEqual(value.selectionPolicy, "argmin")
      assert.isTrue(value.guarantee?.isTrial)
      const off = yield* run(recommend({ guarantee: { baselineModelId, trialShare: 0 } }).pipe(drawing(0)))
      assert.isFalse(off.value.guarantee?.isTrial)
      assert.include(off.value.warnings, "guarantee_needs_trials")
    }))

  it.effect("picks as without a guarantee, and warns, where the constraints leave no baseline", () =>
    Effect.gen(function*() {
      const { decisions, queries, value } = yield* run(recommend({
        guarantee, constraints: { candidateModels: ["cheap", "middle"] }
      }).pipe(drawing(0)))
      assert.deepStrictEqual(queries, [])
      assert.strictEqual(value.recommendedModel.modelId, "cheap")
      assert.isNull(value.guarantee)
      assert.strictEqual(value.warnings[0], "guarantee_baseline_unavailable")
      assert.isNull(decisions[0]?.guaranteeBaselineId)
    }))

  it.effect("names no cheaper model that is not held to run after a failure, however likely it looks", () =>
    Effect.gen(function*() {
      const recalls = memoryOf({
        recall: () => Effect.succeed(recalled([
          ...neighbours(30, "cheap"), ...neighbours(30, "middle"), ...neighbours(30, "dear", (i) => ({ quality: i % 2 }))
        ]))
      })
      const verification = { kind: "gate", passWrong: null, failRight: null, costUsd: null } as const
      const failure = (modelId: string) =>
        ({ recommendationId: null, modelId, effort: null, outcome: "failure", evidenceSource: "gate", errorCause: null } as const)
      const asks = [
        {}, { verification }, { verification, maxAttempts: 1 }, { verification, successValueUsd: 0 },
        { attempts: [failure("dear")] }, { attempts: [failure("middle"), failure("dear")], verification }
      ]
      const named = Effect.fnUntraced(function*(ask: object, evidence: GuaranteeEvidence, uniform: number) {
        const { value } = yield* run(recommend({ guarantee, ...ask }).pipe(drawing(uniform)), {
          evidence: Effect.succeed(evidence), recalls
        })
        const { fallbackModel, plan, recommendedModel } = value
        return { pick: recommendedModel.modelId, others: [...plan?.attempts.slice(1) ?? [], ...fallbackModel ? [fallbackModel] : []].map(({ modelId }) => modelId) }
      })
      for (const ask of asks) {
        for (const uniform of [0, 0.99]) {
          const { others, pick } = yield* named(ask, noEvidence, uniform)
          // The first attempt at a task may be a trial.
          if (uniform > 0 || "attempts" in ask) assert.strictEqual(pick, "dear", JSON.stringify(ask))
          for (const other of others) assert.strictEqual(other, "dear", JSON.stringify(ask))
        }
        const known = yield* named(ask, held, 0.05)
        for (const other of known.others) assert.include(["cheap", "dear"], other, JSON.stringify(ask))
      }
      assert.deepInclude(yield* named({}, held, 0.05), { pick: "dear", others: ["cheap"] })
    }))

  it.effect("counts for nothing in shadow", () =>
    Effect.gen(function*() {
      const { decisions, value } = yield* run(recommend({ guarantee, shadow: true }).pipe(drawing(0)))
      assert.strictEqual(value.recommendedModel.modelId, "dear")
      assert.isNull(decisions[0]?.guaranteeBaselineId)
    }))

  it.effect("keeps the baseline on a short list that would be cut without it", () =>
    Effect.gen(function*() {
      const { value } = yield* run(recommend({ guarantee, maxCandidates: 2, baselineModelId: "middle" }).pipe(drawing(0.99)))
      assert.strictEqual(value.recommendedModel.modelId, "dear")
    }))
})
