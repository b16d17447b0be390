import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { AccountGuaranteeResponse } from "../../src/domain/account/Guarantee.ts"
import { MemoryHealthResponse } from "../../src/domain/Lesson.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { layerPostgres } from "../../src/sql/Database.ts"
import { dataDirectory, migratedDatabase, postgresServer } from "../support/Databases.ts"
import { evidenceAfter, trials } from "../support/guarantees.ts"
import { requestJson, type Service, sextant, startService, stopService, umbrellaKey } from "../support/Service.ts"

const namespace = "checkout"
const ask = (userId: string, i: number) => ({ task: { task: `Fix failing unit test ${i}`, task_type: "code" }, namespace, user_id: userId })

const tell = (service: Service, userId: string, times: number) =>
  Effect.gen(function*() {
    for (let i = 0; i < times; i++) {
      const { recommendationId, recommendedModel } = yield* requestJson(RecommendResponse, service, "/v1/recommend", ask(userId, i))
      const { accepted } = yield* requestJson(FeedbackResponse, service, "/v1/feedback", {
        recommendation_id: recommendationId, chosen_model_id: recommendedModel.modelId, outcome: "failure", evidence_source: "gate"
      })
      assert.isTrue(accepted)
    }
  })

const observations = (service: Service) =>
  Effect.map(requestJson(MemoryHealthResponse, service, `/v1/memory/health?namespace=${namespace}`), ({ entryCounts }) => entryCounts["observation"])

const undo = (environment: Readonly<Record<string, string>>, instance: string, ...flags: ReadonlyArray<string>) =>
  sextant(["memory", "undo", "--instance", instance, ...flags], environment)

describe("sextant memory undo", () => {
  it.live.skipIf(postgresServer === null)("deletes an actor's outcomes, and evidence that rests on them, while the service runs", () =>
    Effect.gen(function*() {
      const { url } = yield* migratedDatabase
      const environment = { DATABASE_URL: Redacted.value(url) }
      const service = yield* startService(environment)
      yield* tell(service, "ann", 3)
      yield* tell(service, "mallory", 4)
      const cells = Effect.map(
        requestJson(RecommendResponse, service, "/v1/recommend", ask("mallory", 9)),
        ({ ranked }) => ranked.flatMap(({ evidence }) => evidence!).filter(({ entryId }) => !entryId.startsWith("seed:")).length
      )
      assert.isAbove(yield* cells, 0)
      assert.strictEqual((yield* undo(environment, "acme", "--user-id", "mallory", "--namespace", "another")).code, 0)
      assert.strictEqual(yield* observations(service), 7)
      const done = yield* undo(environment, "acme", "--user-id", "mallory", "--since", "2020-01-01T00:00:00Z")
      assert.deepStrictEqual([done.code, done.stdout], [0, "sextant:checkout\t4 outcomes deleted\n"])
      assert.strictEqual(yield* observations(service), 3)
      // The service looks for changes of its lanes from time to time, and then loses mallory's neighbours.
      const left = yield* Effect.repeat(cells, { until: (count) => count === 0, schedule: Schedule.spaced("200 millis"), times: 100 })
      assert.strictEqual(left, 0)

      // The evidence of another account's guarantee rests on outcomes that are deleted; the command says so once.
      const umbrella = { ...service, key: umbrellaKey }
      const guarantee = { baseline_model_id: "gpt-5", trial_share: 0.5 }
      const { guarantee: status, recommendationId, recommendedModel } = yield* requestJson(
        RecommendResponse, umbrella, "/v1/recommend", { ...ask("mallory", 0), guarantee, cost_quality_tradeoff: 0 })
      const candidate = status?.candidateModelId ?? assert.fail("no trial")
      yield* requestJson(FeedbackResponse, umbrella, "/v1/feedback", {
        recommendation_id: recommendationId, chosen_model_id: recommendedModel.modelId, outcome: "success", evidence_source: "gate"
      })
      const folded = RecommendationId.fromParts(Date.now() + 60_000, new Uint8Array(10))
      const account = AccountId.make("umbrella")
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`
        insert into guarantee_evidence (account_id, lane, baseline_model_id, max_quality_loss, confidence, folded_id, evidence)
        values (${account}, ${`sextant:${namespace}`}, 'gpt-5', 0.05, 0.95, ${folded}::uuid,
          ${JSON.stringify(evidenceAfter(trials(2_000), { candidate }))}::text::jsonb)`.pipe(withAccount(account))
      ).pipe(Effect.provide(layerPostgres(url)))
      const stateOf = Effect.map(requestJson(AccountGuaranteeResponse, umbrella, "/v1/account/guarantee"), ({ kinds }) => kinds[0]?.state)
      assert.strictEqual(yield* stateOf, "held")
      const dropped = yield* undo(environment, "umbrella", "--user-id", "mallory")
      assert.strictEqual(dropped.stdout, "sextant:checkout\t1 outcomes deleted\n"
        + `sextant:checkout\tguarantee on gpt-5: the evidence of ${candidate} for code starts from nothing\n`)
      assert.strictEqual(yield* stateOf, "earning")
      assert.include((yield* undo(environment, "umbrella", "--user-id", "mallory")).stdout, "No outcome matches")
    }), 120_000)

  it.live("works on the embedded database while its service runs, and requires a criterion", () =>
    Effect.gen(function*() {
      const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
      const service = yield* startService(environment)
      yield* tell(service, "mallory", 2)
      const bare = yield* undo(environment, "acme")
      assert.strictEqual(bare.code, 1)
      assert.include(bare.stderr, "--user-id")
      const done = yield* undo(environment, "acme", "--until", "2100-01-01")
      assert.deepStrictEqual([done.code, done.stdout], [0, "sextant:checkout\t2 outcomes deleted\n"])
      assert.strictEqual(yield* observations(service), 0)
      assert.strictEqual(yield* stopService(service), 0)
      assert.include((yield* undo(environment, "acme", "--user-id", "mallory")).stdout, "No outcome matches")
    }), 120_000)
})
