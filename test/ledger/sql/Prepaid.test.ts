import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountModelsStore } from "../../../src/accounts/AccountModels.ts"
import { modelsAnswerOf } from "../../../src/accounts/ModelsAnswer.ts"
import * as AccountModelsSql from "../../../src/accounts/sql/AccountModelsSql.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import * as LaneCalibrationSql from "../../../src/ledger/sql/LaneCalibrationSql.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { documentOf } from "../../accounts/AccountModelsContract.ts"
import { newAccount } from "../../accounts/KeysContract.ts"
import { daily, ports, setBudget, standingOf } from "../../accounts/sql/spending.ts"
import { catalog, engine, learn, recommend } from "../../engine/pipelines.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"

const quota = (prepaidTokens: number | null, prepaidUntil: string | null = null) =>
  documentOf({
    defaultCandidates: null, defaultProviders: null,
    models: [{ modelId: "dear", prepaidTokens, prepaidUntil }]
  })

/** Pipelines over the database, which read an account's document anew in each test. */
const pipelines = Layer.fresh(engine({
  memory: Layer.orDie(MemorySql.layer({ endpoint: "postgresql" }).pipe(Layer.provide(EmbedderLexical.layer))) as never,
  ledger: LedgerSql.layer as never,
  lanes: LaneCalibrationSql.layer as never,
  settings: { recallBudgetMs: 10_000 }
}))

const set = (account: ReturnType<typeof newAccount>, document: ReturnType<typeof quota>) =>
  Effect.flatMap(AccountModelsStore, ({ write }) => write(account, document, catalog))

/** What is left of the quota, as a process reads it that has read nothing yet. */
const left = Effect.fnUntraced(function*(account: ReturnType<typeof newAccount>) {
  const { read } = yield* AccountModelsStore
  return modelsAnswerOf(catalog, yield* read(account)).resolvedModels[0]?.prepaidTokensLeft ?? null
}, (effect) => Effect.provide(effect, Layer.fresh(AccountModelsSql.layer)))

const used = { chosenModelId: "dear", inputTokens: 70, outputTokens: 30 } as const

describe("Quota that is paid already", () =>
  onEachEngine((name, database) =>
    layer(
      Layer.provideMerge(pipelines, Layer.provideMerge(Layer.mergeAll(AccountModelsSql.layer, ports), database)),
      slow
    )(name, (it) => {
      it.effect("makes the dear model the pick, at list prices, until it is used up", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const without = yield* recommend({}, mine)
          assert.notStrictEqual(without.recommendedModel.modelId, "dear")
          assert.isTrue(without.ranked.every(({ marginalCostUsd }) => marginalCostUsd === null))
          yield* set(mine, quota(100))
          const first = yield* recommend({}, mine)
          assert.deepInclude(first.recommendedModel, { modelId: "dear", marginalCostUsd: 0 })
          const costOf = (answer: typeof first) => answer.ranked.find(({ modelId }) => modelId === "dear")?.estCostUsd
          assert.strictEqual(costOf(first), costOf(without))
          assert.include(first.recommendedModel.rationale, "paid already, so it counts as free")
          yield* learn(first, used, mine)
          assert.strictEqual(yield* left(mine), 0)
          yield* Effect.sleep("1100 millis")
          const next = yield* recommend({}, mine).pipe(Effect.repeat({
            until: ({ recommendedModel: { marginalCostUsd } }) => marginalCostUsd === null
          }), Effect.timeout("30 seconds"))
          assert.notStrictEqual(next.recommendedModel.modelId, "dear")
          yield* learn(next, { ...used }, mine)
          assert.strictEqual(yield* left(mine), 0)
        }))

      it.effect("is counted exactly by 100 feedbacks at once, each once", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* set(mine, quota(1_000_000))
          const asked = yield* Effect.forEach(Array.from({ length: 100 }), () => recommend({}, mine), { concurrency: 10 })
          yield* Effect.forEach([...asked, ...asked.slice(0, 20)], (each) => learn(each, used, mine), {
            concurrency: "unbounded"
          })
          assert.strictEqual(yield* left(mine), 1_000_000 - 100 * 100)
        }))

      it.effect("is corrected by a later report, and where tokens are missing counts what was expected", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const task = { task: "Sum a list", expectedInputTokens: 600, expectedOutputTokens: 400 }
          yield* set(mine, quota(10_000))
          const asked = yield* recommend({ task }, mine)
          yield* learn(asked, { chosenModelId: "dear", actualCostUsd: 0.02, evidenceSource: "none" }, mine)
          assert.strictEqual(yield* left(mine), 9_000)
          yield* learn(asked, { ...used, outcome: "failure", idempotencyKey: "second" }, mine)
          assert.strictEqual(yield* left(mine), 9_900)
          yield* learn(asked, { ...used, inputTokens: 170, idempotencyKey: "third" }, mine)
          assert.strictEqual(yield* left(mine), 9_800)
          const [broken, other] = [yield* recommend({ task }, mine), yield* recommend({ task }, mine)]
          yield* learn(broken, { chosenModelId: "dear", outcome: "failure", errorCause: "infra" }, mine)
          yield* learn(other, { chosenModelId: "cheap", inputTokens: 5, outputTokens: 5 }, mine)
          assert.strictEqual(yield* left(mine), 9_800)
        }))

      it.effect("goes on when it is set to the same, begins anew under another, and ends when removed", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* set(mine, quota(500, "2999-01-01"))
          const asked = yield* recommend({}, mine)
          yield* learn(asked, used, mine)
          yield* set(mine, quota(500, "2999-01-01"))
          assert.strictEqual(yield* left(mine), 400)
          yield* set(mine, quota(600, "2999-01-01"))
          assert.strictEqual(yield* left(mine), 600)
          // Of a call from before, which the new quota never paid for.
          yield* learn(asked, { ...used, inputTokens: 470, idempotencyKey: "second" }, mine)
          assert.strictEqual(yield* left(mine), 600)
          yield* set(mine, quota(600, "2020-01-01"))
          assert.isNull((yield* recommend({}, mine)).recommendedModel.marginalCostUsd ?? null)
          yield* set(mine, quota(null))
          assert.isNull(yield* left(mine))
          const sql = yield* SqlClient.SqlClient
          const [row] = yield* sql`select prepaid from account_models`.pipe(withAccount(mine))
          assert.deepStrictEqual(row, { prepaid: null })
        }))

      it.effect("uses nothing of a budget, before and after a report, and counts a bill of 0 at list prices", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const sql = yield* SqlClient.SqlClient
          yield* setBudget(mine, daily)
          yield* set(mine, quota(1_000_000))
          yield* standingOf(mine)
          const asked = yield* recommend({}, mine)
          assert.strictEqual(asked.recommendedModel.modelId, "dear")
          assert.deepInclude(yield* standingOf(mine), { spentUsd: 0, requests: 1 })
          yield* learn(asked, { ...used, actualCostUsd: 0 }, mine)
          assert.deepInclude(yield* standingOf(mine), { spentUsd: 0, requests: 1 })
          const [row] = yield* sql`select actual_cost_usd as actual, computed_cost_usd > 0 as computed,
            cost_recommended_usd > 0 as listed from decision_figures`.pipe(withAccount(mine))
          assert.deepStrictEqual(row, { actual: null, computed: true, listed: true })
          yield* learn(yield* recommend({}, mine), { chosenModelId: "cheap", actualCostUsd: 0.001 }, mine)
          assert.closeTo((yield* standingOf(mine)).spentUsd, 0.001, 1e-9)
        }))
    })
  ))
