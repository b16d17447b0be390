// The measuring of an answer's bytes: what it reports, and that it changes nothing, whatever the provider sends.
import { assert, describe, it } from "@effect/vitest"
import type { Call } from "../../../../packages/client/src/index.ts"
import { type Measuring, measuredResponse } from "../../../../packages/client/src/sdk/Measured.ts"

/** A call that notes its ends; the first counts. */
const notedCall = () => {
  const ends: Array<readonly [string, unknown]> = []
  const tools: Array<string> = []
  let firstTokens = 0
  const end = (name: string, value: unknown) => void (ends.length === 0 && ends.push([name, value]))
  const call: Call = {
    modelId: "m",
    beganMs: 0,
    firstToken: () => void firstTokens++,
    succeeded: (usage) => end("succeeded", usage),
    failed: (error) => {
      end("failed", Object(error).status ?? null)
      return true
    },
    abandoned: (usage) => end("abandoned", usage)
  }
  return { call, ends, tools, firstTokens: () => firstTokens }
}

const measuringOf = (tools: Array<string>, over: Partial<Measuring>): Measuring => ({
  isStream: true,
  hidesUsage: false,
  usageOf: (usage) => ({ outputTokens: usage["output_tokens"] as number }),
  onTool: (id) => tools.push(id),
  signal: null,
  ...over
})

/** A response that sends these bytes one by one, or in pieces of this size. */
const responseOf = (text: string, size = 1): Response => {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new Response(new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at += size))
    }
  }))
}

const measured = async (text: string, over: Partial<Measuring> = {}, size = 1) => {
  const noted = notedCall()
  const response = await measuredResponse(noted.call, responseOf(text, size), measuringOf(noted.tools, over))
  return { text: await response.text(), ...noted }
}

const eventsOf = (...events: ReadonlyArray<object | string>): string =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("")

const usage = { output_tokens: 7 }
const delta = { choices: [{ delta: { content: "grüße 🌊 \"usage\": {" } }] }

describe("the text of a whole answer", () => {
  const words = { message: { content: "a" } }
  for (
    const [name, answer, text] of [
      ["a chat", { choices: [{ ...words, finish_reason: "stop" }] }, "a"],
      ["a chat that reached its limit of tokens", { choices: [{ ...words, finish_reason: "length" }] }, "a"],
      ["a chat that a filter ended", { choices: [{ ...words, finish_reason: "content_filter" }] }, null],
      ["a refusal in a chat", { choices: [{ message: { content: null, refusal: "no" } }] }, null],
      ["a response", { output: [{ type: "reasoning" }, { content: [{ text: "a" }] }] }, "a"],
      ["a response that a filter ended", { output: [{ content: [{ text: "a" }] }], incomplete_details: { reason: "content_filter" } }, null],
      ["a refusal in a response", { output: [{ content: [{ type: "refusal", refusal: "no" }] }] }, null],
      ["a message", { content: [{ type: "text", text: "a" }], stop_reason: "end_turn" }, "a"],
      ["a message that is refused", { content: [{ type: "text", text: "a" }], stop_reason: "refusal" }, null],
      ["an error", { error: { message: "x" } }, null],
      ["what is no answer", "[", null],
      ["null", null, null]
    ] as const
  ) {
    it(`is ${text === null ? "none" : "that"} of ${name}`, async () => {
      const texts: Array<string> = []
      const sent = typeof answer === "string" ? answer : JSON.stringify(answer)
      const came = await measured(sent, { isStream: false, onText: (one) => void texts.push(one) })
      assert.deepStrictEqual(texts, text === null ? [] : [text])
      assert.strictEqual(came.text, sent)
    })
  }
})

