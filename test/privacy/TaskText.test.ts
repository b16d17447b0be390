import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountSettings } from "../../src/accounts/AccountSettings.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { stricter } from "../../src/domain/text/TaskText.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { removeUnwanted, removeWords } from "../../src/memory/sql/TaskWords.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { decision } from "../support/builders.ts"
import { onOneEngine, slow } from "../support/Databases.ts"
import { sendRequest, dumpAll, feedback, recommend, serveAccounts } from "./service.ts"

const canary = "Zanzibarcanary"
const task = `Write a function that sums the ${canary} list of numbers`
const acme = AccountId.make("acme")

/** What an account recalled for the task: the similarity of each neighbour. */
const similarities = (answer: Record<string, any>): ReadonlyArray<number> =>
  answer["ranked"].flatMap((model: Record<string, any>) =>
    model["evidence"].map((evidence: Record<string, any>) => evidence["score"])).filter((score: number) => score > 0)

describe("an account that stores no text of its tasks", () => {
  onOneEngine((name, engine) => {
    layer(serveAccounts(engine, "none"), slow)(`where the service says so, ${name}`, (it) => {
      it.effect("has no task text in any table, and its outcomes are still found by similarity", () =>
        Effect.gen(function*() {
          const told = yield* recommend("acme", task)
          const answer = yield* feedback("acme", told)
          assert.strictEqual(answer["accepted"], true)
          assert.deepStrictEqual(answer["warnings"], [])
          assert.notInclude(yield* dumpAll, canary)
          const [first = 0] = similarities(yield* recommend("acme", task))
          assert.isAbove(first, 0.99)
        }))

      it.effect("cannot be made laxer by a setting of its own", () =>
        Effect.gen(function*() {
          yield* (yield* AccountSettings).write(acme, { taskText: "excerpt" })
          yield* recommend("acme", `${task} again`)
          assert.notInclude(yield* dumpAll, canary)
        }))
    })

    layer(serveAccounts(engine, "excerpt"), slow)(`where texts came before, ${name}`, (it) => {
      it.effect("loses the text of a task that arrives after its words were removed", () =>
        Effect.gen(function*() {
          yield* removeUnwanted("none")
          const atMs = (yield* Clock.currentTimeMillis) - 3_600_000
          yield* (yield* Ledger).record([decision({
            accountId: acme, recommendationId: RecommendationId.make(atMs), createdAt: new Date(atMs), taskExcerpt: task
          })])
          assert.include(yield* dumpAll, canary)
          yield* removeUnwanted("excerpt")
          assert.include(yield* dumpAll, canary)
          const sql = yield* SqlClient.SqlClient
          const figures = sql`select xmin::text as written from decision_figures order by created_at`.pipe(withAccount(acme))
          const written = yield* figures
          yield* removeUnwanted("none")
          assert.deepStrictEqual(yield* figures, written, "no trigger writes figures that stay as they are")
          assert.notInclude(yield* dumpAll, canary)
        }))

      it.effect("has no text of a task in reports, whether their writes wait elsewhere or were refused", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const writing = (kind: string, body: object) => [{ kind, body }]
          const taught = writing("teach", { task, quality: 0.5, model_id: "m" })
          const wordless = writing("teach", { task: "", quality: 0.5, model_id: "m" })
          const lesson = writing("promote", { content: "a lesson" })
          const put = (revision: number, writes: object | null, refused: object | null) => {
            const json = (list: object | null) => list === null ? null : JSON.stringify(list)
            return sql`insert into report
                (account_id, revision, recommendation_id, idempotency_key, fingerprint, body, response, writes, refused)
              values (${acme}, ${revision}, gen_random_uuid(), ${`key ${revision}`}, 'f', '{}', '{}',
                ${json(writes)}::text::jsonb, ${json(refused)}::text::jsonb)`.pipe(withAccount(acme))
          }
          yield* put(1_001, [...taught, ...lesson], null)
          yield* put(1_002, null, taught)
          yield* put(1_003, lesson, null)
          const rows = sql`select writes, refused from report where revision > 1000 order by revision`
            .pipe(withAccount(acme))
          assert.include(yield* dumpAll, canary)
          assert.strictEqual(yield* removeWords(acme), 2)
          assert.notInclude(yield* dumpAll, canary)
          assert.deepStrictEqual(yield* rows, [
            { writes: [...wordless, ...lesson], refused: null },
            { writes: null, refused: wordless },
            { writes: lesson, refused: null }
          ], "the rows and their figures stay")
        }))
    })

    layer(serveAccounts(engine, "excerpt", ["acme", "umbrella"]), slow)(`by its own setting, ${name}`, (it) => {
      it.effect("loses stored texts in the next sweep, and keeps counts and vectors", () =>
        Effect.gen(function*() {
          const open = yield* recommend("acme", task)
          const told = yield* recommend("acme", `${task} twice`)
          yield* feedback("acme", told)
          yield* recommend("umbrella", `${task} elsewhere`)
          assert.include(yield* dumpAll, canary)
          const savings = yield* sendRequest("acme", "GET", "/v1/savings")

          yield* (yield* AccountSettings).write(acme, { taskText: "none" })
          yield* removeUnwanted("excerpt")
          assert.strictEqual(yield* removeWords(acme), 0, "a second look")

          const sql = yield* SqlClient.SqlClient
          const kept = (account: AccountId) => sql<{ words: number; vectors: number }>`
            select count(*) filter (where task_excerpt <> '')::int as words,
              count(task_vectors)::int as vectors from decision where account_id = ${account}`.pipe(withAccount(account))
          assert.deepStrictEqual(yield* kept(acme), [{ words: 0, vectors: 2 }])
          assert.deepStrictEqual((yield* kept(AccountId.make("umbrella")))[0]?.words, 1, "another account's stay")
          const after = yield* sendRequest("acme", "GET", "/v1/savings")
          assert.deepStrictEqual(after["summary"], savings["summary"])

          // A decision from before the switch is taught by its vector.
          assert.deepStrictEqual((yield* feedback("acme", open))["warnings"], [])
          const found = similarities(yield* recommend("acme", task))
          assert.isAbove(Math.max(...found), 0.99)
          assert.strictEqual((yield* kept(acme))[0]?.words, 0, "new ones keep none")
        }))
    })
  })

})

it("the stricter setting of service and account applies", () => {
  assert.strictEqual(stricter("excerpt", null), "excerpt")
  assert.strictEqual(stricter("excerpt", "none"), "none")
  assert.strictEqual(stricter("none", "excerpt"), "none")
  assert.strictEqual(stricter("none", null), "none")
})
