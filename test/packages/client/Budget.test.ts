// A budget that is used up: the one answer of the service after which the default does not run by itself.
import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import { BudgetExhausted, createSextant, isOutage } from "../../../packages/client/src/index.ts"
import { answerOf, modelOf, scripted } from "./support/Scripted.ts"

const options = { baseUrl: "http://sextant.test", apiKey: "k", models: ["a", "b", "c"], defaultModelId: "c", warn: false } as const

const detail = "0.50 of 0.50 USD of this day are used"
const exhausted = (retryAfter = "3600") =>
  new Response(
    JSON.stringify({ type: "budget_exhausted", title: "Budget exhausted", status: 429, detail }),
    { status: 429, headers: { "content-type": "application/problem+json", "retry-after": retryAfter } }
  )
const down = (): never => {
  throw new TypeError("fetch failed")
}

/** A client whose questions are answered as the test says at the time. */
const clientOf = (over: object = {}, answer: () => object = exhausted) => {
  let now = answer
  const script = scripted(() => now())
  const defaults: Array<string> = []
  const sextant = createSextant({ ...options, fetch: script.fetch, onDefault: (reason) => void defaults.push(reason), ...over })
  return {
    ...script,
    sextant,
    defaults,
    set: (next: () => object) => {
      now = next
    },
    /** What a question rejects with. */
    problem: async (over: object = {}): Promise<BudgetExhausted> => {
      const error: unknown = await sextant.choose("x", over).then(() => null, (one: unknown) => one)
      if (!(error instanceof BudgetExhausted)) throw new Error(`not exhausted: ${error}`)
      return error
    }
  }
}

describe("an exhausted budget", () => {
  it("rejects the question with an error that names it, and no default runs", async () => {
    const { bodies, defaults, problem } = clientOf()
    const error = await problem()
    assert.deepInclude({ ...error }, { name: "BudgetExhausted", detail })
    assert.approximately(error.retryAfterMs, 3_600_000, 60_000)
    assert.include(error.message, detail)
    assert.isFalse(isOutage(error))
    assert.deepStrictEqual([bodies().length, defaults], [1, []])
  })

  it("pauses nothing: each question is asked, and the first that is answered runs its pick", async () => {
    const { hits, problem, set, sextant } = clientOf()
    for (let i = 0; i < 10; i++) await problem()
    assert.strictEqual(hits(), 10)
    set(() => answerOf("a"))
    assert.deepInclude(await sextant.choose("x"), { modelId: "a", source: "service" })
    set(down)
    assert.deepInclude(await sextant.choose("x"), { modelId: "c", reason: "unreachable" })
  })

  it("stays the reason for a question that cannot be read, so that no default runs for it", async () => {
    const { defaults, problem, sextant } = clientOf()
    await problem()
    const error: unknown = await sextant.choose(null as never).then(() => null, (one: unknown) => one)
    assert.instanceOf(error, BudgetExhausted)
    assert.deepStrictEqual(defaults, [])
  })

  it("is not forgotten while the service fails, pauses or limits, until its period ends", async () => {
    const { defaults, hits, problem, set } = clientOf()
    const first = await problem()
    for (
      const failure of [
        down, () => new Response("{}", { status: 503 }), () => new Response("<html>"),
        () => new Response("{}", { status: 429, headers: { "retry-after": "30" } })
      ]
    ) {
      set(failure)
      const { detail: said, retryAfterMs } = await problem()
      assert.strictEqual(said, detail)
      assert.isAtMost(retryAfterMs, first.retryAfterMs)
    }
    // The client is paused by now, and the service is not asked.
    const before = hits()
    for (let i = 0; i < 3; i++) await problem()
    assert.strictEqual(hits(), before)
    assert.isEmpty(defaults)
  })

  it("leaves a question that its caller aborts as it is", async () => {
    const { problem, sextant } = clientOf()
    await problem()
    assert.deepInclude(await sextant.choose("x", { signal: AbortSignal.abort() }), { modelId: "c", reason: "aborted" })
  })

  it("is over when its period is", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { problem, set, sextant } = clientOf({}, () => exhausted("86400"))
    await problem()
    set(down)
    vi.advanceTimersByTime(86_399_000)
    await problem()
    vi.advanceTimersByTime(1_000)
    assert.deepInclude(await sextant.choose("x"), { modelId: "c", reason: "unreachable" })
  })

  it("changes nothing in shadow, where the default runs anyway", async () => {
    let calls = 0
    const { defaults, sextant } = clientOf({ shadow: true, onBudgetExhausted: () => void calls++ })
    const choice = await sextant.choose("x")
    assert.deepInclude(choice, { modelId: "c", source: "default", reason: "budget_exhausted", detail })
    assert.deepStrictEqual([calls, defaults], [0, ["budget_exhausted"]])
  })

  it("is none where a limit answers 429", async () => {
    const { sextant } = clientOf({}, () =>
      Response.json({ type: "about:blank", title: "Too many requests", detail: "budget_exhausted" }, { status: 429 }))
    assert.deepInclude(await sextant.choose("x"), { modelId: "c", reason: "refused" })
    assert.deepInclude(await sextant.choose("x"), { modelId: "c", reason: "paused" })
  })
})

