// An attack on attempts and plans over HTTP, on the whole service with its database: hostile bodies, ids of others,
// ids named in circles, outcomes that contradict each other, one model sixteen times, and checks that tell nothing.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { type Draw, drawOf } from "../fuzz/draw.ts"
import { hostileText, mutated } from "../fuzz/mutations.ts"
import { dataDirectory } from "../support/Databases.ts"
import { acmeKey, type Service, startService, umbrellaKey } from "../support/Service.ts"

/** A parsed answer, of whose fields a test names those that it reads. */
type Json = Record<string, any>

const models = ["gpt-5-mini", "gpt-5", "claude-sonnet-4-5"] as const
const unknownId = "0190aaaa-0000-7000-8000-000000000001"
const gate = { kind: "gate" }

const scope = Effect.runSync(Scope.make())
let service: Service
beforeAll(async () => {
  const data = await Effect.runPromise(Scope.provide(dataDirectory, scope))
  service = await Effect.runPromise(Scope.provide(startService({ SEXTANT_DATA_DIR: data }), scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** Sends the text of a body, and yields status and answer, which is JSON whatever was sent. */
const send = async (path: string, body: string | null, key = acmeKey) => {
  const response = await fetch(`${service.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === null ? {} : { method: "POST", body })
  })
  const type = response.headers.get("content-type") ?? ""
  return { status: response.status, type, answer: await response.json() as Json }
}

const bodyOf = (fields: object) => ({
  task: { task: "Make the failing test of the cart pass", task_type: "code" }, constraints: { candidate_models: models }, ...fields
})
const ask = async (fields: object, key = acmeKey): Promise<Json> => {
  const { answer, status } = await send("/v1/recommend", JSON.stringify(bodyOf(fields)), key)
  assert.strictEqual(status, 200, JSON.stringify(answer))
  return answer
}
const report = async (id: string, outcome: string, more: object = {}): Promise<Json> => {
  const body = { recommendation_id: id, outcome, evidence_source: "gate", ...more }
  return (await send("/v1/feedback", JSON.stringify(body))).answer
}
const predictionsOf = ({ ranked }: Json): Json =>
  Object.fromEntries(ranked.map((one: Json) => [one["model_id"], one["predicted_success"]]))
const failed = (modelId: string, over: object = {}) =>
  ({ model_id: modelId, outcome: "failure", evidence_source: "gate", ...over })

/** Whether every probability of an answer is one, and its plan within its limits. */
const assertSound = ({ plan, ranked }: Json, maxAttempts: number) => {
  for (const { predicted_success: success } of [...ranked, ...plan?.attempts ?? []]) assert.isTrue(success >= 0 && success <= 1)
  if (!plan) return
  assert.isAtMost(plan.attempts.length, maxAttempts)
  assert.isTrue(plan.expected_success >= 0 && plan.expected_success <= 1 && plan.expected_cost_usd >= 0)
}

/** A body that means something, if not always what it says. */
const drawnBody = (draw: Draw, ids: ReadonlyArray<string>) => {
  const maybe = <A>(value: A): A | null | undefined => draw.chance(0.7) ? value : draw.chance(0.5) ? null : undefined
  return bodyOf({
    attempts: Array.from({ length: draw.of([0, 1, 1, 2, 3, 3, 16, 17]) }, () => ({
      recommendation_id: maybe(draw.chance(0.9) ? draw.of(ids) : hostileText(draw)),
      model_id: maybe(draw.chance(0.8) ? draw.of(models) : hostileText(draw)),
      effort: maybe(draw.of(["low", "high", "no such level"])),
      outcome: maybe(draw.of(["success", "failure", "partial"])),
      evidence_source: maybe(draw.of(["gate", "judge", "human", "self_check", "no_result", "none"])),
      error_cause: maybe(draw.of(["infra", "model"]))
    })),
    verification: maybe({
      kind: draw.of(["gate", "judge", "human", "self_check", "none"]), pass_wrong: maybe(draw.of([0, 0.02, 0.5, 1])),
      fail_right: maybe(draw.of([0, 0.1, 0.5])), cost_usd: maybe(draw.of([0, 0.01, 1e6]))
    }),
    task_id: maybe(draw.of(["one", "two"])), success_value_usd: maybe(draw.of([0, 1, 1e6])),
    max_attempts: maybe(draw.of([1, 4])), max_total_cost_usd: maybe(draw.of([0, 0.001, 1e6]))
  })
}

describe("attempts", () => {
  it("of four hundred hostile bodies are answered, or refused with a reason, without failures", async () => {
    const [ours, others] = [await ask({ verification: gate }), await ask({ verification: gate }, umbrellaKey)]
    const ids = [ours["recommendation_id"], others["recommendation_id"], unknownId]
    const counts = { answered: 0, refused: 0 }
    const indices = Array.from({ length: 400 }, (_, i) => i).values()
    await Promise.all(Array.from({ length: 8 }, async () => {
      for (const i of indices) {
        const draw = drawOf(28, i)
        const body = drawnBody(draw, ids)
        const sent = draw.chance(0.5) ? JSON.stringify(body) : mutated(JSON.parse(JSON.stringify(body)), draw).text
        const { answer, status, type } = await send("/v1/recommend", sent)
        if (status === 200) {
          counts.answered++
          assertSound(answer, 4)
        } else {
          counts.refused++
          assert.isTrue(status >= 400 && status < 500, `${status} for ${i}: ${sent.slice(0, 500)}`)
          assert.include(type, "application/problem+json")
          assert.isAbove(String(answer["detail"]).length, 5)
        }
      }
    }))
    assert.isAtLeast(counts.answered, 80)
    assert.isAtLeast(counts.refused, 80)
    assert.strictEqual((await report(ours["recommendation_id"], "failure"))["accepted"], true)
    assert.strictEqual((await send("/v1/savings", null)).status, 200)
  })

  it("that are another account's are unknown ones, and tell nothing of it", async () => {
    const { recommendation_id: id } = await ask({ verification: gate })
    await report(id, "failure")
    const answers = await Promise.all([id, unknownId].map((one) =>
      ask({ namespace: "theirs", verification: gate, attempts: [{ recommendation_id: one }] }, umbrellaKey)))
    const [foreign, unknown] = answers.map(({ attempt_number, is_retry, plan, warnings, ...answer }) =>
      ({ attempt_number, is_retry, plan, warnings, predictions: predictionsOf(answer) }))
    assert.deepStrictEqual(foreign, unknown)
    assert.include(foreign?.warnings, "unknown_attempts:1")
  })

  it("that name each other in a circle are one task, and each counts once", async () => {
    const namespace = "circle"
    const ids: Array<string> = []
    for (let i = 0; i < 3; i++) {
      const named = [...ids, ...ids].reverse().map((recommendation_id) => ({ recommendation_id }))
      const answer = await ask({ namespace, verification: gate, attempts: named })
      assert.strictEqual(answer["attempt_number"], i + 1)
      ids.push(answer["recommendation_id"])
      assert.strictEqual((await report(answer["recommendation_id"], "failure"))["accepted"], true)
    }
    const around = [...ids, ...ids, ...ids].map((recommendation_id) => ({ recommendation_id }))
    const last = await ask({ namespace, verification: gate, attempts: around })
    assert.strictEqual(last["attempt_number"], 4)
    const once = await ask({ namespace, verification: gate, attempts: ids.map((recommendation_id) => ({ recommendation_id })) })
    assert.deepStrictEqual(predictionsOf(last), predictionsOf(once))
    await report(last["recommendation_id"], "success")
    const { answer: { tasks } } = await send(`/v1/savings?namespace=${namespace}`, null)
    assert.deepInclude(tasks, { n: 1, n_finished: 1, attempts_per_task: 4 })
  })

  it("that contradict a report are what was reported, and those of one id are one attempt", async () => {
    const namespace = "contradiction"
    const { recommendation_id, recommended_model: { model_id } } = await ask({ namespace, verification: gate })
    await report(recommendation_id, "failure")
    const asked = async (...said: ReadonlyArray<object>) =>
      predictionsOf(await ask({ namespace, verification: gate, attempts: said.map((one) => ({ recommendation_id, ...one })) }))
    const reported = await asked({})
    for (const said of [[{ outcome: "success" }], [{ outcome: "success", evidence_source: "human" }, { outcome: "failure" }], [{ error_cause: "infra" }]]) {
      assert.deepStrictEqual(await asked(...said), reported)
    }
    const outranked = await report(recommendation_id, "success", { evidence_source: "human", idempotency_key: "outranked" })
    assert.include(outranked["warnings"], "outcome_outranked")
    assert.deepStrictEqual(await asked({ outcome: "success" }), reported)
    await report(recommendation_id, "success", { idempotency_key: "corrected" })
    assert.isAbove((await asked({ outcome: "failure" }))[model_id], reported[model_id])
  })

  it("at one model are sixteen at most, and no more of them raises a prediction", async () => {
    const after = async (n: number) =>
      predictionsOf(await ask({ namespace: "sixteen", verification: gate, attempts: Array.from({ length: n }, () => failed("gpt-5")) }))
    const [none, one, many] = [await after(0), await after(1), await after(16)]
    for (const id of models) {
      assert.isBelow(one[id], none[id])
      assert.isAtMost(many[id], one[id])
      assert.isAbove(many[id], 0)
    }
    const { answer, status } = await send("/v1/recommend", JSON.stringify(bodyOf({ attempts: Array.from({ length: 17 }, () => failed("gpt-5")) })))
    assert.strictEqual(status, 400)
    assert.include(answer["detail"], "attempts")
  })
})

describe("a check", () => {
  const asked = (verification: object, attempts: ReadonlyArray<object> = []) =>
    ask({ namespace: "checks", verification: { kind: "gate", ...verification }, attempts, success_value_usd: 1, max_attempts: 4 })

  it("that always fails, or errs more often than it is right, is refused with the field's name", async () => {
    for (const [errors, field] of [[{ pass_wrong: 0, fail_right: 1 }, "fail_right"], [{ pass_wrong: 1, fail_right: 1 }, "fail_right"],
      [{ pass_wrong: 1, fail_right: 0.01 }, "pass_wrong"], [{ pass_wrong: 0.6, fail_right: 0.5 }, "pass_wrong"],
      [{ pass_wrong: 1.01 }, "pass_wrong"], [{ pass_wrong: -0.1, kind: "self_check" }, "pass_wrong"]] as const) {
      const { answer, status } = await send("/v1/recommend", JSON.stringify(bodyOf({ verification: { kind: "gate", ...errors } })))
      assert.strictEqual(status, 400)
      assert.include(answer["detail"], field)
    }
  })

  it("that errs as often as it is right changes no other model's prediction when it fails", async () => {
    for (const blind of [{ pass_wrong: 0.5, fail_right: 0.5 }, { pass_wrong: 0.9, fail_right: 0.1 }]) {
      const [fresh, after] = [await asked(blind), await asked(blind, Array.from({ length: 16 }, () => failed("gpt-5")))]
      const [before, now] = [predictionsOf(fresh), predictionsOf(after)]
      for (const id of ["gpt-5-mini", "claude-sonnet-4-5"]) assert.closeTo(now[id], before[id], 0.000_001)
      assert.isBelow(now["gpt-5"], before["gpt-5"])
      for (const answer of [fresh, after]) assertSound(answer, 4)
    }
  })

  it("of the agent's own makes a failure count for little: what a gate says counts for much more", async () => {
    const by = async (kind: string) => {
      const [fresh, after] = [await asked({ kind }), await asked({ kind }, [failed("gpt-5")].map((each) => ({ ...each, evidence_source: kind })))]
      return (predictionsOf(fresh)["claude-sonnet-4-5"] ?? 0) - (predictionsOf(after)["claude-sonnet-4-5"] ?? 0)
    }
    const [gate, own] = [await by("gate"), await by("self_check")]
    assert.isAbove(own, 0)
    assert.isBelow(own, gate / 3)
  })

  it("at its limits leaves a sound plan, whatever has failed before", async () => {
    for (const errors of [{ pass_wrong: 0, fail_right: 0 }, { pass_wrong: 0, fail_right: 0.5 }, { pass_wrong: 0.5, fail_right: 0 },
      { pass_wrong: 1 }, { pass_wrong: 1, fail_right: 0 }, { fail_right: 0.5, kind: "self_check" }, { kind: "self_check" }]) {
      for (const n of [0, 1, 16]) assertSound(await asked(errors, Array.from({ length: n }, (_, i) => failed(models[i % 3] ?? ""))), 4)
    }
  })
})
