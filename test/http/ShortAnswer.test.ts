import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, key, recommend, teach } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

/* `detail: "short"`: what to run, and what it should cost, without an explanation. */

type Fields = Readonly<Record<string, unknown>>

interface Answered extends Fields {
  readonly recommended_model: Fields
  readonly recommended_rank?: number
  readonly ranked: ReadonlyArray<Fields>
  readonly fallback_model: Fields | null
}

const always = ["model_id", "provider", "predicted_success", "est_cost_usd"]
const answered = (over: object) => Effect.map(recommend(over), ({ body }) => body as unknown as Answered)
const without = (fields: Fields, ...names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** The ranking of a short answer with the pick in its place. */
const unfolded = ({ ranked, recommended_model: pick, recommended_rank: rank = 0 }: Answered) =>
  ranked.toSpliced(rank - 1, 0, pick)

/** What of a full answer's model a short answer says. */
const named = (model: Fields): Fields => Object.fromEntries([...always, "effort", "requested_model_id"]
  .filter((name) => model[name] != null && (name !== "requested_model_id" || model[name] !== model["model_id"]))
  .map((name) => [name, model[name]]))

/** What it says of the pick: why, too. */
const withWhy = (model: Fields): Fields => ({ ...named(model), rationale: model["rationale"] })

const rankedShort = ({ ranked, recommended_model: pick }: Answered) =>
  ranked.map((model) => (model["model_id"] === pick["model_id"] ? withWhy : named)(model))

layer(engineService({}), { excludeTestServices: true })("a short answer", (it) => {
  it.effect("names, predicts and prices each model alike, explains the pick alone, and says no null", () =>
    Effect.gen(function*() {
      yield* teach(4)
      for (const over of [{}, { explain: false }, { verification: { kind: "gate" } }]) {
        const [full, short] = [yield* answered(over), yield* answered({ ...over, detail: "short" })]
        assert.deepStrictEqual(short.recommended_model, withWhy(full.recommended_model))
        assert.deepStrictEqual(unfolded(short), rankedShort(full))
        assert.isAbove(short.ranked.length, 1)
        assert.deepStrictEqual(short.fallback_model, full.fallback_model && named(full.fallback_model))
        // A repeated question may be warned of.
        const own = [
          "recommendation_id", "latency_ms", "recommended_model", "recommended_rank", "ranked", "fallback_model", "warnings"
        ]
        const rest = Object.fromEntries(Object.entries(without(full, ...own)).filter(([, value]) => value !== null))
        assert.deepStrictEqual(without(short, ...own), rest)
        assert.deepStrictEqual(
          Object.keys(without(short, "recommended_rank")), Object.keys(full).filter((name) => name in short)
        )
      }
    }))

  it.effect("names the pick once, and says its place in the ranking, however it was picked", () =>
    Effect.gen(function*() {
      const ids = (yield* answered({})).ranked.map((model) => model["model_id"])
      const ranks = new Set<number | undefined>()
      for (
        const over of [
          ...[0, 2, 5, 8, 10].map((cost_quality_tradeoff) => ({ cost_quality_tradeoff })),
          ...ids.map((model) => ({ constraints: { candidate_models: [model] } })),
          ...ids.map((model) => ({ guarantee: { baseline_model_id: model, trial_share: 0.5 } })),
          ...ids.map((model) => ({ incumbent_model_id: model })),
          { success_value_usd: 1, verification: { kind: "gate" }, attempts: [{ model_id: ids[0], outcome: "failure" }] },
          { optimize_for: "latency" }
        ]
      ) {
        const [full, short] = [yield* answered(over), yield* answered({ ...over, detail: "short" })]
        assert.sameDeepMembers(unfolded(short).map(named), full.ranked.map(named), JSON.stringify(over))
        assert.notDeepInclude(short.ranked, short.recommended_model, JSON.stringify(over))
        assert.notProperty(full, "recommended_rank")
        ranks.add(short.recommended_rank)
      }
      assert.isAbove(ranks.size, 1)
    }))

  it.effect("of three candidates has at most 1.2 kB", () =>
    Effect.gen(function*() {
      const ids = (yield* answered({})).ranked.slice(0, 3).map((model) => model["model_id"])
      for (const over of [{}, { namespace: "cold" }, { incumbent_model_id: ids[2], baseline_model_id: ids[2] }]) {
        const short = yield* answered({ constraints: { candidate_models: ids }, detail: "short", ...over })
        assert.strictEqual(short.ranked.length, 2)
        assert.isAtMost(Buffer.byteLength(JSON.stringify(short)), 1_200, JSON.stringify(short))
      }
    }))

  it.effect("is had for the steps of a workflow too", () =>
    Effect.gen(function*() {
      const steps = [{ step_id: "a", task: { task: "Plan it", task_type: "reasoning", difficulty: "hard" } }]
      const { body } = yield* sendRequest("POST", "/v1/recommend/workflow", { key, json: { steps, detail: "short" } })
      const [step] = body["steps"] as unknown as ReadonlyArray<{ readonly recommendation: Answered }>
      const { ranked, recommended_model } = step?.recommendation ?? assert.fail("no step")
      assert.deepStrictEqual(withWhy(recommended_model), recommended_model)
      for (const model of ranked) assert.deepStrictEqual(named(model), model)
    }))

  it.effect("is refused under any other name, and the problem names the field", () =>
    Effect.gen(function*() {
      for (const detail of ["brief", "", "SHORT", 1, null, ["short"], {}]) {
        for (const path of ["/v1/recommend", "/v1/recommend/workflow"]) {
          const task = { task: "x" }
          const { body, status } = yield* sendRequest("POST", path, {
            key, json: { ...(path === "/v1/recommend" ? { task } : { steps: [{ step_id: "a", task }] }), detail }
          })
          assert.strictEqual(status, 400, JSON.stringify(detail))
          assert.match(String(body["detail"]), /detail/)
        }
      }
    }))
})