describe("a stream", () => {
  for (const size of [1, 7, 4096]) {
    it(`passes unchanged in pieces of ${size} bytes, and its usage is reported once it is done`, async () => {
      const sent = eventsOf(delta, { choices: [], usage }, "[DONE]")
      const { ends, firstTokens, text } = await measured(sent, {}, size)
      assert.strictEqual(text, sent)
      assert.deepStrictEqual(ends, [["succeeded", { outputTokens: 7 }]])
      assert.isAtLeast(firstTokens(), 1)
    })

    it(`loses every word of usage, in pieces of ${size} bytes, where the caller did not ask`, async () => {
      const finish = { choices: [{ delta: { content: "a,\"usage\":null" } }] }
      const filter = { choices: [], prompt_filter_results: [] }
      const sent = eventsOf(filter, delta, { ...finish, usage: null }, { choices: [], usage }, "[DONE]")
      const { ends, text } = await measured(sent, { hidesUsage: true }, size)
      assert.strictEqual(text.replace(/\n+/g, "\n"), eventsOf(filter, delta, finish, "[DONE]").replace(/\n+/g, "\n"))
      assert.deepStrictEqual(ends, [["succeeded", { outputTokens: 7 }]])
    })
  }

  it("whose lines end with a carriage return too is read alike", async () => {
    const sent = eventsOf(delta, { choices: [], usage }, "[DONE]").replaceAll("\n", "\r\n")
    const { ends, text } = await measured(sent)
    assert.strictEqual(text, sent)
    assert.deepStrictEqual(ends, [["succeeded", { outputTokens: 7 }]])
  })

  it("without an end of its own is done when its body is", async () => {
    const { ends } = await measured(eventsOf(delta, { choices: [{ delta: {} }], usage }))
    assert.strictEqual(ends[0]?.[0], "succeeded")
    assert.deepInclude(ends[0]?.[1], { outputTokens: 7 })
  })

  for (
    const [name, event, status] of [
      ["an overloaded provider", { type: "error", error: { type: "overloaded_error", message: "x" } }, 503],
      ["an error of the server", { error: { code: "server_error", message: "x" } }, 503],
      ["a response that failed of a limit", { type: "response.failed", response: { error: { code: "rate_limit_exceeded" } } }, 503],
      ["a prompt that is refused", { type: "response.failed", response: { error: { code: "invalid_prompt" } } }, null],
      ["an error that says nothing", { type: "error" }, null]
    ] as const
  ) {
    it(`that carries ${name} failed, ${status === null ? "but of no outage" : "of an outage"}`, async () => {
      const sent = eventsOf(delta, event, "[DONE]")
      const { ends, text } = await measured(sent)
      assert.strictEqual(text, sent)
      assert.deepStrictEqual(ends, [["failed", status]])
    })
  }

  it("passes unchanged, whatever its lines are", async () => {
    const sent = eventsOf(
      `{"usage":{"output_tokens":{}},"choices":5,"tool_calls":null}`, `{"usage":{`, `{"error":{}} trailing`, `null`,
      `{"type":"message_stop"`, `{"choices":[null,5],"tool_calls":[],"usage":{"a":1}}`
    ) + ": comment\nid: 1\nretry: 5\nno newline at the end"
    for (const hidesUsage of [true, false]) assert.strictEqual((await measured(sent, { hidesUsage })).text, sent)
  })

  it("that is left after its end is done, and before it is abandoned", async () => {
    for (const [events, end] of [[[delta, "[DONE]", delta], "succeeded"], [[delta, delta, "[DONE]"], "abandoned"]] as const) {
      const { call, ends, tools } = notedCall()
      const sent = eventsOf(...events)
      const response = await measuredResponse(call, responseOf(sent, sent.length / 3), measuringOf(tools, {}))
      const reader = response.body?.getReader()
      await reader?.read()
      if (end === "succeeded") await reader?.read()
      await reader?.cancel()
      assert.strictEqual(ends[0]?.[0], end)
    }
  })

  it("of one line of 8 MB, in thousands of pieces, is read in the time of a test", async () => {
    const sent = eventsOf({ type: "image", data: "A".repeat(8_000_000) }, { choices: [], usage }, "[DONE]")
    const { ends, text } = await measured(sent, { hidesUsage: true }, 1_024)
    assert.isAbove(text.length, 8_000_000)
    assert.deepStrictEqual(ends, [["succeeded", { outputTokens: 7 }]])
  })

  it("names the calls of tools of each format", async () => {
    const { tools } = await measured(eventsOf(
      { choices: [{ delta: { tool_calls: [{ id: "a" }, { function: { arguments: "{}" } }] } }] },
      { type: "content_block_start", content_block: { type: "tool_use", id: "b" } },
      { type: "response.completed", response: { output: [{ type: "function_call", id: "fc", call_id: "c" }] } }
    ))
    assert.deepStrictEqual(tools, ["a", "b", "c"])
  })
})

