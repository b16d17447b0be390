import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AccountBudgets } from "../../src/accounts/AccountBudgets.ts"
import type { Budget } from "../../src/domain/account/Budget.ts"
import type { Decision } from "../../src/domain/Decision.ts"
import { WorkflowRequest } from "../../src/domain/Workflow.ts"
import { Recommender } from "../../src/engine/Recommender.ts"
import { type BudgetCheck, BudgetExhausted, Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { noSpend } from "../../src/stats/BudgetState.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { budgetOf, unspent } from "../support/budgets.ts"
import { accountOf } from "../support/builders.ts"
import { engine, learn, recommend } from "./pipelines.ts"

const budget = (usd: number, isHard = true): Budget => ({ usd, period: "day", isHard })
const best = { costQualityTradeoff: 10 }
const refusal = new BudgetExhausted({ usd: 1, period: "day", endsAtMs: 86_400_000 })

type Write = ReturnType<Ledger["Service"]["recordWithin"]>

/** A ledger that checks as the test says, and what it was asked to write. */
const world = () => {
  const checked: Array<{ readonly decisions: ReadonlyArray<Decision>; readonly check: BudgetCheck }> = []
  const unchecked: Array<Decision> = []
  let verdict: (decisions: ReadonlyArray<Decision>) => Write = () => Effect.void
  const ledger = Layer.effect(Ledger, Effect.map(Ledger, (inner) => Ledger.of({
    ...inner,
    record: (decisions) => Effect.andThen(Effect.sync(() => unchecked.push(...decisions)), inner.record(decisions)),
    recordWithin: (decisions, check) =>
      Effect.suspend(() => {
        checked.push({ decisions, check })
        return Effect.andThen(verdict(decisions), inner.record(decisions))
      })
  }))).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))
  const use = (of: Budget, look?: Parameters<typeof budgetOf>[1], settings: object = {}) =>
    Effect.provide(engine({ ledger, settings }).pipe(Layer.provideMerge(budgetOf(of, look))))
  return {
    checked, unchecked, use,
    say: (next: typeof verdict) => {
      verdict = next
    }
  }
}

/** Refuses all but the cheapest. */
const onlyCheap = (decisions: ReadonlyArray<Decision>): Write =>
  decisions.every(({ recommendedModelId }) => recommendedModelId === "cheap") ? Effect.void : refusal

const spent = (usd: number) =>
  Effect.sync(() => ({ ...unspent("day", 0), spend: { ...noSpend, requests: 1, billedUsd: usd } }))

const workflow = (count: number) =>
  Recommender.use((recommender) =>
    recommender.recommendWorkflow(accountOf("acme"), WorkflowRequest.make({
      steps: Array.from({ length: count }, (_, i) => ({ stepId: `s${i}`, task: { task: "Sum a list", taskType: "code" } })),
      ...best
    })))

