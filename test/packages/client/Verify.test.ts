// A task that is run until a result passes: which models run, what is told and asked, and why it ends.
import { assert, describe, it } from "@effect/vitest"
import { BudgetExhausted, createSextant } from "../../../packages/client/src/index.ts"
import { runVerified, type VerifyOptions } from "../../../packages/client/src/verify/index.ts"
import { answerOf, modelOf, scripted } from "./support/Scripted.ts"

const models = ["a", "b", "c", "d"] as const
type Id = typeof models[number]

const priced = (id: string) => ({ ...modelOf(id), est_cost_usd: 0.1 })

/** An answer whose plan names these models in this order; the first is recommended. */
const planOf = (ids: ReadonlyArray<string>, over: object = {}) => {
  const [first = "d"] = ids
  return answerOf(first, {
    recommendation_id: `r-${ids.join("")}`, recommended_model: priced(first), ranked: models.map(priced),
    plan: { attempts: ids.map(priced), expected_success: 0.5, expected_cost_usd: 0.1, stop_reason: "threshold_reached" },
    ...over
  })
}

const down = (): never => {
  throw new TypeError("fetch failed")
}
const outage = Object.assign(new Error("provider"), { status: 503 })

/** Runs a task; `answers` are the service's in turn, and the models in `passing` make results that pass. */
const run = async (
  answers: ReadonlyArray<() => object>,
  passing: ReadonlyArray<string>,
  { over = {}, work, ...options }: Partial<VerifyOptions<Id, string>> & {
    readonly over?: object
    readonly work?: (modelId: Id) => string
  } = {}
) => {
  let turn = 0
  const script = scripted(() => (answers[turn++] ?? down)())
  const sextant = createSextant({ baseUrl: "http://h", apiKey: "k", models, defaultModelId: "d", fetch: script.fetch, warn: false, ...over })
  const ran: Array<string> = []
  const seen: Array<ReadonlyArray<string>> = []
  const done = await runVerified(sextant, "x", (modelId, _call, attempts) => {
    ran.push(modelId)
    seen.push(attempts.map(({ result }) => result))
    return work ? work(modelId) : `by ${modelId}`
  }, { verify: (_, modelId) => passing.includes(modelId), ...options }).catch((error: unknown) => error)
  await sextant.flush()
  const bodies = script.bodies()
  return {
    done: done as Exclude<Awaited<ReturnType<typeof runVerified<Id, string>>>, Error>,
    ran,
    seen,
    asked: bodies.filter(({ recommendation_id }) => recommendation_id === undefined),
    verdicts: bodies.filter(({ quality_score }) => quality_score !== undefined)
      .map((body) => [body.recommendation_id, body.chosen_model_id, body.outcome, body.evidence_source]),
    sent: bodies
  }
}

