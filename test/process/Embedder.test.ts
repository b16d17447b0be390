import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { dimensions, fakeEmbeddings, say, secret } from "../embedder/embeddings.ts"
import { dataDirectory } from "../support/Databases.ts"
import { filesWith } from "../support/FilesWith.ts"
import { requestJson, type Service, startService, startMemory, stopService } from "../support/Service.ts"

const configured = ({ url }: { readonly url: URL }) => ({
  SEXTANT_EMBEDDER_URL: url.href,
  SEXTANT_EMBEDDER_MODEL: "fake",
  SEXTANT_EMBEDDER_API_KEY: secret,
  SEXTANT_EMBEDDER_DIMENSIONS: `${dimensions}`
})

const constraints = { candidate_models: ["gpt-5-nano", "gpt-5-mini", "gpt-5"] }
const recommend = (service: Service, text: string) =>
  requestJson(RecommendResponse, service, "/v1/recommend", {
    task: { task: text, task_type: "code", difficulty: "easy" }, constraints, allow_llm_escalation: false
  })
const teach = (service: Service, text: string) =>
  Effect.flatMap(recommend(service, text), ({ recommendationId }) =>
    requestJson(FeedbackResponse, service, "/v1/feedback", {
      recommendation_id: recommendationId, chosen_model_id: "gpt-5-mini", outcome: "success", evidence_source: "gate"
    }))

const entries = ({ ranked }: RecommendResponse) =>
  ranked.flatMap(({ evidence }) => evidence!).filter(({ entryId }) => !entryId.startsWith("seed:"))

/** The warnings of an answer, without that of the bundled prices, which grow old. */
const lost = ({ warnings }: RecommendResponse) => warnings.filter((warning) => warning !== "prices_stale")

/** Asks until the answer warns of the embedder, or no longer does; up to 30 s, since a loaded machine is slow. */
const until = (service: Service, text: string, isSaid: boolean) =>
  recommend(service, text).pipe(Effect.repeat({
    until: ({ warnings }) => warnings.includes("embedder_failed") === isSaid,
    schedule: Schedule.spaced("100 millis"),
    times: 300
  }))

describe("a service with an embeddings endpoint", () => {
  it.live("recalls by the endpoint, survives its outage, embeds an older lane, and hides its key", () =>
    Effect.gen(function*() {
      const [directory, fake] = [yield* dataDirectory, yield* fakeEmbeddings]
      const before = yield* startService({ SEXTANT_DATA_DIR: directory })
      yield* Effect.forEach(["first", "second"], (name) => teach(before, `Write the ${name} function`))
      assert.strictEqual(yield* stopService(before), 0)

      const service = yield* startService({ SEXTANT_DATA_DIR: directory, ...configured(fake) })
      const warm = yield* until(service, "Write the first function", false)
      assert.lengthOf(entries(warm), 2)
      // The older outcomes are embedded from the texts in the ledger.
      const placed = Effect.sync(() => fake.heard.some(({ input }) => input.includes("Write the second function")))
      assert.isTrue(yield* Effect.repeat(placed, {
        until: (isPlaced) => isPlaced, schedule: Schedule.spaced("50 millis"), times: 300
      }))

      fake.state.trouble = (response) => say(response, { error: `the key ${secret} is wrong` }, 401)
      const failed = yield* recommend(service, "Write another function")
      assert.deepStrictEqual(lost(failed), ["embedder_failed"])
      assert.lengthOf(entries(failed), 2)
      const meanwhile = "Write something while the endpoint is out"
      const { accepted, warnings } = yield* teach(service, meanwhile)
      assert.deepStrictEqual([accepted, warnings], [true, []])
      const isKnown = (answer: RecommendResponse) => entries(answer).some(({ score }) => score > 0.99)
      assert.isTrue(isKnown(yield* recommend(service, meanwhile)))
      // No answer at all.
      fake.state.trouble = () => undefined
      assert.isTrue(isKnown(yield* recommend(service, meanwhile)))

      fake.state.trouble = null
      assert.isTrue(isKnown(yield* until(service, meanwhile, false)))
      assert.strictEqual(yield* stopService(service), 0)
      assert.strictEqual(fake.heard.at(-1)?.headers["authorization"], `Bearer ${secret}`)
      assert.deepStrictEqual(filesWith(directory, secret), [])
      for (const said of [service.stdout(), service.stderr()]) assert.notInclude(said, secret)
    }), 180_000)

  it.live("gets its warnings from an external memory, too", () =>
    Effect.gen(function*() {
      const fake = yield* fakeEmbeddings
      const memory = yield* startMemory({ SEXTANT_DATA_DIR: yield* dataDirectory, ...configured(fake) })
      const service = yield* startService({
        SEXTANT_DATA_DIR: yield* dataDirectory, SEXTANT_MEMORY_URL: memory.baseUrl
      })
      yield* until(service, "Write a function", false)
      yield* teach(service, "Write the first function")
      fake.state.trouble = (response) => say(response, "", 500)
      const failed = yield* recommend(service, "Write the second function")
      assert.deepStrictEqual(lost(failed), ["embedder_failed"])
      assert.lengthOf(entries(failed), 1)
    }), 180_000)
})
