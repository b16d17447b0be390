import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { honoredConstraints } from "../../src/domain/Constraints.ts"
import { RecommendRequest, RecommendResponse } from "../../src/domain/Recommendation.ts"
import { wire } from "../../src/domain/wire/Wire.ts"
import { unknownFieldWarnings } from "../../src/http/body/UnknownFields.ts"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const task = { task: "Write a function that sums a list", task_type: "code", difficulty: "medium" }
const unknown = (body: Readonly<Record<string, unknown>>) =>
  ((body["warnings"] ?? []) as ReadonlyArray<string>).filter((warning) => warning.startsWith("unknown_field:"))

const over = Effect.provide(engineService({}))

describe("A field that the schema does not have", () => {
  it.live("is said with its path in an answer that is otherwise the same", () =>
    Effect.gen(function*() {
      const right = yield* recommend()
      const { body, status } = yield* recommend({ task: { ...task, tag: "x" }, Slider: 3 })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body["warnings"], [
        "unknown_field:task.tag", "unknown_field:Slider", ...right.body["warnings"] as ReadonlyArray<string>
      ])
      assert.deepStrictEqual(Object.keys(body), Object.keys(right.body))
      assert.deepStrictEqual(unknown(right.body), [])
    }).pipe(over), 60_000)

  it.live("is said of a workflow and of its steps, at most five in all", () =>
    Effect.gen(function*() {
      const steps = [
        { step_id: "plan", task: { ...task, taskType: "code", tag: "x" }, constraints: { min_quality: 0.5 } },
        { step_id: "write", task, depends: ["plan"], depends_on: ["plan"] }
      ]
      const json = { steps, constraints: { max_cost_per_call: 1 }, max_candidates: 3, slider: 1, more: 1 }
      const { body } = yield* sendRequest("POST", "/v1/recommend/workflow", { key, json })
      assert.deepStrictEqual(body["warnings"], [
        "unknown_field:steps.0.task.taskType", "unknown_field:steps.0.task.tag", "unknown_field:steps.1.depends",
        "unknown_field:max_candidates", "unknown_field:slider"
      ])
    }).pipe(over), 60_000)

  it.live("is said of a feedback and of its steps, each time that it is sent", () =>
    Effect.gen(function*() {
      const { body: { recommendation_id } } = yield* recommend()
      const said = { costUsd: 1, step_outcomes: [{ step_id: "s", outcome: "success", score: 1 }] }
      for (const _ of [1, 2]) {
        const { body } = yield* feedback(recommendation_id, said)
        assert.isTrue(body["accepted"])
        assert.deepStrictEqual(unknown(body), ["unknown_field:costUsd", "unknown_field:step_outcomes.0.score"])
      }
      assert.deepStrictEqual(unknown((yield* feedback(recommendation_id, { notes: "" })).body), [])
    }).pipe(over), 60_000)

  it.live("is quoted, cleaned and cut when its name is not one plain word", () =>
    Effect.gen(function*() {
      const names = ["", "a b", "\u001b[31m\nx", "__proto__", "y".repeat(100_000)]
      const { body } = yield* recommend(Object.fromEntries([
        ...names.filter((name) => name !== "__proto__").map((name) => [name, 1])
      ]))
      assert.deepStrictEqual(unknown(body).slice(0, 3), [
        "unknown_field:\"\"", "unknown_field:\"a b\"", "unknown_field:\"[31m x\""
      ])
      assert.isBelow(Math.max(...unknown(body).map((warning) => warning.length)), 100)
      const proto = yield* sendRequest("POST", "/v1/recommend", {
        key,
        init: {
          body: JSON.stringify({ task }).replace(/}$/, ",\"__proto__\":{\"task\":1}}"),
          headers: { "content-type": "application/json" }
        }
      })
      assert.deepStrictEqual(unknown(proto.body), ["unknown_field:__proto__"])
    }).pipe(over), 60_000)

  it.live("does not make a large body dear, nor one of twenty thousand unknown names", () =>
    Effect.gen(function*() {
      const many = Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`f${i}`, 0]))
      const { body, status } = yield* recommend(many)
      assert.strictEqual(status, 200)
      assert.lengthOf(unknown(body), 5)
    }).pipe(over), 60_000)
})

