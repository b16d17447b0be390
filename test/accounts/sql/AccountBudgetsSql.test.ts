import { rowForms } from "../../../src/ledger/sql/ImportDecisions.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Budget } from "../../../src/domain/account/Budget.ts"
import type { Decision } from "../../../src/domain/Decision.ts"
import type { AccountId } from "../../../src/domain/Scope.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import { eraseAccount } from "../../../src/privacy/EraseAccount.ts"
import { exportAccounts } from "../../../src/privacy/ExportAccount.ts"
import { importAccount } from "../../../src/privacy/ImportAccount.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { periodAt } from "../../../src/stats/BudgetPacing.ts"
import { onEachEngine, slow, temporaryDirectory } from "../../support/Databases.ts"
import { decisionOf } from "../../ledger/LedgerContract.ts"
import { newAccount } from "../KeysContract.ts"
import { daily, ports, record, report, saidOf, setBudget, standingOf } from "./spending.ts"

const monthly: Budget = { ...daily, period: "month" }

/** An account whose spending is added up from now on. */
const budgeted = Effect.gen(function*() {
  const accountId = newAccount()
  yield* setBudget(accountId, daily)
  yield* standingOf(accountId)
  return accountId
})

const rowsOf = (accountId: AccountId, table: "spend_change" | "spend_hour") =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly n: number }>`
      select count(*)::int as n from ${sql(table)} where account_id = ${accountId}`
    return row?.n ?? 0
  }).pipe(withAccount(accountId))

