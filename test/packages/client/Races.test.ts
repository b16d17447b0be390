// Streams that end, break, are aborted and are left at every moment: each is reported once, and as what happened.
import { assert, describe, it } from "@effect/vitest"
import { Readable, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { type Call, createSextant, measuredIterable, measuredStream, type StreamReading } from "../../../packages/client/src/index.ts"
import { answerOf, scripted } from "./support/Scripted.ts"

interface Part {
  readonly text?: string
  readonly error?: unknown
}

/** A source that a test drives: it sends, ends and breaks when it is told to, and notes that it was let go. */
const sourceOf = () => {
  let controller: ReadableStreamDefaultController<Part> | undefined
  let freed = 0
  const stream = new ReadableStream<Part>({
    start: (one) => {
      controller = one
    },
    cancel: () => void freed++
  })
  return {
    stream,
    send: (part: Part) => {
      if (freed === 0) controller?.enqueue(part)
    },
    end: () => controller?.close(),
    break: (error: unknown) => controller?.error(error),
    freed: () => freed
  }
}

const kinds = {
  "an iterable": (call: Call, from: ReadableStream<Part>, reading?: StreamReading<Part>) =>
    measuredIterable(call, from, reading)[Symbol.asyncIterator](),
  "a web stream": (call: Call, from: ReadableStream<Part>, reading?: StreamReading<Part>) =>
    measuredStream(call, from, reading)[Symbol.asyncIterator]()
}

const chosen = async () => {
  const { bodies, fetch } = scripted(() => answerOf("a"))
  const sextant = createSextant({ baseUrl: "http://h", apiKey: "k", models: ["a", "b"], defaultModelId: "b", fetch })
  const choice = await sextant.choose("x")
  return {
    call: choice.begin(),
    /** The outcomes that were reported, and what the next question leaves out. */
    seen: async () => {
      await sextant.flush()
      const outcomes = bodies().slice(1).map(({ error_cause, outcome }) => `${outcome} ${error_cause ?? ""}`.trim())
      await sextant.choose("x")
      return [outcomes, bodies().at(-1)?.constraints?.excluded_models]
    }
  }
}

const reset = Object.assign(new Error("reader's connection"), { code: "ECONNRESET" })
const outage = Object.assign(new Error("out"), { status: 503 })

for (const [kind, wrap] of Object.entries(kinds)) {
  describe(kind, () => {
    for (
      const [moment, act, expected] of [
        ["before its first part", (one) => one.break(outage), ["failure infra"]],
        ["in the middle", (one) => (one.send({ text: "a" }), setTimeout(() => one.break(outage))), ["failure infra"]],
        ["with nothing as its error", (one) => one.break(undefined), ["failure"]],
        ["with an error that cannot be read", (one) => one.break(new Proxy({}, { get: () => { throw new Error("hostile") } })), ["failure"]]
      ] as ReadonlyArray<readonly [string, (source: ReturnType<typeof sourceOf>) => unknown, ReadonlyArray<string>]>
    ) {
      it(`that breaks ${moment} is reported once, and its reader gets the error`, async () => {
        const { call, seen } = await chosen()
        const source = sourceOf()
        const parts = wrap(call, source.stream)
        act(source)
        let isBroken = false
        try {
          while ((await parts.next()).done !== true) { /* to its end */ }
        } catch {
          isBroken = true
        }
        assert.isTrue(isBroken)
        assert.deepStrictEqual((await seen())[0], expected)
      })
    }

    for (
      const [moment, read, expected] of [
        ["before it is read", 0, "partial"], ["between two parts", 1, "partial"], ["after its last part", 2, "partial"], ["after its end", 3, "success"]
      ] as const
    ) {
      it(`whose caller aborts it ${moment}, twice, is reported as ${expected}, once`, async () => {
        const { call, seen } = await chosen()
        const source = sourceOf()
        const controller = new AbortController()
        const parts = wrap(call, source.stream, { signal: controller.signal })
        source.send({ text: "a" })
        source.send({ text: "b" })
        if (read === 3) source.end()
        for (let i = 0; i < read; i++) await parts.next()
        controller.abort()
        controller.abort()
        if (read < 3) source.break(controller.signal.reason)
        await parts.next().catch(() => {})
        await parts.next().catch(() => {})
        assert.deepStrictEqual(await seen(), [[expected], []])
      })
    }

    it("whose caller aborts it while a part is waited for is abandoned", async () => {
      const { call, seen } = await chosen()
      const source = sourceOf()
      const controller = new AbortController()
      const parts = wrap(call, source.stream, { signal: controller.signal })
      const next = parts.next().catch((error: unknown) => error)
      controller.abort()
      source.break(controller.signal.reason)
      assert.strictEqual(await next, controller.signal.reason)
      assert.deepStrictEqual(await seen(), [["partial"], []])
    })

    it("that is left twice, and while a part is waited for, is abandoned once and let go once", async () => {
      const { call, seen } = await chosen()
      const source = sourceOf()
      const parts = wrap(call, source.stream)
      source.send({ text: "a" })
      await parts.next()
      const next = parts.next()
      const left = [parts.return?.(undefined), parts.return?.(undefined)]
      source.send({ text: "b" })
      await Promise.all([next, ...left])
      assert.deepStrictEqual(await seen(), [["partial"], []])
      assert.strictEqual(source.freed(), 1)
    })

    it("one of whose readings fails is read by the others", async () => {
      const { call, seen } = await chosen()
      const source = sourceOf()
      const parts = wrap(call, source.stream, {
        isToken: () => { throw new Error("hostile") },
        usage: () => { throw new Error("hostile") },
        failure: ({ error }) => error
      })
      source.send({ error: outage })
      source.end()
      while ((await parts.next()).done !== true) { /* to its end */ }
      assert.deepStrictEqual((await seen())[0], ["failure infra"])
    })
  })
}

describe("an iterable", () => {
  for (const read of [0, 1]) {
    it(`whose reader throws after ${read} parts is abandoned and let go: the model was not out`, async () => {
      const { call, seen } = await chosen()
      const source = sourceOf()
      const parts = measuredIterable(call, source.stream)
      source.send({ text: "a" })
      for (let i = 0; i < read; i++) await parts.next()
      assert.strictEqual(await parts.throw(reset).catch((error: unknown) => error), reset)
      assert.strictEqual(source.freed(), 1)
      assert.deepStrictEqual(await seen(), [["partial"], []])
    })

    it(`in a stream of Node that breaks after ${read} parts is abandoned and let go`, async () => {
      const { call, seen } = await chosen()
      const source = sourceOf()
      const piped = Readable.from(measuredIterable(call, source.stream))
      source.send({ text: "a" })
      if (read === 1) await new Promise((resolve) => piped.once("data", resolve))
      const closed = new Promise((resolve) => piped.once("error", () => {}).once("close", resolve))
      piped.destroy(reset)
      // A part that is waited for comes first, as it does without the measuring.
      source.send({ text: "b" })
      await closed
      assert.strictEqual(source.freed(), 1)
      assert.deepStrictEqual(await seen(), [["partial"], []])
    })
  }

  it("in a pipeline whose target breaks is abandoned and let go", async () => {
    const { call, seen } = await chosen()
    let isFreed = false
    const endless = async function*() {
      try {
        for (;;) yield { text: "a" }
      } finally {
        isFreed = true
      }
    }
    const target = new Writable({ objectMode: true, write: (_, __, done) => done(reset) })
    const error = await pipeline(Readable.from(measuredIterable(call, endless())), target).catch((one: unknown) => one)
    assert.strictEqual(error, reset)
    assert.deepStrictEqual(await seen(), [["partial"], []])
    assert.isTrue(isFreed)
  })

  it("that is read a second time is over, and is reported once", async () => {
    const { call, seen } = await chosen()
    const source = sourceOf()
    source.send({ text: "a" })
    source.end()
    const parts = measuredIterable(call, source.stream)
    const got: Array<Part> = []
    for (let i = 0; i < 2; i++) for await (const part of parts) got.push(part)
    assert.lengthOf(got, 1)
    assert.deepStrictEqual(await seen(), [["success"], []])
  })
})

describe("a web stream", () => {
  it("that is read twice by a tee is reported once", async () => {
    const { call, seen } = await chosen()
    const source = sourceOf()
    source.send({ text: "a" })
    source.end()
    const got: Array<Part> = []
    for (const branch of measuredStream(call, source.stream).tee()) for await (const part of branch) got.push(part)
    assert.lengthOf(got, 2)
    assert.deepStrictEqual(await seen(), [["success"], []])
  })

  it("whose target breaks, or whose source cannot be let go, is abandoned", async () => {
    for (const cancel of [() => {}, () => { throw outage }]) {
      const { call, seen } = await chosen()
      const stream = new ReadableStream<Part>({ pull: (controller) => controller.enqueue({ text: "a" }), cancel })
      const target = new WritableStream<Part>({ write: () => { throw reset } })
      assert.instanceOf(await measuredStream(call, stream).pipeTo(target).catch((error: unknown) => error), Error)
      assert.deepStrictEqual(await seen(), [["partial"], []])
    }
  })
})