describe("a whole answer", () => {
  it("passes unchanged and is reported with its usage, also when written over several lines", async () => {
    const sent = JSON.stringify({ choices: [{ message: { content: "ü" } }], usage }, null, 2)
    const { ends, text } = await measured(sent, { isStream: false })
    assert.strictEqual(text, sent)
    assert.deepStrictEqual(ends, [["succeeded", { outputTokens: 7 }]])
  })

  it("that breaks fails as its body does, and leaves the end of its call to the chain", async () => {
    const { call, ends, tools } = notedCall()
    const cause = new TypeError("terminated")
    const broken = new Response(new ReadableStream({ start: (controller) => controller.error(cause) }))
    const error = await measuredResponse(call, broken, measuringOf(tools, { isStream: false })).catch((one: unknown) => one)
    assert.strictEqual(error, cause)
    assert.isEmpty(ends)
  })

  it("that is no JSON passes unchanged, and is reported without usage", async () => {
    const { ends, text } = await measured("<html>", { isStream: false })
    assert.strictEqual(text, "<html>")
    assert.deepStrictEqual(ends, [["succeeded", { outputTokens: undefined }]])
  })

  it("that says it failed is reported as failed", async () => {
    const sent = JSON.stringify({ status: "failed", error: { code: "server_error" }, usage })
    assert.deepStrictEqual((await measured(sent, { isStream: false })).ends, [["failed", 503]])
  })

  it("without a body, or with a body that is no web stream, is handed on as it is", async () => {
    const { call, ends, tools } = notedCall()
    const empty = new Response(null, { status: 204 })
    assert.strictEqual(await measuredResponse(call, empty, measuringOf(tools, {})), empty)
    assert.deepStrictEqual(ends, [["succeeded", undefined]])
    // What a fetch of Node's streams yields.
    const other = { body: { on: () => {} }, status: 200 } as unknown as Response
    assert.strictEqual(await measuredResponse(call, other, measuringOf(tools, {})), other)
  })

  it("keeps its status, headers and address", async () => {
    const { call, tools } = notedCall()
    const given = new Response("{}", { status: 201, statusText: "Made", headers: { "x-request-id": "r1" } })
    Object.defineProperty(given, "url", { value: "http://provider/v1" })
    const { headers, status, statusText, url } = await measuredResponse(call, given, measuringOf(tools, {}))
    assert.deepStrictEqual([status, statusText, url, headers.get("x-request-id")], [201, "Made", "http://provider/v1", "r1"])
  })
})

describe("the service tier of an answer, and its searches", () => {
  const priced = {
    usageOf: (counts: Readonly<Record<string, unknown>>) => ({
      serviceTier: counts["service_tier"] as string, webSearches: counts["web_searches"] as number
    })
  }
  const output = [{ type: "web_search_call" }, { type: "message" }, { type: "web_search_call" }]

  it("are read beside the usage of a whole answer and of the last event of a stream", async () => {
    const body = JSON.stringify({ service_tier: "flex", output, usage })
    assert.deepStrictEqual((await measured(body, { ...priced, isStream: false })).ends, [
      ["succeeded", { serviceTier: "flex", webSearches: 2 }]
    ])
    const stream = eventsOf({ type: "response.completed", response: { service_tier: "priority", output, usage } })
    assert.deepStrictEqual((await measured(stream, priced)).ends, [["succeeded", { serviceTier: "priority", webSearches: 2 }]])
  })

  it("say nothing where an answer has none", async () => {
    const { ends } = await measured(JSON.stringify({ service_tier: null, output: "x", usage }), { ...priced, isStream: false })
    assert.deepStrictEqual(ends, [["succeeded", { serviceTier: undefined, webSearches: undefined }]])
  })
})
