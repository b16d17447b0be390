import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Budget } from "../../../src/domain/account/Budget.ts"
import type { Decision } from "../../../src/domain/Decision.ts"
import type { AccountId } from "../../../src/domain/Scope.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { periodAt } from "../../../src/stats/BudgetPacing.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import { newAccount } from "../KeysContract.ts"
import { daily, decided, ports, record, report, setBudget, standingOf } from "./spending.ts"

const hard: Budget = { ...daily, usd: 0.1, isHard: true }

/** An account whose hard budget is ten decisions of a cent. */
const limited = Effect.gen(function*() {
  const accountId = newAccount()
  yield* setBudget(accountId, hard)
  return accountId
})

/** Writes decisions if they fit; false where the budget refuses them. */
const fits = (decisions: readonly [Decision, ...Array<Decision>], keptUsd = 0, billsPerEstimate = 1) =>
  Effect.flatMap(Ledger, (ledger) => ledger.recordWithin(decisions, { billsPerEstimate, keptUsd })).pipe(
    Effect.as(true),
    Effect.catchTag("BudgetExhausted", () => Effect.succeed(false))
  )

const fitsOne = (accountId: AccountId, over: Partial<Decision> = {}, keptUsd = 0) =>
  fits([decided(accountId, over)], keptUsd)

const countOf = (accountId: AccountId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly n: number }>`
      select count(*)::int as n from decision where account_id = ${accountId}`
    return row?.n ?? 0
  }).pipe(withAccount(accountId))

/** The ledgers of four processes, each with a writer of its own. */
const processes = Effect.forEach([1, 2, 3, 4], () =>
  Effect.provide(Ledger, Layer.fresh(LedgerSql.layer)))

