// Which errors of a provider's call let another model run.
import { assert, describe, it } from "@effect/vitest"
import { isAbort, isOutage } from "../../../packages/client/src/index.ts"
import { faultOf, refusalOf } from "../../../packages/client/src/Outage.ts"

class APIConnectionError extends Error {}
class APIUserAbortError extends Error {}

const withFields = (fields: object, message = "x") => Object.assign(new Error(message), fields)

describe("an outage", () => {
  for (
    const [name, error] of [
      ...[408, 409, 429, 500, 502, 503, 504, 529].map((status) => [`status ${status}`, withFields({ status })] as const),
      ["statusCode 503, of the AI SDK", withFields({ statusCode: 503 })],
      ["a response of 500, of axios", withFields({ response: { status: 500 } })],
      ["a status in its cause", new Error("x", { cause: withFields({ status: 500 }) })],
      ["a status in its last error, after retries", withFields({ lastError: withFields({ statusCode: 429 }) })],
      ["a refused connection of fetch", new TypeError("fetch failed", { cause: withFields({ code: "ECONNREFUSED" }) })],
      ["a connection error of an SDK", new APIConnectionError("Connection error.")],
      ["a reset connection", withFields({ code: "ECONNRESET" })],
      ["a timeout of undici", withFields({ code: "UND_ERR_HEADERS_TIMEOUT" })],
      ["a connection that Bun cannot open", withFields({ code: "ConnectionRefused" })],
      ["a request that Deno cannot send", new TypeError("error sending request for url (http://x)")],
      ["a body that breaks in Deno", new TypeError("error reading a body from connection")],
      ["a body that breaks in Node", new TypeError("terminated")],
      ["a fetch that fails in Chrome", new TypeError("Failed to fetch")],
      ["a fetch that fails in Firefox", new TypeError("NetworkError when attempting to fetch resource.")],
      ["a fetch that fails in Safari", new TypeError("Load failed")],
      ["a body that breaks in Chrome", new TypeError("network error")],
      ["a timeout of a signal", new DOMException("x", "TimeoutError")]
    ] as const
  ) {
    it(`is ${name}`, () => assert.isTrue(isOutage(error)))
  }

  for (
    const [name, error] of [
      ...[400, 401, 403, 404, 413, 422].map((status) => [`status ${status}`, withFields({ status })] as const),
      ["a mistake in the caller's code", new TypeError("Cannot read properties of undefined (reading 'x')")],
      ["a mistake with a socket of the caller's", new TypeError("Cannot read properties of undefined (reading 'socket')")],
      ["a mistake with the caller's network", new TypeError("config.network is not a function")],
      ["an address that is none, of Bun", new TypeError("fetch() URL is invalid")],
      ["a missing file", withFields({ code: "ENOENT" })],
      ["a wrong argument", withFields({ code: "UND_ERR_INVALID_ARG" })],
      ["a 400 whose cause is a broken connection", withFields({ status: 400, cause: withFields({ code: "ECONNRESET" }) })],
      ["nothing", undefined],
      ["a text", "500"],
      ["an object that throws", new Proxy({}, { get: () => { throw new Error("hostile") } })],
      ["an abort", new DOMException("x", "AbortError")]
    ] as const
  ) {
    it(`is not ${name}`, () => assert.isFalse(isOutage(error)))
  }
})

describe("a model that is not to be had", () => {
  for (
    const [name, status, message, more] of [
      ["retired, of Anthropic", 404, '404 {"type":"error","error":{"type":"not_found_error","message":"model: claude-3-opus"}}', {}],
      ["unknown, of OpenAI", 404, "404 The model `x` does not exist or you do not have access to it.", { code: "model_not_found" }],
      ["unknown, of Azure", 404, "404 The API deployment for this resource does not exist.", { code: "DeploymentNotFound" }],
      ["unknown, of Gemini", 404, "models/x is not found for API version v1beta", {}],
      ["forbidden, of Anthropic", 403, "permission_error: Your API key does not have permission to use the specified resource", {}],
      ["forbidden, of OpenAI", 403, "403 Project `p` does not have access to model `x`", { code: "model_not_found" }],
      ["gone, of Azure", 410, "The model is deprecated", {}],
      ["retired, of Groq", 400, "400 The model `x` has been decommissioned and is no longer supported.", { code: "model_decommissioned" }],
      ["unknown, of Mistral", 400, "Invalid model: x", { type: "invalid_model" }],
      ["unknown, of DeepSeek", 400, "Model Not Exist", {}],
      ["unknown, of Bedrock", 400, "The provided model identifier is invalid.", {}],
      ["unknown, of a gateway", 400, "Invalid model name passed in model=x", {}],
      ["unknown, in the body that the AI SDK keeps", 400, "Bad Request", { responseBody: '{"error":{"code":"model_not_found"}}' }]
    ] as const
  ) it(`is ${name}`, () => assert.strictEqual(faultOf(withFields({ status, ...more }, message)), "model"))

  for (
    const [name, status, message] of [
      ["a key that is refused", 401, "Incorrect API key provided"],
      ["a response that is missing", 404, "Previous response with id 'resp_1' not found."],
      ["a conversation that is missing", 404, "Conversation with id 'conv_1' not found."],
      ["a file that is missing", 404, "not_found_error: File not found: file_1"],
      ["an input that is refused", 403, "Your chosen model requires moderation and your input was flagged"],
      ["an image that a model does not read", 400, "This model does not support image input"]
    ] as const
  ) it(`is not ${name}`, () => assert.isNull(faultOf(withFields({ status }, message))))
})