describe("onBudgetExhausted", () => {
  const outage = Object.assign(new Error("out"), { status: 503 })

  for (
    const [name, yielded] of [["a model", "b"], ["a model later", Promise.resolve("b")]] as const
  ) {
    it(`may yield ${name}, which runs alone: the default is not its fallback`, async () => {
      const problems: Array<BudgetExhausted> = []
      const { bodies, defaults, sextant } = clientOf({
        onBudgetExhausted: (problem: BudgetExhausted) => {
          problems.push(problem)
          return yielded
        }
      })
      const choice = await sextant.choose("x")
      assert.deepInclude(choice, { modelId: "b", source: "default", reason: "budget_exhausted", detail, recommendationId: null })
      assert.strictEqual(await choice.run((model) => model), "b")
      const ran: Array<string> = []
      const error = await choice.run((model) => {
        ran.push(model)
        throw outage
      }).catch((one) => one)
      assert.deepStrictEqual([error, ran, choice.next()], [outage, ["b"], null])
      await sextant.flush()
      assert.deepStrictEqual([problems.length, bodies().length, defaults], [1, 1, []])
      assert.strictEqual(problems[0]?.detail, detail)
    })
  }

  for (const [name, yielded] of [["nothing", undefined], ["null", null], ["nothing later", Promise.resolve()]] as const) {
    it(`may yield ${name}: the default runs, visibly and alone`, async () => {
      const { defaults, sextant } = clientOf({ onBudgetExhausted: () => yielded })
      const choice = await sextant.choose("x")
      assert.deepInclude(choice, { modelId: "c", source: "default", reason: "budget_exhausted", detail })
      await Promise.resolve()
      assert.deepStrictEqual([defaults, choice.next()], [["budget_exhausted"], null])
    })
  }

  it("may throw an error of its own, also later, and the question rejects with it", async () => {
    const own = new Error("no money")
    const handlers = [() => { throw own }, () => Promise.reject(own)]
    for (const onBudgetExhausted of handlers) {
      const { sextant } = clientOf({ onBudgetExhausted })
      assert.strictEqual(await sextant.choose("x").catch((error: unknown) => error), own)
    }
  })

  it("that yields what is none of the models lets nothing run", async () => {
    for (const yielded of ["z", 5, {}, ""]) {
      const { defaults, problem } = clientOf({ onBudgetExhausted: () => yielded })
      await problem()
      assert.isEmpty(defaults)
    }
  })

  it("has types: it yields one of the models, or nothing", () => {
    createSextant({ ...options, onBudgetExhausted: () => "a" })
    createSextant({ ...options, onBudgetExhausted: async ({ retryAfterMs }) => retryAfterMs > 1_000 ? "a" : null })
    createSextant({ ...options, onBudgetExhausted: (problem) => { throw problem } })
    // @ts-expect-error it is none of the models
    createSextant({ ...options, onBudgetExhausted: () => "z" })
  })
})

describe("a run that began before the budget was exhausted", () => {
  it("goes on as it would", async () => {
    const { set, sextant } = clientOf({}, () => answerOf("a", { ranked: [modelOf("a"), modelOf("b")] }))
    const choice = await sextant.choose("x")
    set(exhausted)
    await sextant.choose("x").catch(() => {})
    assert.deepStrictEqual([choice.next(), choice.next()], ["b", "c"])
  })
})