/** The detail of the 400 that a recommendation gets; null for another status. */
const refusalOf = (json: object, path = "/v1/recommend", type = "application/json") =>
  Effect.map(
    sendRequest("POST", path, {
      key,
      init: { body: JSON.stringify({ task, ...json }), headers: { "content-type": type } }
    }),
    ({ body, status }) => status === 400 ? String(body["detail"]) : null
  )

const all = "allowed_providers, candidate_models, excluded_models, max_cost_per_call, min_quality, max_latency_ms, "
  + "require_context_window, required_modalities, data_regions, require_prompt_caching, require_tools, "
  + "require_structured_output"

describe("A constraint that the schema does not have", () => {
  it.live("is refused with its name and the nearest known one, by both ways to decode", () =>
    Effect.gen(function*() {
      for (
        const [constraints, detail] of [
          [{ providers: ["openai"] }, "constraints.providers: Unknown constraint, did you mean allowed_providers?"],
          [{ candidate_model: 1 }, "constraints.candidate_model: Unknown constraint, did you mean candidate_models?"],
          [{ maxCostPerCall: 1 }, "constraints.maxCostPerCall: Unknown constraint, did you mean max_cost_per_call?"],
          [{ require_vision: true }, `constraints.require_vision: Unknown constraint, expected one of ${all}`],
          [
            { zones: ["eu"], min_quality: 0.5, latency: 1 },
            `constraints.zones: Unknown constraint, expected one of ${all}; `
            + "constraints.latency: Unknown constraint, did you mean max_latency_ms?"
          ]
        ] as const
      ) {
        for (const type of ["application/json", "application/json; charset=utf-8"]) {
          assert.strictEqual(yield* refusalOf({ constraints, other: 1 }, "/v1/recommend", type), detail)
        }
      }
      assert.isNull(yield* refusalOf({ constraints: Object.fromEntries(honoredConstraints.map((name) => [name])) }))
    }).pipe(over), 60_000)

  it.live("is refused among those of a workflow and of its steps", () =>
    Effect.gen(function*() {
      const steps = [{ step_id: "a", task }, { step_id: "b", task, constraints: { quality: 1 } }]
      assert.strictEqual(
        yield* refusalOf({ steps, constraints: { max_cost: 1 }, a: 1, b: 1, c: 1, d: 1, e: 1 }, "/v1/recommend/workflow"),
        "steps.1.constraints.quality: Unknown constraint, did you mean min_quality?; "
          + "constraints.max_cost: Unknown constraint, did you mean max_cost_per_call?"
      )
    }).pipe(over), 60_000)

  it.live("is refused in few words, whatever its name is and however many there are", () =>
    Effect.gen(function*() {
      const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`${"m".repeat(30)}${i}`, 1]))
      const detail = yield* refusalOf({ constraints: many })
      assert.match(detail ?? "", /; and more$/)
      assert.isBelow(detail?.length ?? Infinity, 2_000)
      for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "constraints", "", "0", "\u0000"]) {
        const body = `{"constraints":{${JSON.stringify(name)}:{"min_quality":1}}}`
        assert.include(yield* refusalOf(JSON.parse(body)), "Unknown constraint", name)
      }
      assert.isBelow((yield* refusalOf({ constraints: { ["y".repeat(500_000)]: 1 } }))?.length ?? Infinity, 500)
      // A Cyrillic letter stands for the Latin one.
      assert.strictEqual(
        yield* refusalOf({ constraints: { "m\u0430x_cost_per_call": 1 } }),
        "constraints.\"m\u0430x_cost_per_call\": Unknown constraint, did you mean max_cost_per_call?"
      )
    }).pipe(over), 60_000)
})

