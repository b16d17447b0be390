import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../src/domain/Scope.ts"
import { buckets } from "../../src/memory/sql/TextBuckets.ts"
import { overQuota, sweepAccount } from "../../src/memory/sql/TextSweep.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { sendRequest, feedback, embedOnly, recommend, serveAccounts } from "./service.ts"

const acme = AccountId.make("acme")

it("the oldest buckets are trimmed until the rest is within the quota, and the newest stays", () => {
  const bucket = (until: string, taskBytes: number, otherBytes = 0) => ({ from: "", until, taskBytes, otherBytes })
  const all = [bucket("0", 0), bucket("1", 60, 40), bucket("2", 50), bucket("3", 30)]
  const gone = (quota: number) => overQuota(all, quota).map(({ until }) => until)
  assert.deepStrictEqual([gone(180), gone(179), gone(80), gone(79), gone(0)],
    [[], ["1"], ["1"], ["1", "2"], ["1", "2"]])
})

const texts = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ readonly task: string; readonly said: number }>`
  select task_excerpt as task, (select count(*) from step_reward s
    where s.recommendation_id = d.recommendation_id::text
      and num_nonnulls(step_name, rationale, directive_hint) > 0)::int as said
  from decision d order by created_at`).pipe(withAccount(acme))

const counts = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`
  select (select count(*)::int from decision) as decisions, (select count(*)::int from observation) as observations,
    (select count(*)::int from observation_vector) as vectors, (select count(*)::int from step_reward) as steps,
    (select sum(outcomes)::int from outcome_record) as outcomes`).pipe(withAccount(acme))

describe("an account that has filled its quota of text", () =>
  onEachEngine((name, engine) =>
    layer(serveAccounts(engine), slow)(name, (it) => {
      it.effect("loses its oldest texts, and keeps the newest text, and every count and vector", () =>
        Effect.gen(function*() {
          const rule = { taskText: "excerpt", taskVectorsOf: embedOnly, upTo: "now", quotaBytes: 40_000 } as const
          const round = (number: number) =>
            Effect.gen(function*() {
              const told = yield* recommend("acme", `Task ${number}: ${"sum the list ".repeat(200)}`)
              const answer = yield* feedback("acme", told, {
                outcome: "failure", notes: `TypeError: canary${number} is not a function`, idempotency_key: `k${number}`,
                step_outcomes: [{
                  step_id: "s", outcome: "failure", step_name: "name", rationale: `why ${"x".repeat(2_000)}`,
                  directive_hint: `hint ${"y".repeat(2_000)}`
                }]
              })
              assert.strictEqual(answer["accepted"], true, JSON.stringify(answer))
              return yield* sweepAccount(acme, rule)
            })
          let [tasks, others] = [0, 0]
          for (let number = 0; number < 12; number++) {
            const trimmed = yield* round(number)
            tasks += trimmed.tasks
            others += trimmed.others
          }
          assert.isAbove(tasks, 2)
          assert.isAbove(others, 2)
          const before = yield* counts
          assert.deepStrictEqual(before, [
            { decisions: 12, observations: 12, vectors: 12, steps: 12, outcomes: 12 }
          ])

          const left = yield* texts
          const kept = left.filter(({ task }) => task !== "").map(({ task }) => task.slice(0, 8).trim())
          assert.isAtLeast(kept.length, 3)
          assert.deepStrictEqual(left.slice(-kept.length).map(({ task }) => task.slice(0, 8).trim()), kept, "the newest")
          assert.isTrue(left.every(({ said, task }) => (said > 0) === (task !== "")), "steps go with their time")
          assert.deepStrictEqual(yield* counts, before)
          const all = yield* buckets(acme).pipe(withAccount(acme))
          assert.isAtMost(all.reduce((sum, { otherBytes, taskBytes }) => sum + otherBytes + taskBytes, 0), 40_000)
          assert.deepStrictEqual(yield* sweepAccount(acme, rule), { tasks: 0, others: 0 })

          // Neither recommendations nor outcomes are refused, and lessons that lost their words still answer.
          yield* round(99)
          const diagnosis = yield* sendRequest("acme", "POST", "/v1/diagnose", {
            error_text: "TypeError: canary99 is not a function", limit: 25
          })
          assert.isAbove(diagnosis["total_failure_lessons"], 0)
          assert.notInclude(JSON.stringify(diagnosis), "canary0 ")
        }))
    })))