describe("a run whose results are verified", () => {
  it("is one attempt where the first result passes, which is asked for with a gate", async () => {
    const { asked, done, ran, verdicts } = await run([() => planOf(["a", "b"])], ["a"])
    assert.deepStrictEqual(ran, ["a"])
    assert.isTrue(done.isVerified)
    assert.deepStrictEqual(done.best, {
      modelId: "a", result: "by a", quality: 1, costUsd: 0.1, isEstimate: true, recommendationId: "r-ab"
    })
    assert.deepInclude(done, { stop: "verified", costUsd: 0.1, error: null })
    assert.lengthOf(asked, 1)
    assert.deepInclude(asked[0], { verification: { kind: "gate" }, attempts: [], max_attempts: 3 })
    assert.deepStrictEqual(verdicts, [["r-ab", "a", "success", "gate"]])
  })

  it("reports a failure, and asks the plan again with what was tried and what is left", async () => {
    const { asked, done, ran, seen, sent, verdicts } = await run(
      [() => planOf(["a", "b"]), () => planOf(["c", "b"])], ["c"], { maxAttempts: 4, maxTotalCostUsd: 1, usage: () => ({ costUsd: 0.25 }) }
    )
    assert.deepStrictEqual(ran, ["a", "c"])
    assert.deepStrictEqual(seen, [[], ["by a"]])
    assert.deepStrictEqual(verdicts, [["r-ab", "a", "failure", "gate"], ["r-cb", "c", "success", "gate"]])
    assert.deepInclude(asked[0], { max_attempts: 4, max_total_cost_usd: 1 })
    assert.deepInclude(asked[1], {
      attempts: [{ recommendation_id: "r-ab", model_id: "a", outcome: "failure", evidence_source: "gate" }],
      max_attempts: 3, max_total_cost_usd: 0.75
    })
    assert.deepInclude(done, { isVerified: true, stop: "verified", costUsd: 0.5 })
    assert.isFalse(done.best?.isEstimate)
    // The verdict has arrived before the question that counts on it.
    assert.isBelow(
      sent.findIndex(({ outcome }) => outcome === "failure"), sent.findLastIndex(({ verification }) => verification !== undefined)
    )
  })

  it("is one task in every question and report: of the caller's name, or of a made one", async () => {
    const tasksOf = async (options: Partial<VerifyOptions<Id, string>>) => {
      const { sent } = await run([() => planOf(["a", "b"]), () => planOf(["b"])], ["b"], { usage: () => ({}), ...options })
      assert.lengthOf(sent, 6)
      return [...new Set(sent.map(({ task_id }) => task_id))]
    }
    const [made, ...others] = await tasksOf({})
    assert.match(String(made), /^[0-9a-f-]{36}$/)
    assert.isEmpty(others)
    assert.notDeepEqual(await tasksOf({}), [made])
    assert.deepStrictEqual(await tasksOf({ taskId: "t-1" }), ["t-1"])
    assert.deepStrictEqual(await tasksOf({ request: { task_id: "t-2" } }), ["t-2"])
    assert.deepStrictEqual(await tasksOf({ request: { attempts: [{ model_id: "c", outcome: "failure" }] } }), [null])
  })

  it("goes on by the plan in hand while the service is out, and reports on its own decision", async () => {
    const { done, ran, verdicts } = await run([() => planOf(["a", "c", "b"])], ["b"])
    assert.deepStrictEqual(ran, ["a", "c", "b"])
    assert.isTrue(done.isVerified)
    assert.deepStrictEqual(verdicts.map(([id, model, outcome]) => `${id} ${model} ${outcome}`), [
      "r-acb a failure", "r-acb c failure", "r-acb b success"
    ])
  })

  it("tells a service that is back of every attempt at the plan in hand", async () => {
    const { asked, ran } = await run([() => planOf(["a", "c"]), down, () => planOf(["b"])], ["b"])
    assert.deepStrictEqual(ran, ["a", "c", "b"])
    assert.deepStrictEqual(asked[2]?.attempts?.map(({ model_id }) => model_id), ["a", "c"])
  })

  it("goes on by the client's own chain where the answer has no plan, none twice", async () => {
    const answer = () => planOf(["a"], { plan: undefined, fallback_model: priced("c") })
    assert.deepStrictEqual((await run([answer], [], { maxAttempts: 9 })).ran, ["a", "c", "b", "d"])
    const { done, ran } = await run([answer, answer], [], { maxAttempts: 9 })
    // Asked again, an older service names a model that failed: the choice is its own.
    assert.deepStrictEqual(ran, ["a", "a", "c", "b", "d"])
    assert.strictEqual(done.stop, "no_model")
  })

  it("runs the default alone without any answer", async () => {
    const { done, ran, verdicts } = await run([], [])
    assert.deepStrictEqual(ran, ["d"])
    assert.deepInclude(done, { isVerified: false, stop: "no_model", costUsd: null })
    assert.strictEqual(done.best?.result, "by d")
    assert.isEmpty(verdicts)
  })

  it("is not verified where none passes, and yields the best result, the newest among equals", async () => {
    const all = () => planOf(["a", "b", "c"])
    const scored = await run([all], [], { verify: (_, id) => ({ a: 0.3, b: 0.7, c: 0.1, d: 0 })[id] })
    assert.deepInclude(scored.done, { isVerified: false, stop: "max_attempts", costUsd: 0.3 })
    assert.strictEqual(scored.done.best?.modelId, "b")
    assert.deepStrictEqual(scored.verdicts.map(([, , outcome]) => outcome), ["failure", "partial", "failure"])
    assert.strictEqual((await run([all], [])).done.best?.modelId, "c")
  })

  it("takes the source of its verdicts, and the cost of a check, from the request", async () => {
    const verification = { kind: "judge", cost_usd: 0.05 } as const
    const { asked, done, verdicts } = await run([() => planOf(["a"])], [], { verify: () => 0.9, request: { verification, success_value_usd: 2 } })
    assert.deepInclude(asked[0], { verification, success_value_usd: 2 })
    assert.deepStrictEqual(verdicts, [["r-a", "a", "success", "judge"]])
    assert.strictEqual(done.costUsd, 0.15)
  })
})