describe("A misspelt field of a request", () => {
  it.live("is refused with the right name by every endpoint with a body and both ways to decode", () =>
    Effect.gen(function*() {
      const right = yield* recommend()
      const report = { recommendation_id: right.body["recommendation_id"], outcome: "success" }
      for (
        const [path, json, detail] of [
          ["recommend", { task, constraint: {} }, "constraint: Unknown field, did you mean constraints?"],
          ["recommend", { task, Namespace: "a", other: 1 }, "Namespace: Unknown field, did you mean namespace?"],
          [
            "recommend/workflow", { steps: [{ step_id: "a", task, constrants: {} }], user_Id: "a" },
            "steps.0.constrants: Unknown field, did you mean constraints?; user_Id: Unknown field, did you mean user_id?"
          ],
          ["feedback", { ...report, qualityScore: 1 }, "qualityScore: Unknown field, did you mean quality_score?"],
          ["diagnose", { error_text: "x", name_space: "a" }, "name_space: Unknown field, did you mean namespace?"]
        ] as const
      ) {
        for (const type of ["application/json", "application/json; charset=utf-8"]) {
          const init = { body: JSON.stringify(json), headers: { "content-type": type } }
          const { body, status } = yield* sendRequest("POST", `/v1/${path}`, { key, init })
          assert.deepStrictEqual([status, body["detail"]], [400, detail])
        }
      }
      // Nothing was learned of the refused report.
      assert.deepStrictEqual((yield* feedback(report.recommendation_id, {})).body["accepted"], true)
    }).pipe(over), 60_000)

  it.live("is warned of inside the task, where nothing is limited by it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(unknown((yield* recommend({ task: { ...task, taskType: "code" } })).body), [
        "unknown_field:task.taskType"
      ])
    }).pipe(over), 60_000)

  it.live("is none where a diagnosis has another unknown one, which is ignored with a warning", () =>
    Effect.gen(function*() {
      const { body, status } = yield* sendRequest("POST", "/v1/diagnose", { key, json: { error_text: "x", model: "a" } })
      assert.deepStrictEqual([status, unknown(body)], [200, ["unknown_field:model"]])
    }).pipe(over), 60_000)
})

describe("A misspelt field", () => {
  it.effect("passes where answers cannot warn: a memory takes what a later version of the service sends", () =>
    Effect.gen(function*() {
      const body = { task: { task: "Sum a list" }, constraint: {} }
      const refusal = yield* Effect.flip(unknownFieldWarnings(RecommendRequest, RecommendResponse)(body))
      assert.strictEqual(refusal.detail, "constraint: Unknown field, did you mean constraints?")
      const taken = yield* unknownFieldWarnings(RecommendRequest, wire({ recorded: Schema.Boolean }))(body)
      assert.deepStrictEqual(taken({ warnings: [] }), { warnings: [] })
    }))
})

describe("A query parameter that a report does not have", () => {
  it.live("is refused with its name and the nearest known one", () =>
    Effect.gen(function*() {
      const id = "recommendation_id=01890a5d-ac96-774b-bcce-b302099a8057"
      for (const [path, detail] of [
        ["savings?day=7", "day: Unknown query parameter, did you mean days?"],
        ["savings?days=7&groupby=tag&Namespace=a", "groupby: Unknown query parameter, did you mean group_by?; "
          + "Namespace: Unknown query parameter, did you mean namespace?"],
        ["calibration?group_by=lane", "group_by: Unknown query parameter, expected one of namespace, days, dates, model, tag, user_id"],
        ["policy-value?__proto__=1", "__proto__: Unknown query parameter, expected one of"],
        ["dashboard?userId=ann", "userId: Unknown query parameter, did you mean user_id?"],
        [`decision?${id}&namespace=a`, "namespace: Unknown query parameter, expected one of recommendation_id"]
      ] as const) {
        const { body, status } = yield* sendRequest("GET", `/v1/${path}`, { key })
        assert.deepStrictEqual([status, body["title"]], [400, "Invalid request"], path)
        assert.include(body["detail"], detail)
      }
      assert.strictEqual((yield* sendRequest("GET", "/v1/savings?day=7")).status, 401)
      for (const path of ["savings?days=7&group_by=tag", "calibration?namespace=a", `decision?${id}`]) {
        assert.strictEqual((yield* sendRequest("GET", `/v1/${path}`, { key })).status, 200, path)
      }
    }).pipe(over), 60_000)
})
