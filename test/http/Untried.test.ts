import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ledgerOf, memoryOf } from "../support/fakes.ts"
import { engineService, key, recommend, teach } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

/* A much cheaper model that was hardly tried: in the answer, the dashboard's data and the strategies. */

const get = (path: string) => Effect.map(sendRequest("GET", path, { key }), ({ body, status }) => ({ ...body as any, status }))
const ask = (over: object = {}) => Effect.map(recommend(over), ({ body }) => body as any)
const without = { constraints: { excluded_models: ["cheap"] } }

it.live("an answer names it with what it could save, and a short one is silent where there is none", () =>
  Effect.gen(function*() {
    const { ranked, recommended_model: pick, untried_cheaper: untried } = yield* ask()
    assert.deepStrictEqual(Object.keys(untried), ["model_id", "trials", "could_save_usd_per_1000"])
    assert.strictEqual(untried.model_id, "cheap")
    const cheap = ranked.find(({ model_id }: any) => model_id === "cheap")
    assert.closeTo(untried.could_save_usd_per_1000, 1_000 * (pick.est_cost_usd - cheap.est_cost_usd), 1e-9)
    assert.isTrue(Number.isInteger(untried.trials) && untried.trials >= 1)
    assert.isNull((yield* ask({ constraints: { candidate_models: ["cheap"] } })).untried_cheaper)
    assert.deepStrictEqual((yield* ask({ detail: "short" })).untried_cheaper, untried)
    assert.notProperty(yield* ask({ detail: "short", constraints: { candidate_models: ["cheap"] } }), "untried_cheaper")
    assert.deepStrictEqual((yield* ask({ shadow: true })).untried_cheaper, untried)
    assert.isNull((yield* ask({ verification: { kind: "gate" } })).untried_cheaper)
  }).pipe(Effect.provide(engineService({}))), 60_000)

it.live("the dashboard lists it by kind of task, until the kind's newest decision names it no more", () =>
  Effect.gen(function*() {
    const { recommendation_id: id, recommended_model: pick, untried_cheaper: untried } = yield* ask()
    const [kind, ...others] = (yield* get("/v1/dashboard")).untried_cheaper
    assert.deepStrictEqual(others, [])
    assert.include(kind, {
      lane: "sextant:default", cluster: "code:medium", recommended_model_id: pick.model_id, recommendation_id: id, ...untried
    })
    yield* ask({ constraints: { candidate_models: ["cheap"] } })
    assert.deepStrictEqual((yield* get("/v1/dashboard")).untried_cheaper, [])
  }).pipe(Effect.provide(engineService({}))), 60_000)

it.live("the strategies of a lane that has learned end with it, and another lane's lack it", () =>
  Effect.gen(function*() {
    const strategies = (query = "") => Effect.map(get(`/v1/strategies${query}`), (body) => body.strategies as ReadonlyArray<any>)
    const types = (of: ReadonlyArray<any>) => of.map((each) => each.dominant_lesson_type)
    const { recommended_model: pick } = yield* ask()
    assert.deepStrictEqual(types(yield* strategies()), [])
    yield* teach(2, { quality_score: 0.95, chosen_model_id: pick.model_id }, { constraints: { candidate_models: [pick.model_id] } })
    yield* ask()
    const found = yield* strategies()
    assert.deepStrictEqual(types(found), ["success", "untried_cheaper"])
    assert.include(found[1].description, "For code:medium cheap is hardly tried and could save $")
    assert.include(found[1].description, "sextant audition --teach")
    assert.deepStrictEqual(types(yield* strategies("?max_strategies=1")), ["success"])
    assert.deepStrictEqual(types(yield* strategies("?lesson_types=success")), ["success"])
    assert.deepStrictEqual(types(yield* strategies("?lesson_types=untried_cheaper")), ["untried_cheaper"])
    assert.deepStrictEqual(yield* strategies("?namespace=elsewhere"), [])
    yield* ask(without)
    assert.deepStrictEqual(types(yield* strategies()), ["success"])
  }).pipe(Effect.provide(engineService({}))), 60_000)

it.live("strategies are answered without it while the ledger cannot be read", () =>
  Effect.gen(function*() {
    const { count, status } = yield* get("/v1/strategies")
    assert.deepStrictEqual([status, count], [200, 0])
  }).pipe(Effect.provide(engineService({
    ledger: ledgerOf(), memory: memoryOf({ strategies: () => Effect.succeed([]) })
  }))), 60_000)