describe("Decisions that are checked against a budget", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(ports, engine), slow)(name, (it) => {
      it.effect("are written while what they reserve fits, and say else which budget it is and when it ends", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          // Two of five cents, with their margins.
          assert.isTrue(yield* fitsOne(mine, { costRecommendedUsd: 0.04, costMarginUsd: 0.01 }))
          assert.isTrue(yield* fitsOne(mine, { costRecommendedUsd: 0.04, costMarginUsd: 0.01 }))
          const refusal = yield* Effect.flip(Effect.flatMap(Ledger, (ledger) =>
            ledger.recordWithin([decided(mine)], { billsPerEstimate: 1, keptUsd: 0 })))
          assert.deepInclude(refusal, {
            _tag: "BudgetExhausted", usd: 0.1, period: "day", endsAtMs: periodAt("day", Date.now()).endMs
          })
          assert.strictEqual(yield* countOf(mine), 2)
          assert.closeTo((yield* standingOf(mine, hard)).spentUsd, 0.1, 1e-9)
        }))

      it.effect("never exceed it together, however many processes write at once", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          const ledgers = yield* processes
          const written = yield* Effect.forEach(Array.from({ length: 200 }), (_, i) =>
            Effect.provideService(fitsOne(mine), Ledger, ledgers[i % ledgers.length]!), { concurrency: 64 })
          assert.strictEqual(written.filter((each) => each).length, 10)
          assert.strictEqual(yield* countOf(mine), 10)
        }))

      it.effect("go by bills once they are reported, and a broken call gives its reserve back", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          const first = decided(mine, { costRecommendedUsd: 0.1 })
          assert.isTrue(yield* fits([first]))
          assert.isFalse(yield* fitsOne(mine))
          yield* report(first, [{ modelId: "dear", actualCostUsd: 0.095 }])
          assert.isFalse(yield* fitsOne(mine))
          yield* report(first, [{ modelId: "cheap", actualCostUsd: 0.09 }])
          const second = decided(mine)
          assert.isTrue(yield* fits([second]))
          yield* report(second, [{ modelId: "cheap", label: { outcome: "failure", errorCause: "infra" } }])
          assert.isTrue(yield* fitsOne(mine))
          assert.isFalse(yield* fitsOne(mine))
        }))

      it.effect("of one request fit together or not at all", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          const steps = (usd: number) =>
            [decided(mine), decided(mine, { costRecommendedUsd: usd })] as const
          assert.isFalse(yield* fits(steps(0.0901)))
          assert.strictEqual(yield* countOf(mine), 0)
          assert.isTrue(yield* fits(steps(0.09)))
          assert.strictEqual(yield* countOf(mine), 2)
        }))

      it.effect("always fit in shadow and where they cost nothing, and never where their cost is no number", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          assert.isTrue(yield* fitsOne(mine, { costRecommendedUsd: 0.1 }))
          assert.isTrue(yield* fitsOne(mine, { isShadow: true, costDeclaredUsd: 0.02 }))
          assert.isTrue(yield* fitsOne(mine, { costRecommendedUsd: 0, costMarginUsd: 0 }))
          assert.isTrue(yield* fitsOne(mine, { costRecommendedUsd: 0, costMarginUsd: null }))
          for (const costMarginUsd of [NaN, Infinity, 1e300]) assert.isFalse(yield* fitsOne(mine, { costMarginUsd }))
          // What reserves less than nothing makes no room.
          assert.isTrue(yield* fitsOne(mine, { costMarginUsd: -1e9 }))
          assert.isFalse(yield* fitsOne(mine))
        }))

      it.effect("always fit where no attempt was advised, and count their bill where one ran", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          const unadvised = { costRecommendedUsd: 0.04, costMarginUsd: 0, attemptNumber: 0 }
          const before = newAccount()
          yield* record(before, unadvised)
          yield* setBudget(before, hard)
          assert.strictEqual((yield* standingOf(before, hard)).spentUsd, 0)
          const [first, ...others] = Array.from({ length: 6 }, () => decided(mine, unadvised))
          for (const each of [first!, ...others]) assert.isTrue(yield* fits([each]))
          assert.deepInclude(yield* standingOf(mine, hard), { spentUsd: 0, requests: 6 })
          yield* report(first!, [{ modelId: "cheap", actualCostUsd: 0.03 }])
          yield* report(others[0]!, [{ modelId: "cheap", actualCostUsd: 0.01 }])
          assert.closeTo((yield* standingOf(mine, hard)).spentUsd, 0.04, 1e-9)
          assert.isTrue(yield* fitsOne(mine, { costRecommendedUsd: 0.06 }))
          assert.isTrue(yield* fits([decided(mine, unadvised)]))
          assert.isFalse(yield* fitsOne(mine))
          // In shadow a default runs all the same.
          yield* record(before, { ...unadvised, isShadow: true, costDeclaredUsd: 0.02 })
          assert.closeTo((yield* standingOf(before, hard)).spentUsd, 0.02, 1e-9)
        }))

      it.effect("leave what is kept back, and count estimates times bills per estimate", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          assert.isFalse(yield* fitsOne(mine, {}, 0.095))
          assert.isTrue(yield* fitsOne(mine, {}, 0.09))
          assert.isFalse(yield* fits([decided(mine, { costRecommendedUsd: 0.046 })], 0, 1.9))
          assert.isTrue(yield* fits([decided(mine, { costRecommendedUsd: 0.04 })], 0, 1.9))
        }))

      it.effect("follow a budget that is changed or removed, at once", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          assert.isTrue(yield* fitsOne(mine, { costRecommendedUsd: 0.1 }))
          assert.isFalse(yield* fitsOne(mine))
          yield* setBudget(mine, { ...hard, usd: 0.11 })
          assert.isTrue(yield* fitsOne(mine))
          yield* setBudget(mine, { ...hard, usd: 0.05, period: "month" })
          assert.isFalse(yield* fitsOne(mine))
          yield* setBudget(mine, null)
          assert.isTrue(yield* fitsOne(mine))
        }))

      it.effect("count what was decided before the budget was set, and before its hours were read", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* record(mine, { costRecommendedUsd: 0.095 })
          yield* setBudget(mine, hard)
          assert.isFalse(yield* fitsOne(mine))
        }))

      it.effect("are checked in the period in which they were made", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          const yesterday = new Date(periodAt("day", Date.now()).startMs - 1)
          yield* record(mine, { costRecommendedUsd: 0.1 }, yesterday)
          assert.isFalse(yield* fits([decided(mine, {}, yesterday)]))
          assert.isTrue(yield* fitsOne(mine))
        }))

      it.effect("are written whatever was spent once they were answered", () =>
        Effect.gen(function*() {
          const mine = yield* limited
          assert.isTrue(yield* fitsOne(mine, { costRecommendedUsd: 0.1 }))
          yield* record(mine)
          assert.strictEqual(yield* countOf(mine), 2)
        }))
    })))
