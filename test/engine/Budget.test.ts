import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountBudgets } from "../../src/accounts/AccountBudgets.ts"
import { AccountSettings } from "../../src/accounts/AccountSettings.ts"
import type { Budget } from "../../src/domain/account/Budget.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import type { ReservedCost } from "../../src/stats/BudgetState.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { budgetOf, unspent } from "../support/budgets.ts"
import { accountOf } from "../support/builders.ts"
import { engine, recommend } from "./pipelines.ts"

/** Runs with an account that has this budget, and what its ledger says. */
const under = (budget: Budget | null, look?: Parameters<typeof budgetOf>[1], settings: object = {}) => {
  const budgeted = budgetOf(budget, look)
  const services = Layer.unwrap(Effect.map(Layer.build(Layer.fresh(LedgerLocal.layer)), (built) => {
    const ledger = Layer.succeedContext(built)
    return Layer.mergeAll(engine({ ledger, settings }), ledger).pipe(Layer.provideMerge(budgeted))
  }))
  return Effect.provide(services)
}

const daily = (usd: number, isHard = false): Budget => ({ usd, period: "day", isHard })
const best = { costQualityTradeoff: 10 }

describe("a recommendation of an account with a budget", () => {
  it.effect("is the cheapest at tau 0 where the budget is 0, and its decision records that", () =>
    Effect.gen(function*() {
      const answer = yield* recommend(best)
      assert.strictEqual(answer.recommendedModel.modelId, "cheap")
      assert.strictEqual(answer.thresholdUsed, 0)
      assert.include(answer.warnings, "budget_paced")
      const id = RecommendationId.parse(answer.recommendationId)
      const found = id === null
        ? null
        : (yield* Effect.flatMap(Ledger, (each) => each.find(accountOf("acme"), id)))?.decision
      assert.strictEqual(found?.threshold, 0)
      assert.include(found?.warnings ?? [], "budget_paced")
      assert.isTrue(found?.candidates.every(({ isEligible }) => isEligible))
    }).pipe(under(daily(0))))

  it.effect("never falls below min_quality, and says nothing where that is its threshold anyway", () =>
    Effect.gen(function*() {
      const lowered = yield* recommend({ ...best, constraints: { minQuality: 0.7 } })
      assert.strictEqual(lowered.thresholdUsed, 0.7)
      assert.include(lowered.warnings, "budget_paced")
      const asked = yield* recommend({ ...best, constraints: { minQuality: 0.95 } })
      assert.strictEqual(asked.thresholdUsed, 0.95)
      assert.notInclude(asked.warnings, "budget_paced")
    }).pipe(under(daily(1e-9))))

  it.effect("draws no other model once the budget is used up, though the account explores", () =>
    Effect.gen(function*() {
      const exploring = { selectionPolicy: "epsilon_softmax", explorationShare: 1 }
      const drawnUnder = (budget: Budget, constraints = {}) =>
        Effect.gen(function*() {
          const drawn = new Set<string>()
          for (let i = 0; i < 40; i++) {
            const answer = yield* recommend({ costQualityTradeoff: 0, constraints })
            drawn.add(answer.recommendedModel.modelId)
            assert.strictEqual(answer.selectionPolicy, budget.usd > 0 ? "epsilon_softmax" : "argmin")
          }
          return drawn.size
        }).pipe(under(budget, undefined, exploring))
      assert.isAbove(yield* drawnUnder(daily(1e9)), 1)
      assert.strictEqual(yield* drawnUnder(daily(0)), 1)
      // Nor where the threshold is one that a budget cannot lower.
      assert.strictEqual(yield* drawnUnder(daily(0), { minQuality: 0.5 }), 1)
    }))

  it.effect("is chosen for by cost once it is lowered, though it asks for the fastest", () =>
    Effect.gen(function*() {
      const { recommendedModel, warnings } = yield* recommend({ ...best, optimizeFor: "latency" })
      assert.strictEqual(recommendedModel.modelId, "cheap")
      assert.notInclude(warnings, "no_latency_history")
    }).pipe(under(daily(0))))

  it.effect("is what it is without a budget where the budget has enough", () =>
    Effect.gen(function*() {
      const free = yield* recommend(best).pipe(under(null))
      const rich = yield* recommend(best).pipe(under(daily(1e9)))
      const { latencyMs: _one, recommendationId: _id, ...expected } = free
      const { latencyMs: _other, recommendationId: _ours, ...given } = rich
      assert.deepStrictEqual(given, expected)
    }))

  it.effect("moves down the slider by and by while requests cost more than their share", () =>
    Effect.gen(function*() {
      const taus: Array<number> = []
      for (let i = 0; i < 60; i++) taus.push((yield* recommend(best)).thresholdUsed)
      assert.strictEqual(taus[0], defaults.thresholdMax)
      assert.isBelow(taus.at(-1)!, defaults.thresholdMin)
      assert.isTrue(taus.some((tau) => tau < defaults.thresholdMax && tau > 0))
    }).pipe(under(daily(0.2))))

  it.live("is answered without pacing, and with a warning, where the look-up fails or never answers", () =>
    Effect.gen(function*() {
      const out = Effect.fail(LedgerUnavailable.timedOut(1))
      for (const look of [out, Effect.never]) {
        const answer = yield* recommend(best).pipe(under(daily(0), look, { recallBudgetMs: 20 }))
        assert.strictEqual(answer.thresholdUsed, defaults.thresholdMax)
        assert.notInclude(answer.warnings, "budget_paced")
        assert.include(answer.warnings, "budget_unavailable")
      }
    }), 20_000)

  it.live("is unknown, hard or not, while its account's settings were never read, and is so warned of", () =>
    Effect.gen(function*() {
      const unread = Layer.succeed(AccountSettings, { read: () => Effect.never, write: () => Effect.void })
      const answer = yield* recommend(best).pipe(
        Effect.provide(engine({ settings: { recallBudgetMs: 20 } }).pipe(Layer.provideMerge(unread)))
      )
      assert.strictEqual(answer.thresholdUsed, defaults.thresholdMax)
      assert.include(answer.warnings, "account_settings_unavailable")
    }), 20_000)

  it.effect("asks for no spending without a budget", () =>
    Effect.gen(function*() {
      let looks = 0
      const look = Effect.sync(() => {
        looks++
        return unspent("day")
      })
      yield* recommend(best).pipe(under(null, look))
      assert.strictEqual(looks, 0)
      yield* recommend(best).pipe(under(daily(1e6), look))
      assert.strictEqual(looks, 1)
    }))

  it.effect("counts in shadow what the declared baseline costs, and else its pick", () =>
    Effect.gen(function*() {
      const held: Array<ReservedCost> = []
      const holding = Layer.effect(AccountBudgets, Effect.map(AccountBudgets, (inner) => ({
        read: (...asked: Parameters<typeof inner.read>) => Effect.map(inner.read(...asked), (open) => ({
          ...open,
          hold: (...all: Parameters<typeof open.hold>) => {
            held.push(all[0])
            return open.hold(...all)
          }
        }))
      }))).pipe(Layer.provideMerge(budgetOf(daily(1e6))))
      const spied = Effect.provide(engine().pipe(Layer.provideMerge(holding)))
      const plain = yield* recommend({ ...best, baselineModelId: "dear" }).pipe(spied)
      yield* recommend({ ...best, baselineModelId: "dear", shadow: true }).pipe(spied)
      const usdOf = (modelId: string) => plain.ranked.find((each) => each.modelId === modelId)?.estCostUsd ?? NaN
      assert.closeTo(held[0]!.estimateUsd, plain.recommendedModel.estCostUsd, 1e-9)
      assert.closeTo(held[1]!.estimateUsd, usdOf("dear"), 1e-9)
      // In shadow nothing is reserved on top.
      assert.deepStrictEqual(held.map(({ marginUsd }) => marginUsd > 0), [true, false])
    }))
})