describe("an outage in such a run", () => {
  const out = (...ids: ReadonlyArray<string>) => (id: string) => {
    if (ids.includes(id)) throw outage
    return `by ${id}`
  }

  it("is no attempt: the next model of the plan runs, and no verdict is on the one that was out", async () => {
    const { done, ran, sent, verdicts } = await run([() => planOf(["a", "b"])], ["b"], { maxAttempts: 1, work: out("a") })
    assert.deepStrictEqual(ran, ["a", "b"])
    assert.lengthOf(done.attempts, 1)
    assert.deepStrictEqual(verdicts, [["r-ab", "b", "success", "gate"]])
    assert.deepStrictEqual(
      sent.filter(({ error_cause }) => error_cause === "infra").map(({ chosen_model_id }) => chosen_model_id), ["a"]
    )
  })

  it("of every model is the caller's error before any result, and ends with the best after one", async () => {
    assert.strictEqual((await run([() => planOf(["a"])], [], { work: out(...models) })).done as unknown, outage)
    const { done } = await run([() => planOf(["a", "b"])], [], { work: out("b", "c", "d") })
    assert.deepInclude(done, { isVerified: false, stop: "outage", error: outage })
    assert.strictEqual(done.best?.modelId, "a")
  })

  it("never runs a model again that failed its check", async () => {
    const { ran } = await run([() => planOf(["a"]), () => planOf(["b"])], [], { maxAttempts: 2, work: out("b", "c") })
    assert.deepStrictEqual(ran, ["a", "b", "c", "d"])
  })

  it("is no outage where the work itself fails: its error comes unchanged and unreported", async () => {
    const mistake = new RangeError("mine")
    const { done, ran, sent } = await run([() => planOf(["a", "b"])], [], { work: () => { throw mistake } })
    assert.strictEqual(done as unknown, mistake)
    assert.deepStrictEqual(ran, ["a"])
    assert.lengthOf(sent, 1)
  })
})

describe("the limits of such a run", () => {
  it("end it after so many attempts: three by default, and at least one", async () => {
    const all = () => planOf(["a", "b", "c", "d"])
    for (const [given, count] of [[undefined, 3], [1, 1], [2.9, 2], [0, 3], [NaN, 3], [9, 4]] as const) {
      assert.lengthOf((await run([all], [], { maxAttempts: given })).ran, count, `${given}`)
    }
  })

  it("end it before an attempt that would cost too much", async () => {
    const all = () => planOf(["a", "b", "c", "d"])
    for (const [given, count] of [[0.3, 3], [0.29, 2], [0.1, 1], [0, 1], [NaN, 1]] as const) {
      const { done, ran } = await run([all], [], { maxTotalCostUsd: given, maxAttempts: 4 })
      assert.lengthOf(ran, count, `${given}`)
      assert.strictEqual(done.stop, "max_total_cost")
    }
  })

  it("end it after an attempt whose cost nobody knows, where there is a limit of cost", async () => {
    const unknown = () => planOf(["a", "b"], { recommended_model: modelOf("a"), ranked: models.map((id) => modelOf(id)) })
    assert.deepInclude((await run([unknown], [], { maxTotalCostUsd: 1 })).done, { stop: "max_total_cost", costUsd: null })
    assert.deepStrictEqual((await run([unknown], [])).ran, ["a", "b", "c"])
  })

  it("let nothing run where the plan is empty, and say why", async () => {
    for (const stop_reason of ["not_worth_it", "max_total_cost"] as const) {
      const empty = () => planOf([], { plan: { attempts: [], stop_reason } })
      assert.deepInclude((await run([empty], [])).done, { isVerified: false, best: null, stop: stop_reason, costUsd: 0 })
      const { done, ran } = await run([() => planOf(["a", "b"]), empty], [])
      assert.deepStrictEqual(ran, ["a"])
      assert.strictEqual(done.stop, stop_reason)
    }
  })

  it("keep a plan in hand that wants no more from going on by the chain", async () => {
    const { done, ran } = await run([() => planOf(["a"], { plan: { attempts: [priced("a")], stop_reason: "not_worth_it" } })], [])
    assert.deepStrictEqual(ran, ["a"])
    assert.strictEqual(done.stop, "not_worth_it")
  })
})

