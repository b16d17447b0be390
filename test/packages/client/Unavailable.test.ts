// Models that are not to be had, or refuse a parameter: what runs instead, and for how long they are left out.
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { createSextant } from "../../../packages/client/src/index.ts"
import { answerOf, modelOf, scripted } from "./support/Scripted.ts"

const hourMs = 3_600_000
const refusal = (status: number, message: string) => Object.assign(new Error(message), { status })
const notFound = refusal(404, "The model does not exist")
const unsupported = refusal(400, "Unsupported parameter: 'max_tokens' is not supported with this model")

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A client whose service names the first model that the question does not exclude. */
const clientOf = (over: object = {}) => {
  const models = ["a", "b", "c"] as const
  const left = () => {
    const { excluded_models: excluded = [] } = bodies().at(-1)?.constraints ?? {}
    return models.filter((id) => !excluded?.includes(id))
  }
  const { bodies, fetch, urls } = scripted(() => {
    const [pick = "a", ...others] = left()
    return answerOf(pick, { ranked: others.map((id) => modelOf(id)) })
  })
  const sextant = createSextant({ baseUrl: "http://sextant.test", apiKey: "k", models, defaultModelId: "c", fetch, warn: false, ...over })
  const ran: Array<string> = []
  return {
    sextant,
    ran,
    excluded: () => bodies().filter((_, i) => urls()[i]?.endsWith("recommend")).map(({ constraints }) => (constraints?.excluded_models ?? []).join("")),
    reports: async () => {
      await vi.advanceTimersByTimeAsync(0)
      return bodies().filter((_, i) => urls()[i]?.endsWith("feedback"))
        .map((sent) => `${sent.chosen_model_id} ${sent.outcome} ${sent.error_cause ?? "-"} ${sent.provider_status ?? "-"}`)
    },
    /** Asks and runs; yields what ran in the end, or the error. */
    run: async (errors: Readonly<Record<string, Error>>, parameters?: object) => {
      const choice = await sextant.choose("x", { parameters })
      return choice.run((id) => {
        ran.push(id)
        if (errors[id]) throw errors[id]
        return id
      }, { usage: () => ({}) }).catch((error) => error)
    }
  }
}

describe("a model that is not to be had", () => {
  it("is reported once, is left out for an hour, and is then tried once at a time", async () => {
    const { excluded, ran, reports, run } = clientOf()
    assert.strictEqual(await run({ a: notFound }), "b")
    for (let i = 0; i < 40; i++) assert.strictEqual(await run({ a: notFound }), "b")
    assert.lengthOf(ran, 42)
    assert.deepStrictEqual((await reports()).filter((sent) => !sent.includes("success")), ["a failure infra 404"])
    await vi.advanceTimersByTimeAsync(hourMs)
    assert.strictEqual(await run({ a: notFound }), "b")
    assert.strictEqual(await run({ a: notFound }), "b")
    await vi.advanceTimersByTimeAsync(hourMs)
    assert.strictEqual(await run({}), "a")
    assert.strictEqual(await run({}), "a")
    assert.deepStrictEqual(excluded(), ["", ...Array.from({ length: 40 }, () => "a"), "", "a", "", ""])
  })

  it("is left out beside the question that tries it", async () => {
    const { excluded, run, sextant } = clientOf()
    await run({ a: notFound })
    await vi.advanceTimersByTimeAsync(hourMs)
    await Promise.all([sextant.choose("x"), sextant.choose("x"), sextant.choose("x")])
    assert.deepStrictEqual(excluded(), ["", "", "a", "a"])
  })

  it("is not run after an outage of another either", async () => {
    const { ran, run } = clientOf()
    await run({ a: notFound })
    assert.strictEqual(await run({ b: refusal(503, "out") }), "c")
    assert.deepStrictEqual(ran, ["a", "b", "b", "c"])
  })

  it("is not taken for one where all are refused: the last error propagates, none is left out", async () => {
    const { excluded, ran, run } = clientOf()
    for (let i = 0; i < 2; i++) assert.strictEqual(await run({ a: notFound, b: notFound, c: notFound }), notFound)
    assert.deepStrictEqual([ran.join(""), excluded()], ["abcabc", ["", ""]])
  })

  it("is told on the console once in a process, unless warn is false", async () => {
    const log = vi.spyOn(console, "warn").mockReturnValue()
    for (const warn of [false, true, true]) await clientOf({ warn }).run({ a: notFound })
    await vi.advanceTimersByTimeAsync(0)
    assert.deepStrictEqual(log.mock.calls, [["sextant-client: a is not to be had here: The model does not exist"]])
    log.mockRestore()
  })
})

describe("a model that refuses a parameter", () => {
  it("gives way to the default, unreported, and is left out with the same parameters (case 07)", async () => {
    const { excluded, ran, reports, run } = clientOf()
    assert.strictEqual(await run({ a: unsupported }, { max_tokens: 5, seed: undefined }), "c")
    await run({}, { max_tokens: 9 })
    await run({}, { max_tokens: 9, temperature: 0 })
    await run({})
    assert.deepStrictEqual(excluded(), ["", "a", "", ""])
    assert.deepStrictEqual([ran.join(""), await reports()], ["acbaa", ["c", "b", "a", "a"].map((id) => `${id} success - -`)])
    await vi.advanceTimersByTimeAsync(hourMs)
    await run({}, { max_tokens: 5 })
    assert.strictEqual(excluded().at(-1), "")
  })

  it("is the caller's own error where it is the default's, which leaves no other out", async () => {
    const { excluded, ran, reports, run } = clientOf()
    for (let i = 0; i < 2; i++) assert.strictEqual(await run({ a: unsupported, c: unsupported }), unsupported)
    assert.deepStrictEqual([ran.join(""), excluded(), await reports()], ["acac", ["", ""], []])
  })

  it("names the default to a program that runs models itself", async () => {
    const { sextant } = clientOf()
    const choice = await sextant.choose("x")
    const call = choice.begin()
    assert.deepStrictEqual([call.failed(unsupported), choice.fault, choice.next(), choice.next()], [true, "parameters", "c", null])
    assert.isFalse(choice.begin("c").failed(unsupported))
  })

  it("is told on the console once in a process", async () => {
    const log = vi.spyOn(console, "warn").mockReturnValue()
    for (let i = 0; i < 2; i++) await clientOf({ warn: true }).run({ a: unsupported }, { max_tokens: 1 })
    await vi.advanceTimersByTimeAsync(0)
    assert.deepStrictEqual(log.mock.calls, [["sextant-client: a refuses a parameter, the default runs: "
      + "Unsupported parameter: 'max_tokens' is not supported with this model"]])
    log.mockRestore()
  })
})
