// The estimate of a prompt's tokens, which all adapters share.
import { assert, describe, it } from "@effect/vitest"
import { estimatedTokens } from "../../../../packages/client/src/adapters/Tokens.ts"

const file = "A".repeat(1_000_000)

describe("the estimate of a prompt's tokens", () => {
  it("is a quarter of the characters of its texts and of the names of its fields", () => {
    assert.strictEqual(estimatedTokens([{ role: "user", content: "word ".repeat(76) }], "abcde", undefined, null, 7), 100)
  })

  for (
    const [name, part] of [
      ["an image of chat completions", { type: "image_url", image_url: { url: file } }],
      ["an image of responses", { type: "input_image", image_url: file }],
      ["a sound", { type: "input_audio", input_audio: { data: file, format: "wav" } }],
      ["a file of chat completions", { type: "file", file: { file_data: file } }],
      ["a generated image", { type: "image_generation_call", result: file }],
      ["a screenshot", { type: "computer_call_output", output: { type: "computer_screenshot", image_url: file } }],
      ["a document of messages", { type: "document", source: { type: "base64", data: file } }],
      ["a file of the AI SDK", { type: "file", mediaType: "image/png", data: file }],
      ["bytes", { data: new Uint8Array(1_000_000) }]
    ] as const
  ) it(`does not count the bytes of ${name}`, () => assert.isBelow(estimatedTokens([part]) ?? 0, 20))

  it("is 0.6 to 1 of the characters of Chinese, more than a window that these pass (case 09)", () => {
    const content = "请总结以下文本。" + "量子计算机利用叠加态进行计算".repeat(14_000)
    const tokens = estimatedTokens([{ role: "user", content }]) ?? 0
    assert.isAbove(tokens, 128_000)
    assert.isAtMost(tokens, content.length)
  })

  it("counts the words of a document that is text", () => {
    assert.isAbove(estimatedTokens([{ type: "document", source: { type: "text", data: file } }]) ?? 0, 250_000)
  })

  it("is not known of what is empty, refers to itself or cannot be read", () => {
    const circular: Record<string, unknown> = {}
    circular["self"] = circular
    const hostile = new Proxy({}, { ownKeys: () => { throw new Error("hostile") } })
    for (const prompt of [undefined, null, "", [], {}, circular, hostile]) assert.isUndefined(estimatedTokens(prompt))
  })
})