describe("a check that gives no verdict", () => {
  const failure = new Error("no tests")
  for (
    const [name, verify, error] of [
      ["throws", () => { throw failure }, failure],
      ["rejects", () => Promise.reject(failure), failure],
      ["yields nothing", () => undefined, null],
      ["yields null", () => null, null],
      ["yields a number above 1", () => 2, null],
      ["yields NaN", () => NaN, null],
      ["yields a text", () => "yes" as unknown as boolean, null]
    ] as const
  ) {
    it(`because it ${name} reports none, ends the run, and leaves the result`, async () => {
      const { done, ran, verdicts } = await run([() => planOf(["a", "b"])], [], { verify })
      assert.deepStrictEqual(ran, ["a"])
      assert.isEmpty(verdicts)
      assert.deepInclude(done, { isVerified: false, stop: "no_verdict", error })
      assert.deepInclude(done.best, { result: "by a", quality: null })
    })
  }
})

describe("a budget that is used up in such a run", () => {
  const exhausted = () => Response.json({ type: "budget_exhausted", detail: "all is spent" }, { status: 429 })

  it("throws before the first attempt, and later ends the run with what there is", async () => {
    const first = await run([exhausted], [])
    assert.instanceOf(first.done, BudgetExhausted)
    assert.isEmpty(first.ran)
    const { done, ran } = await run([() => planOf(["a", "b"]), exhausted], [])
    assert.deepStrictEqual(ran, ["a"])
    assert.deepInclude(done, { isVerified: false, stop: "budget_exhausted" })
    assert.instanceOf(done.error, BudgetExhausted)
  })

  it("lets the model run that the caller names for it, once", async () => {
    const over = { onBudgetExhausted: () => "c" }
    const { done, ran } = await run([() => planOf(["a", "b"]), exhausted, exhausted], [], { over })
    assert.deepStrictEqual(ran, ["a", "c"])
    assert.strictEqual(done.stop, "budget_exhausted")
  })
})

describe("such a run", () => {
  it("ends after an abort with what there is, and asks nothing more", async () => {
    const controller = new AbortController()
    const { asked, done } = await run([() => planOf(["a", "b"])], [], {
      signal: controller.signal,
      verify: () => {
        controller.abort()
        return false
      }
    })
    assert.lengthOf(asked, 1)
    assert.deepInclude(done, { isVerified: false, stop: "aborted" })
    assert.strictEqual(done.best?.modelId, "a")
  })

  it("is one of the default in shadow", async () => {
    const { done, ran } = await run([() => planOf(["a", "b"])], [], { over: { shadow: true } })
    assert.deepStrictEqual(ran, ["d"])
    assert.strictEqual(done.stop, "shadow")
  })

  it("passes a model over that is not the client's", async () => {
    assert.deepStrictEqual((await run([() => planOf(["z", "a", "y", "b"])], [])).ran, ["d", "a", "b"])
  })

  it("bears any plan that an answer may have", async () => {
    for (const plan of [null, 1, "x", [], {}, { attempts: 1 }, { attempts: [null] }, { attempts: [{}] }, { attempts: [{ model_id: 5 }] }]) {
      const { done, ran } = await run([() => planOf(["a"], { plan, ranked: [modelOf("a")] })], ["d"])
      assert.strictEqual(ran[0], "a", JSON.stringify(plan))
      assert.isTrue(done.isVerified, JSON.stringify(plan))
    }
  })
})
