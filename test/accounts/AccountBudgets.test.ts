import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeAccountBudgets } from "../../src/accounts/AccountBudgets.ts"
import type { Budget } from "../../src/domain/account/Budget.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { deadline } from "../../src/resilience/Deadline.ts"
import { noSpend } from "../../src/stats/BudgetState.ts"
import { unspent } from "../support/budgets.ts"

const account = AccountId.make("acme")
const budget: Budget = { usd: 10, period: "day", isHard: true }
const spent = { ...unspent("day", 0), spend: { ...noSpend, requests: 1, billedUsd: 4, billedEstimateUsd: 4 } }

describe("the first reading of a budget", () => {
  for (const tookMs of [300, 1_900, 2_100, 5_000]) {
    it.effect(`goes on after its reader's deadline, and serves the next one (it takes ${tookMs} ms)`, () =>
      Effect.gen(function*() {
        let looks = 0
        const budgets = yield* makeAccountBudgets(defaults.pacing, () =>
          Effect.suspend(() => {
            looks++
            return Effect.delay(Effect.succeed(spent), tookMs)
          }))
        const read = budgets.read(account, budget).pipe(deadline(250, () => LedgerUnavailable.timedOut(250)))
        const first = yield* Effect.forkChild(Effect.flip(read))
        yield* TestClock.adjust("250 millis")
        yield* Fiber.join(first)
        yield* TestClock.adjust(tookMs)
        const next = yield* Effect.forkChild(Effect.result(read))
        yield* TestClock.adjust("250 millis")
        assert.deepStrictEqual([(yield* Fiber.join(next))._tag, looks], ["Success", 1])
      }).pipe(Effect.scoped))
  }
})
