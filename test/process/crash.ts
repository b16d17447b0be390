import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { MemoryHealthResponse } from "../../src/domain/Lesson.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { feedbackOn } from "../cluster/drill.ts"
import { sendRequest, requestJson, type Service, startService } from "../support/Service.ts"

const askers = 8
export const acknowledgedPerRound = 12

/** What the service said before it was killed. */
interface Heard {
  /** Recommendations answered with 200, and the model each recommended. */
  readonly recommended: Map<string, string>
  /** Feedback answers, word for word, by recommendation. */
  readonly acknowledged: Map<string, string>
}

/** Asks and reports, over and over, until the service is gone. */
const asker = (service: Service, heard: Heard, name: string) =>
  Effect.gen(function*() {
    for (let turn = 0;; turn++) {
      const answer = yield* requestJson(RecommendResponse, service, "/v1/recommend", {
        task: { task: `Fix the failing unit test ${turn} of module ${name}` }
      })
      const { recommendationId, recommendedModel, warnings } = answer
      // Answered without waiting longer for the ledger, and said so: nothing was promised of this one.
      if (warnings.includes("memory_unavailable")) continue
      heard.recommended.set(recommendationId, recommendedModel.modelId)
      // Every third answer stays without a report, so that some are open when the service dies.
      if (turn % 3 === 2) continue
      const { status, text } = yield* sendRequest(service, "/v1/feedback", feedbackOn(recommendationId, recommendedModel.modelId))
      assert.strictEqual(status, 200, text)
      heard.acknowledged.set(recommendationId, text)
      if (heard.acknowledged.size === acknowledgedPerRound) yield* service.kill("SIGKILL")
    }
  }).pipe(Effect.catchTag("NoAnswer", () => Effect.void))

/** Where a service keeps what it must not lose: a directory, or a database. */
export type Storage = Readonly<Record<string, string>>

/** One life of the service, ended by SIGKILL amid the askers. */
const liveAndDie = (storage: Storage, round: number) =>
  Effect.scoped(Effect.gen(function*() {
    const service = yield* startService({ ...storage })
    const heard: Heard = { recommended: new Map(), acknowledged: new Map() }
    yield* Effect.forEach(
      Array.from({ length: askers }, (_, n) => `${round}-${n}`),
      (name) => asker(service, heard, name),
      { concurrency: "unbounded", discard: true }
    )
    assert.isNull(yield* service.exitCode)
    return heard
  }))

/** Repeats every acknowledged feedback and reports on every open recommendation; yields how many there were. */
const settle = (storage: Storage, heard: Heard, countBefore: number) =>
  Effect.scoped(Effect.gen(function*() {
    const service = yield* startService({ ...storage })
    const observations = Effect.map(
      requestJson(MemoryHealthResponse, service, "/v1/memory/health"),
      ({ entryCounts }) => entryCounts["observation"] ?? 0
    )
    assert.isAtLeast(yield* observations, countBefore + heard.acknowledged.size)
    for (const [recommendationId, modelId] of heard.recommended) {
      const body = feedbackOn(recommendationId, modelId)
      const { status, text } = yield* sendRequest(service, "/v1/feedback", body)
      assert.strictEqual(status, 200, text)
      assert.strictEqual(text, heard.acknowledged.get(recommendationId) ?? text)
      const { accepted, warnings } = yield* requestJson(FeedbackResponse, service, "/v1/feedback", body)
      assert.deepStrictEqual({ accepted, warnings }, { accepted: true, warnings: [] })
    }
    const count = yield* observations
    assert.strictEqual(count, countBefore + heard.recommended.size)
    return count
  }))

/** Kills a service so often over one storage; each life's answers are looked for by the next one. */
export const killAndSettle = (storage: Storage, kills: number) =>
  Effect.gen(function*() {
    let count = 0
    for (let round = 1; round <= kills; round++) {
      const heard = yield* liveAndDie(storage, round)
      assert.isAtLeast(heard.acknowledged.size, acknowledgedPerRound)
      count = yield* settle(storage, heard, count)
    }
    assert.isAtLeast(count, kills * acknowledgedPerRound)
    return count
  })