describe("a parameter that a model does not take", () => {
  for (
    const [name, message, more] of [
      ["one that OpenAI's reasoning models lack", "400 Unsupported parameter: 'max_tokens' is not supported with this model.",
        { code: "unsupported_parameter", param: "max_tokens" }],
      ["a value of one", "400 Unsupported value: 'temperature' does not support 0 with this model.", { code: "unsupported_value" }],
      ["one that is too large", "400 max_tokens is too large: 20000. This model supports at most 16384 completion tokens", {}],
      ["one of Anthropic's", "400 max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens for x", {}],
      ["two of Anthropic's", "`temperature` and `top_p` cannot both be specified for this model.", {}],
      ["a depth of thought", "adaptive thinking is not supported on this model", {}],
      ["a format", "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", {}],
      ["one of Gemini's", "Invalid value at generation_config: maxOutputTokens", {}]
    ] as const
  ) it(`is ${name}`, () => assert.strictEqual(faultOf(withFields({ status: 400, ...more }, message)), "parameters"))

  for (
    const [name, message, more] of [
      ["a prompt that is too long", "prompt is too long: 208310 tokens > 200000 maximum", {}],
      ["a prompt that leaves no room", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", {}],
      ["a window that is too small", "This model's maximum context length is 8192 tokens", { code: "context_length_exceeded" }],
      ["a message", "messages.1.content.0.type: Expected `thinking`, but found `tool_use`", {}],
      ["a role", "Unsupported value: 'messages[0].role' does not support 'system'", { code: "unsupported_value" }],
      ["a tool's schema", "Invalid schema for function 'f'", { code: "invalid_function_parameters" }],
      ["nothing that is said", "Bad Request", {}]
    ] as const
  ) it(`is not ${name}`, () => assert.isNull(faultOf(withFields({ status: 400, ...more }, message))))

  it("is none where the status says something else", () => {
    assert.isNull(faultOf(withFields({ status: 401 }, "max_tokens")))
    assert.isNull(faultOf(new Error("max_tokens")))
    assert.isNull(faultOf(new Proxy({}, { get: () => { throw new Error("hostile") } })))
  })
})

describe("what an error says of the provider", () => {
  it.each<readonly [name: string, error: unknown, status: number | undefined, waitMs: number | undefined]>([
    ["OpenAI's and Anthropic's headers", withFields({ status: 429, headers: new Headers({ "retry-after": "7" }) }), 429, 7_000],
    ["the AI SDK's headers, in its last error", withFields({
      lastError: withFields({ statusCode: 529, responseHeaders: { "retry-after": "2" } })
    }), 529, 2_000],
    ["axios' headers", withFields({ response: { status: 503, headers: { "retry-after": "1.5" } } }), 503, 1_500],
    ["at most ten minutes", withFields({ status: 429, headers: { "retry-after": "9e9" } }), 429, 600_000],
    ["a date in the past", withFields({ status: 503, headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" } }), 503, undefined],
    ["no number and no date", withFields({ status: 503, headers: { "retry-after": "soon" } }), 503, undefined],
    ["a refusal of the caller", withFields({ status: 401 }), 401, undefined],
    ["a status that is none", withFields({ status: 1_000 }), undefined, undefined],
    ["nothing", new TypeError("fetch failed"), undefined, undefined],
    ["an object that throws", new Proxy({}, { get: () => { throw new Error("hostile") } }), undefined, undefined]
  ])("is read from %s", (_, error, status, waitMs) => {
    const { provider_status, retry_after_ms } = refusalOf(error)
    assert.deepStrictEqual([provider_status, retry_after_ms], [status, waitMs])
  })
})

describe("an abort", () => {
  it("is the caller's signal, or an error that says so", () => {
    assert.isTrue(isAbort(new Error("x"), AbortSignal.abort()))
    assert.isTrue(isAbort(new DOMException("x", "AbortError")))
    assert.isTrue(isAbort(new APIUserAbortError("Request was aborted.")))
    assert.isTrue(isAbort(new Error("x", { cause: new DOMException("x", "AbortError") })))
    assert.isFalse(isAbort(new DOMException("x", "TimeoutError")))
    // OpenAI's SDK ends a request by aborting it when its own time is over.
    class APIConnectionTimeoutError extends Error {}
    const timeout = new APIConnectionTimeoutError("x", { cause: new DOMException("x", "AbortError") })
    assert.isFalse(isAbort(timeout))
    assert.isTrue(isOutage(timeout))
    assert.isFalse(isAbort(undefined))
  })
})
