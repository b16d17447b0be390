import { assert, it } from "@effect/vitest"
import { inferredOf } from "../../../../packages/client/src/adapters/Needs.ts"
import { needsOf } from "../../../../packages/client/src/sdk/Question.ts"
import { questionOf } from "../../../../packages/client/src/ai-sdk/Question.ts"

it("a part is an image, audio or a file as each framework writes it, and text is none", () => {
  for (
    const [part, kind] of [
      [{ type: "image_url", image_url: { url: "https://a/b.png" } }, "image"],
      [{ type: "input_image", image_url: "data:" }, "image"],
      [{ type: "image", source: { type: "base64", media_type: "image/png" } }, "image"],
      [{ type: "file", mediaType: "image/*" }, "image"],
      [{ type: "file", mediaType: "image" }, "image"],
      [{ type: "file", mediaType: "audio/wav" }, "audio"],
      [{ type: "input_audio", input_audio: {} }, "audio"],
      [{ type: "file", mediaType: "application/pdf" }, "file"],
      [{ type: "file", mime_type: "application/pdf" }, "file"],
      [{ type: "input_file", file_id: "f" }, "file"],
      [{ type: "document", source: { type: "url", url: "https://a/b.pdf" } }, "file"],
      [{ type: "document", source: { type: "text", data: "words" } }, null],
      [{ type: "file", mediaType: "text/plain" }, null],
      [{ type: "text", text: "image" }, null],
      [{ type: "file_search_call" }, null],
      [{ type: Symbol("image") }, null],
      [null, null],
      ["image", null]
    ] as const
  ) {
    const expected = kind === null ? undefined : { modalities: [kind], tools: false, structured_output: false }
    assert.deepStrictEqual(inferredOf(["words", [part, part]], [], false), expected, JSON.stringify(part))
  }
})

it("tools and a schema are seen where each API has them", () => {
  const tools = [{ type: "function", name: "f" }]
  const seen = { modalities: null, tools: true, structured_output: false }
  assert.deepStrictEqual(needsOf({ messages: [{ role: "user", content: "hi" }], tools }), seen)
  for (
    const body of [
      { response_format: { type: "json_schema", json_schema: {} } }, { text: { format: { type: "json_schema" } } },
      { output_format: { type: "json_schema" } }, { output_config: { format: { type: "json_schema" } } }
    ]
  ) assert.deepStrictEqual(needsOf(body), { ...seen, tools: false, structured_output: true })
  for (const body of [{}, { input: "hi", tools: [] }, { response_format: { type: "json_object" } }, { text: 1 }]) {
    assert.isUndefined(needsOf(body))
  }
})

it("a call of the AI SDK says what it needs, unless one model answers its own tool call", () => {
  const prompt = [{ role: "user", content: [{ type: "file", mediaType: "image/png" }] }]
  const asked = (over: object, callers = new Map()) =>
    questionOf({ prompt, ...over }, callers).options.request?.inferred_requirements
  assert.deepStrictEqual(asked({}), { modalities: ["image"], tools: false, structured_output: false })
  assert.deepStrictEqual(
    asked({ tools: [{}], responseFormat: { type: "json", schema: {} } }),
    { modalities: ["image"], tools: true, structured_output: true }
  )
  assert.isUndefined(asked({ prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }] }))
  const answering = [...prompt, { role: "tool", content: [{ type: "tool-result", toolCallId: "1" }] }]
  assert.isUndefined(asked({ prompt: answering }, new Map([["1", "gpt-5"]])))
  const wish = { modalities: null }
  assert.deepStrictEqual(
    asked({ providerOptions: { sextant: { request: { inferred_requirements: wish } } } }), wish
  )
})