describe("a recommendation under a hard budget", () => {
  it.effect("is refused where nothing is left, with the period's end, and nothing is written", () => {
    const { checked, unchecked, use } = world()
    return Effect.gen(function*() {
      const failure = yield* Effect.flip(recommend(best))
      assert.deepInclude(failure, { _tag: "BudgetExhausted", usd: 1, period: "day", endsAtMs: 86_400_000 })
      assert.strictEqual((yield* Effect.flip(workflow(2)))._tag, "BudgetExhausted")
      assert.deepStrictEqual([...checked, ...unchecked], [])
      // The next day it is served again.
      yield* TestClock.setTime(86_400_000)
      yield* recommend(best)
      assert.strictEqual(checked.length, 1)
    }).pipe(use(budget(1), spent(1)))
  })

  it.effect("is checked by the ledger, and is the cheapest where others have taken what was left", () => {
    const { checked, say, use } = world()
    say(onlyCheap)
    return Effect.gen(function*() {
      const answer = yield* recommend(best)
      assert.strictEqual(answer.recommendedModel.modelId, "cheap")
      assert.strictEqual(answer.thresholdUsed, 0)
      assert.include(answer.warnings, "budget_paced")
      assert.deepStrictEqual(checked.map(({ decisions }) => decisions[0]?.recommendedModelId), ["dear", "cheap"])
      // What is kept back for bursts is the cheapest models'.
      assert.deepStrictEqual(checked.map(({ check }) => check.keptUsd > 0), [true, false])
      assert.strictEqual(checked[0]?.decisions[0]?.recommendationId, answer.recommendationId)
      // Its feedback is taken.
      assert.isTrue((yield* learn(answer)).accepted)
    }).pipe(use(budget(100)))
  })

  it.effect("is refused where the ledger has no room for the cheapest either, and holds nothing then", () => {
    const { checked, say, use } = world()
    const terms = budget(1)
    const state = Effect.flatMap(AccountBudgets, ({ read }) => read(accountOf("acme"), terms)).pipe(
      Effect.map((open) => open.state)
    )
    return Effect.gen(function*() {
      say(() => refusal)
      assert.deepStrictEqual(yield* Effect.flip(recommend(best)), refusal)
      assert.strictEqual(checked.length, 2)
      assert.strictEqual((yield* state).spentUsd, 0)
      // One that the caller leaves may be written all the same.
      say(() => Effect.never)
      yield* Effect.timeoutOption(recommend(best), "1 second").pipe(Effect.forkChild({ startImmediately: true }), Effect.flatMap(
        (asking) => Effect.andThen(TestClock.adjust("1 second"), Fiber.join(asking))
      ))
      assert.isAbove((yield* state).spentUsd, 0)
    }).pipe(use(terms))
  })

  it.effect("of a workflow is for all its steps: they are made cheaper together, or refused together", () => {
    const { checked, say, use } = world()
    say(onlyCheap)
    return Effect.gen(function*() {
      const { steps } = yield* workflow(3)
      assert.deepStrictEqual(
        steps.map(({ recommendation }) => recommendation.recommendedModel.modelId), ["cheap", "cheap", "cheap"]
      )
      assert.deepStrictEqual(checked.map(({ decisions }) => decisions.length), [3, 3])
      say(() => refusal)
      assert.deepStrictEqual(yield* Effect.flip(workflow(2)), refusal)
    }).pipe(use(budget(100)))
  })

  it.effect("is served in shadow, which runs a default whatever is answered", () => {
    const { use } = world()
    return Effect.gen(function*() {
      assert.strictEqual((yield* recommend({ ...best, shadow: true })).recommendedModel.modelId, "cheap")
    }).pipe(use(budget(1), spent(1)))
  })

  it.effect("is served where it advises no attempt, and reserves nothing", () => {
    const { checked, unchecked, use } = world()
    const terms = budget(1)
    return Effect.gen(function*() {
      const verification = { kind: "gate", passWrong: null, failRight: null, costUsd: null } as const
      for (const limit of [{ successValueUsd: 0 }, { maxTotalCostUsd: 0 }]) {
        const { plan, warnings } = yield* recommend({ verification, ...limit })
        assert.deepStrictEqual(plan?.attempts, [])
        assert.notInclude(warnings, "budget_paced")
      }
      const made = [...checked.flatMap(({ decisions }) => decisions), ...unchecked]
      assert.deepStrictEqual(made.map(({ attemptNumber, costMarginUsd }) => [attemptNumber, costMarginUsd]), [[0, 0], [0, 0]])
      const { state } = yield* Effect.flatMap(AccountBudgets, ({ read }) => read(accountOf("acme"), terms))
      assert.strictEqual(state.spentUsd, 1)
      // In shadow a default runs all the same.
      yield* recommend({ verification, successValueUsd: 0, shadow: true, baselineModelId: "dear" })
      const { state: after } = yield* Effect.flatMap(AccountBudgets, ({ read }) => read(accountOf("acme"), terms))
      assert.isAbove(after.spentUsd, 1)
    }).pipe(use(terms, spent(1)))
  })

  it.effect("goes on by what the process knows while the ledger is out, and is refused past the budget", () => {
    const { say, use } = world()
    say(() => Effect.fail(LedgerUnavailable.timedOut(1)))
    return Effect.gen(function*() {
      const served: Array<number> = []
      const ended = yield* Effect.flip(Effect.forever(Effect.tap(recommend(best), ({ recommendedModel, warnings }) =>
        Effect.sync(() => {
          assert.include(warnings, "memory_unavailable")
          served.push(recommendedModel.estCostUsd)
        }))))
      assert.strictEqual(ended._tag, "BudgetExhausted")
      assert.isAtLeast(served.length, 2)
      assert.isAtMost(served.reduce((sum, each) => sum + each, 0), 0.2)
    }).pipe(use(budget(0.2), spent(0)))
  })
})

describe("a recommendation under a budget that is not hard", () => {
  it.effect("is checked while it could exceed the budget, and never refused", () => {
    const { checked, say, unchecked, use } = world()
    say(() => refusal)
    return Effect.gen(function*() {
      const answer = yield* recommend(best)
      assert.strictEqual(answer.recommendedModel.modelId, "cheap")
      assert.include(answer.warnings, "budget_paced")
      assert.deepStrictEqual([checked.length, unchecked.map(({ recommendedModelId }) => recommendedModelId)], [1, ["cheap"]])
    }).pipe(use(budget(1, false)))
  })

  it.effect("costs no check while hundreds of such decisions are left, nor where nothing is cheaper", () => {
    const { checked, use } = world()
    return Effect.gen(function*() {
      yield* recommend(best).pipe(use(budget(1e6, false)))
      yield* recommend(best).pipe(use(budget(0, false)))
      assert.deepStrictEqual(checked, [])
    })
  })
})