describe("What an account has spent", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(ports, engine), slow)(name, (it) => {
      it.effect("is added up from estimates, which bills replace, of every model that ran", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* setBudget(mine, daily)
          const spent = Effect.map(standingOf(mine), ({ estimatedUsd, requests, spentUsd }) =>
            [requests, spentUsd.toFixed(4), estimatedUsd > 0.0001])
          assert.deepStrictEqual(yield* spent, [0, "0.0000", false])
          const first = yield* record(mine)
          assert.deepStrictEqual(yield* spent, [1, "0.0100", true])
          // The pick failed and another model ran too: both were billed.
          yield* report(first, [{ modelId: "cheap", actualCostUsd: 0.012 }, { modelId: "dear", computedCostUsd: 0.02 }])
          assert.deepStrictEqual(yield* spent, [1, "0.0320", false])
          // A later report corrects a bill.
          yield* report(first, [{ modelId: "cheap", actualCostUsd: 0 }, { modelId: "dear", computedCostUsd: 0.02 }])
          assert.deepStrictEqual(yield* spent, [1, "0.0200", false])
        }))

      it.effect("counts the margin above the estimate until a report comes, or the next hour has passed", () =>
        Effect.gen(function*() {
          const mine = yield* budgeted
          const spent = Effect.map(standingOf(mine, monthly), ({ spentUsd }) => spentUsd.toFixed(4))
          const made = yield* record(mine, { costMarginUsd: 0.005 })
          assert.strictEqual(yield* spent, "0.0150")
          // A margin below 0 is none.
          yield* record(mine, { costMarginUsd: -1 })
          assert.strictEqual(yield* spent, "0.0250")
          // Another model ran than was recommended.
          yield* report(made, [{ modelId: "dear", actualCostUsd: 0.02 }])
          assert.strictEqual(yield* spent, "0.0300")
          // A report without a bill leaves the estimate, and a second report of the same changes nothing.
          for (let times = 0; times < 2; times++) yield* report(made, [{ modelId: "cheap" }])
          assert.strictEqual(yield* spent, "0.0200")
          const earlier = new Date(Date.now() - 3 * 3_600_000)
          yield* record(mine, { costMarginUsd: 0.005 }, earlier)
          const isOfMonth = earlier.getTime() >= periodAt("month", Date.now()).startMs
          assert.strictEqual(yield* spent, isOfMonth ? "0.0300" : "0.0200")
        }))

      it.effect("counts in shadow what ran: the declared baseline, then its bill", () =>
        Effect.gen(function*() {
          const mine = yield* budgeted
          const asked = yield* record(mine, { isShadow: true, baselineModelId: "dear", costDeclaredUsd: 0.02 })
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.02, 1e-12)
          yield* report(asked, [{ modelId: "dear", actualCostUsd: 0.03 }])
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.03, 1e-12)
        }))

      it.effect("counts a bill far above every estimate up to 50 times the dearest one, and says the rest", () =>
        Effect.gen(function*() {
          const mine = yield* budgeted
          yield* report(yield* record(mine), [{ modelId: "cheap", actualCostUsd: 1_000 }])
          const { billsPerEstimate, leftOutUsd, spentUsd } = yield* standingOf(mine)
          assert.closeTo(spentUsd, 1, 1e-9)
          assert.closeTo(leftOutUsd, 999, 1e-9)
          assert.closeTo(billsPerEstimate, 1, 1e-9)
        }))

      it.effect("counts a report without a bill at its estimate, and not a call that the provider broke", () =>
        Effect.gen(function*() {
          const mine = yield* budgeted
          yield* report(yield* record(mine), [{ modelId: "dear", label: { outcome: "success" } }])
          yield* report(yield* record(mine), [{ modelId: "dear", label: { outcome: "failure", errorCause: "infra" } }])
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.02, 1e-12)
        }))

      it.effect("begins with what the ledger has of the period when the budget is set, and changes with it", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* record(mine)
          yield* record(mine)
          assert.strictEqual(yield* rowsOf(mine, "spend_change"), 0)
          yield* setBudget(mine, daily)
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.02, 1e-12)
          yield* record(mine)
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.03, 1e-12)
          assert.strictEqual((yield* standingOf(mine)).requests, 3)
          // A budget for another period, and none: then nothing is kept, and the next one begins again.
          assert.isAtLeast((yield* standingOf(mine, { ...daily, usd: 5, period: "month" })).spentUsd, 0.03)
          yield* setBudget(mine, null)
          assert.deepStrictEqual([yield* rowsOf(mine, "spend_hour"), yield* rowsOf(mine, "spend_change")], [0, 0])
          yield* record(mine)
          yield* setBudget(mine, daily)
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.04, 1e-12)
        }))

      it.effect("is the same whether it is added up from the ledger or from what is written", () =>
        Effect.gen(function*() {
          const decisions: ReadonlyArray<Partial<Decision>> = [
            {}, { attemptNumber: 0 }, { attemptNumber: 0, isShadow: true }, { isShadow: true, costDeclaredUsd: null },
            { isShadow: true, baselineModelId: "dear", costDeclaredUsd: 0.02 }
          ]
          for (const over of decisions) {
            const [written, filled] = [yield* budgeted, newAccount()]
            for (const accountId of [written, filled]) yield* record(accountId, over)
            yield* setBudget(filled, daily)
            const { spentUsd } = yield* standingOf(written)
            assert.closeTo((yield* standingOf(filled)).spentUsd, spentUsd, 1e-12, JSON.stringify(over))
          }
        }))

      it.effect("has an imported outcome once, also one that was written before reports were numbered", () =>
        Effect.gen(function*() {
          const mine = yield* budgeted
          const { recommendationId } = yield* record(mine)
          const outcomes = [{ ...saidOf({ modelId: "dear", actualCostUsd: 0.03 }, 0), verdictRevision: 0 }]
          const row = JSON.parse(JSON.stringify({ recommendation_id: recommendationId, reported_task_key: null, outcomes }))
          const importing = withAccount(mine)(rowForms.outcome.write(mine, [row]))
          assert.deepStrictEqual([yield* importing, yield* importing], [1, 0])
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.03, 1e-12)
        }))

      it.effect("survives the ledger's rows: what retention drops was spent", () =>
        Effect.gen(function*() {
          const mine = yield* budgeted
          const sql = yield* SqlClient.SqlClient
          yield* record(mine)
          yield* sql`delete from decision where account_id = ${mine}`.pipe(withAccount(mine))
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.01, 1e-12)
        }))

      it.effect("has a decision once that two calls of a group write", () =>
        Effect.gen(function*() {
          const mine = yield* budgeted
          const made = decisionOf(mine, { costMarginUsd: 0.005, createdAt: new Date() })
          yield* (yield* Ledger).record([made, made])
          const { requests, spentUsd } = yield* standingOf(mine)
          const once = made.costRecommendedUsd + 0.005
          assert.deepStrictEqual([requests, spentUsd.toFixed(6)], [1, once.toFixed(6)])
        }))

      it.effect("is seen by no other account, nor without one", () =>
        Effect.gen(function*() {
          const [mine, theirs] = [newAccount(), newAccount()]
          const sql = yield* SqlClient.SqlClient
          yield* setBudget(mine, daily)
          yield* setBudget(theirs, daily)
          yield* record(mine)
          yield* standingOf(mine)
          yield* record(mine)
          assert.strictEqual((yield* standingOf(theirs)).requests, 0)
          const seen = yield* sql<{ readonly n: number }>`
            select (select count(*) from spend_hour where account_id = ${mine})
              + (select count(*) from spend_change where account_id = ${mine}) as n`.pipe(withAccount(theirs))
          assert.strictEqual(Number(seen[0]?.n), 0)
        }))

      it.effect("is added up anew in the account of an import, and is nothing after an erasure", () =>
        Effect.gen(function*() {
          const [mine, copy] = [yield* budgeted, newAccount()]
          yield* record(mine)
          yield* standingOf(mine)
          yield* record(mine)
          const path = join(yield* temporaryDirectory, "account.jsonl")
          const lines: Array<string> = []
          yield* exportAccounts(mine, (line) => Effect.sync(() => void lines.push(line)), () => {}, rowForms)
          assert.notInclude(lines.join("\n"), "spend_")
          writeFileSync(path, `${lines.join("\n")}\n`)
          yield* importAccount({ path, accountId: copy, isForced: false }, () => Effect.void, rowForms)
          const imported = yield* standingOf(copy)
          assert.strictEqual(imported.requests, 2)
          assert.closeTo(imported.spentUsd, 0.02, 1e-12)
          yield* eraseAccount(mine)
          assert.strictEqual((yield* standingOf(mine)).spentUsd, 0)
          yield* record(mine)
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.01, 1e-12)
        }))

      it.effect("is the same for two processes that read side by side, and folds each change once", () =>
        Effect.gen(function*() {
          const mine = yield* budgeted
          for (let round = 0; round < 5; round++) {
            yield* Effect.forEach(Array.from({ length: 10 }), () => record(mine), { concurrency: 5 })
            const both = yield* Effect.all([standingOf(mine), standingOf(mine)], { concurrency: 2 })
            for (const { requests } of both) assert.strictEqual(requests, 10 * (round + 1))
          }
          yield* standingOf(mine)
          assert.strictEqual(yield* rowsOf(mine, "spend_change"), 0)
        }))

      it.effect("fails as unavailable where the account has no budget any more", () =>
        Effect.gen(function*() {
          const { _tag } = yield* Effect.flip(standingOf(newAccount()))
          assert.strictEqual(_tag, "LedgerUnavailable")
        }))
    })))
