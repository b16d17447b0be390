// Streams of answers: each is reported once, however it ends.
import { assert, describe, it } from "@effect/vitest"
import { type Call, createSextant, measuredIterable, measuredStream, type StreamReading } from "../../../packages/client/src/index.ts"
import { answerOf, scripted } from "./support/Scripted.ts"

interface Part {
  readonly text?: string
  readonly tokens?: number
  readonly error?: unknown
}

const reading: StreamReading<Part> = {
  isToken: ({ text }) => text !== undefined,
  usage: ({ tokens }) => ({ outputTokens: tokens }),
  failure: ({ error }) => error
}

const parts: ReadonlyArray<Part> = [{}, { text: "a" }, { text: "b" }, { tokens: 7 }]

/** The parts one after another; `error` breaks the stream after them. */
async function* iterable(given: ReadonlyArray<Part> = parts, error?: unknown) {
  for (const part of given) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    yield part
  }
  if (error !== undefined) throw error
}

const streamOf = (from: AsyncGenerator<Part, void, undefined>): ReadableStream<Part> =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await from.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void await from.return()
  })

const outage = Object.assign(new Error("overloaded"), { status: 529 })
const aborted = new DOMException("gone", "AbortError")

/** Reads a stream in one way; yields what was read and what was reported. */
const read = async (use: (call: Call) => Promise<unknown>) => {
  const { bodies, choice, sextant } = await chosen()
  const result = await use(choice.begin()).catch((error) => error)
  await sextant.flush()
  const [, report, ...more] = bodies()
  assert.isEmpty(more)
  return { result, report }
}

const chosen = async () => {
  const { bodies, fetch } = scripted(() => answerOf("a"))
  const sextant = createSextant({ baseUrl: "http://h", apiKey: "k", models: ["a"], defaultModelId: "a", fetch })
  return { bodies, sextant, choice: await sextant.choose("x") }
}

const all = async (from: AsyncIterable<Part>) => {
  const got: Array<Part> = []
  for await (const part of from) got.push(part)
  return got
}

const firstOf = async (from: AsyncIterable<Part>) => {
  for await (const part of from) return part
  return null
}

it("a stream keeps the service tier that a part names before the counts", async () => {
  const { report } = await read((call) => all(measuredIterable(call, (async function*() {
    yield* [{ text: "flex" }, { tokens: 7 }]
  })(), { usage: ({ text, tokens }: Part) => ({ serviceTier: text, outputTokens: tokens }) })))
  assert.deepInclude(report, { service_tier: "flex", output_tokens: 7 })
})

for (
  const [kind, wrap] of [
    ["an iterable", (call, from) => measuredIterable(call, from, reading)],
    ["a web stream", (call, from) => measuredStream(call, streamOf(from), reading)]
  ] as ReadonlyArray<readonly [string, (call: Call, from: AsyncGenerator<Part, void, undefined>) => AsyncIterable<Part>]>
) {
  describe(kind, () => {
    it("passes its parts on, and is a success with its usage and the time to its first token", async () => {
      const { report, result } = await read((call) => all(wrap(call, iterable())))
      assert.deepStrictEqual(result, parts)
      assert.deepInclude(report, { outcome: "success", output_tokens: 7 })
      assert.isAtLeast(report?.latency_ms ?? 0, report?.time_to_first_token_ms ?? Infinity)
    })

    it("that a run returns is measured to its end, and not to the return", async () => {
      const { bodies, choice, sextant } = await chosen()
      await all(await choice.run((_, call) => wrap(call, iterable())))
      await sextant.flush()
      assert.isAtLeast(bodies()[1]?.latency_ms ?? 0, bodies()[1]?.time_to_first_token_ms ?? Infinity)
    })

    it("that its reader leaves is abandoned, with its figures until then, and its source is let go", async () => {
      let isFreed = false
      const source = async function*() {
        try {
          yield { text: "a", tokens: 3 }
          yield { text: "b", tokens: 4 }
        } finally {
          isFreed = true
        }
      }
      const { report } = await read((call) => firstOf(wrap(call, source())))
      assert.deepInclude(report, { outcome: "partial", output_tokens: 3 })
      assert.isTrue(isFreed)
    })

    it("that breaks is a failure of the provider, and its reader gets the error", async () => {
      const { report, result } = await read((call) => all(wrap(call, iterable(parts, outage))))
      assert.strictEqual(result, outage)
      assert.deepInclude(report, { outcome: "failure", error_cause: "infra", output_tokens: 7 })
    })

    it("that breaks because the caller aborted it is abandoned", async () => {
      const { report, result } = await read((call) => all(wrap(call, iterable(parts, aborted))))
      assert.strictEqual(result, aborted)
      assert.deepInclude(report, { outcome: "partial" })
    })

    it("that ends well after a part with an error is a failure", async () => {
      const { report, result } = await read((call) => all(wrap(call, iterable([{ text: "a" }, { error: outage }]))))
      assert.lengthOf(result as ReadonlyArray<Part>, 2)
      assert.deepInclude(report, { outcome: "failure", error_cause: "infra" })
    })

    it("is passed on whole where its parts cannot be read", async () => {
      const { choice, sextant, bodies } = await chosen()
      const hostile: StreamReading<Part> = { usage: () => { throw new Error("reader") } }
      const call = choice.begin()
      const from = kind === "an iterable" ? measuredIterable(call, iterable(), hostile) : measuredStream(call, streamOf(iterable()), hostile)
      assert.deepStrictEqual(await all(from), parts)
      await sextant.flush()
      assert.deepInclude(bodies()[1], { outcome: "success" })
    })
  })
}

describe("a web stream", () => {
  it("that is cancelled through its reader is abandoned", async () => {
    const { report } = await read(async (call) => {
      const reader = measuredStream(call, streamOf(iterable()), reading).getReader()
      await reader.read()
      await reader.cancel("enough")
    })
    assert.deepInclude(report, { outcome: "partial" })
  })

  it("is read no further than its reader asks", async () => {
    let pulled = 0
    const source = async function*() {
      for (const part of parts) {
        pulled++
        yield part
      }
    }
    await read(async (call) => {
      const reader = measuredStream(call, new ReadableStream<Part>({
        pull: async (controller) => controller.enqueue((await iterator.next()).value ?? {})
      }, { highWaterMark: 0 }), reading).getReader()
      const iterator = source()
      await reader.read()
      assert.strictEqual(pulled, 1)
      await reader.cancel()
    })
  })
})
