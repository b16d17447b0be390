import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { bundledRows } from "../../../src/catalog/file/CatalogFile.ts"
import { nameIndexOf } from "../../../src/catalog/names/NameIndex.ts"
import { card } from "../fixtures.ts"

const { cards } = await Effect.runPromise(bundledRows.pipe(Effect.provide(NodeServices.layer)))
const bundled = nameIndexOf(cards)
const named = (id: string) => bundled(id)?.modelId

/** Spellings by who writes them, and the model of the bundled catalog that each names. */
const spellings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "their makers": {
    "claude-sonnet-4-5-20250929": "claude-sonnet-4-5",
    "claude-sonnet-4.5": "claude-sonnet-4-5",
    "claude-sonnet-4-5-latest": "claude-sonnet-4-5",
    "claude-sonnet-4-5[1m]": "claude-sonnet-4-5",
    "gpt-5-mini-2025-08-07": "gpt-5-mini",
    "gpt-5.1-2025-11-13": "gpt-5.1",
    "gpt-5-1": "gpt-5.1",
    "o3-2025-04-16": "o3",
    "models/gemini-2.5-flash": "gemini-2.5-flash",
    "gemini-2.5-pro-preview-05-06": "gemini-2.5-pro",
    "gemini-2.5-pro-exp-03-25": "gemini-2.5-pro",
    "gemini-2.5-flash-preview-09-2025": "gemini-2.5-flash",
    "gemini-2.5-flash-001": "gemini-2.5-flash",
    "command-a-03-2025": "command-a"
  },
  "Amazon Bedrock": {
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
    "global.anthropic.claude-opus-4-6-v1": "claude-opus-4-6",
    "anthropic.claude-sonnet-4-6": "claude-sonnet-4-6",
    "anthropic.claude-opus-4-5-20251101-v1:0:200k": "claude-opus-4-5",
    "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0":
      "claude-sonnet-4-5",
    "arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0":
      "claude-haiku-4-5",
    "us.amazon.nova-lite-v1:0": "nova-lite-v1",
    "openai.gpt-oss-120b-1:0": "gpt-oss-120b",
    "qwen.qwen3-235b-a22b-2507-v1:0": "qwen3-235b-a22b-2507",
    "deepseek.v3.2": "deepseek-v3.2"
  },
  "Google Vertex AI": {
    "publishers/google/models/gemini-2.5-pro": "gemini-2.5-pro",
    "projects/mine/locations/us-central1/publishers/google/models/gemini-2.5-flash": "gemini-2.5-flash",
    "claude-sonnet-4-5@20250929": "claude-sonnet-4-5",
    "publishers/anthropic/models/claude-opus-4-5@default": "claude-opus-4-5",
    "openai/gpt-oss-120b-maas": "gpt-oss-120b"
  },
  "the weights' own (case 29)": {
    "meta-llama/llama-3.3-70b-instruct": "llama-3.3-70b-versatile",
    "meta-llama/Llama-3.1-8B-Instruct": "llama-3.1-8b-instant",
    "us.meta.llama3-3-70b-instruct-v1:0": "llama-3.3-70b-versatile"
  },
  "LiteLLM": {
    "azure/gpt-4o": "gpt-4o",
    "azure/eu/gpt-4o-2024-08-06": "gpt-4o",
    "azure_ai/claude-sonnet-4-5": "claude-sonnet-4-5",
    "vertex_ai/gemini-2.5-pro": "gemini-2.5-pro",
    "vertex_ai/claude-sonnet-4-5@20250929": "claude-sonnet-4-5",
    "gemini/gemini-2.5-flash-lite-preview-06-17": "gemini-2.5-flash-lite",
    "bedrock/us-east-1/anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
    "bedrock/converse/us.anthropic.claude-haiku-4-5-20251001-v1:0": "claude-haiku-4-5",
    "bedrock/arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-pro-v1:0": "nova-pro-v1",
    "groq/openai/gpt-oss-20b": "gpt-oss-20b",
    "databricks/databricks-claude-sonnet-4-5": "claude-sonnet-4-5"
  },
  "OpenRouter": {
    "openrouter/anthropic/claude-sonnet-4.5:beta": "claude-sonnet-4-5",
    "anthropic/claude-4.5-sonnet-20250929": "claude-sonnet-4-5",
    "openai/gpt-oss-120b:free": "gpt-oss-120b",
    "openrouter/qwen/qwen3.8-max-0902": "qwen3.8-max",
    "x-ai/grok-4.3:nitro": "grok-4.3"
  },
  "Vercel, Portkey and Helicone": {
    "vercel/xai/grok-4.3": "grok-4.3",
    "google/gemini-3-flash": "gemini-3-flash-preview",
    "amazon/nova-pro": "nova-pro-v1",
    "@openai-prod/gpt-4o": "gpt-4o",
    "@bedrock-us/anthropic.claude-opus-4-5-20251101-v1:0": "claude-opus-4-5",
    "gpt-4o/azure": "gpt-4o",
    "claude-sonnet-4-5-20250929/bedrock": "claude-sonnet-4-5"
  },
  "hosts and frameworks": {
    "accounts/fireworks/models/kimi-k2p6": "kimi-k2.6",
    "fireworks_ai/accounts/fireworks/models/glm-5p1": "glm-5.1",
    "together_ai/moonshotai/Kimi-K2.6": "kimi-k2.6",
    "zai-org/GLM-4.7": "glm-4.7",
    "MiniMaxAI/MiniMax-M2.7": "minimax-m2.7",
    "gpt-oss:20b": "gpt-oss-20b",
    "system.ai.claude-opus-4-7": "claude-opus-4-7",
    "openai:gpt-4o": "gpt-4o",
    "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5"
  }
}

describe("The bundled models are found as spelled by", () => {
  for (const [writer, ids] of Object.entries(spellings)) {
    it(writer, () => {
      for (const [id, modelId] of Object.entries(ids)) assert.strictEqual(named(id), modelId, id)
    })
  }
})

it("an id of another version, size, tier or edition names no model of the catalog (case 29)", () => {
  for (const id of [
    "gpt-4", "gpt-4-0613", "gpt-4-turbo", "gpt-4.5", "gpt-4.10", "gpt-5.10", "gpt-5-codex", "gpt-5-pro",
    "gpt-5-chat-latest", "chatgpt-4o-latest", "gpt-4o-audio-preview-2024-12-17", "o1-2024-12-17", "o3-mini",
    "claude-3-5-sonnet", "claude-3-5-sonnet-20241022", "anthropic.claude-3-5-sonnet-20241022-v2:0",
    "claude-opus-4", "claude-opus-4-20250514", "claude-opus-4-1-20250805", "claude-sonnet-4@20250514",
    "gemini-2.5", "gemini-2.5-flash-image", "gemini-2.5-flash-preview-tts", "kimi-k2", "deepseek-v3",
    "deepseek-v3.2-exp", "amazon.nova-pro-v2:0", "nova", "qwen3-235b-a22b", "xai.grok-1:0"
  ]) assert.isUndefined(named(id), id)
})

it("another date of a model that the catalog tells apart by dates names none of them", () => {
  for (const id of ["mistral-medium-2505", "mistral-medium", "command-r-03-2024", "qwen3.8-max-1101"]) {
    assert.isUndefined(named(id), id)
  }
  assert.strictEqual(named("mistral/mistral-medium-2508"), "mistral-medium-2508")
})

it("the latest of dated models is the newest, unless a version follows the name too", () => {
  assert.strictEqual(named("mistral-medium-latest"), "mistral-medium-2604")
  assert.strictEqual(named("mistral/codestral-latest"), "codestral-2508")
  assert.strictEqual(named("command-r-latest"), "command-r-08-2024")
  // Beside mistral-large-2512 there is mistral-large-4.
  assert.isUndefined(named("mistral-large-latest"))
  const find = nameIndexOf([
    card("pro-2025-08-07"), card("pro-20250901"), card("pro-250131"), card("pro-11-2024"), card("mini-0709"), card("max"),
    card("max-2509")
  ])
  assert.strictEqual(find("azure/pro-latest")?.modelId, "pro-20250901")
  assert.isUndefined(find("mini-latest"))
  assert.strictEqual(find("max-latest")?.modelId, "max")
})

it("a card of that very date beats the card without a date, in each form of the date", () => {
  const both = nameIndexOf([card("pro"), card("pro-2025-08-07")])
  for (const id of ["pro-2025-08-07", "pro-20250807", "pro@20250807", "azure/pro-2025-08-07", "acme.pro-20250807-v1:0"]) {
    assert.strictEqual(both(id)?.modelId, "pro-2025-08-07", id)
  }
  assert.strictEqual(both("azure/pro")?.modelId, "pro")
  assert.isUndefined(both("pro-2025-01-01"))
})

it("a prefix that names another maker, or nobody that is known, names no model", () => {
  for (const id of [
    "anthropic/gpt-4o", "openai/claude-sonnet-4-5", "anthropic.gpt-4o", "openrouter/google/gpt-4o", "gpt-4o/anthropic",
    "openai/anthropic/gpt-4o", "acme/gpt-4o", "acme/openai/gpt-4o", "ft:gpt-4o-2024-08-06:acme::id",
    "arn:aws:bedrock:us-east-1:1:application-inference-profile/gpt-4o", "accounts/acme/models/gpt-4o", "acme:gpt-4o"
  ]) assert.isUndefined(named(id), id)
})

it("an account's own model is found by its id, and takes no other model's names", () => {
  const own = nameIndexOf([
    card("azure/gpt-4o", { provider: "azure", aliases: [] }), card("Own-7B", { provider: "Us", aliases: [] }), ...cards
  ])
  assert.strictEqual(own("azure/gpt-4o")?.modelId, "azure/gpt-4o")
  assert.strictEqual(own("gpt-4o")?.modelId, "gpt-4o")
  assert.strictEqual(own("openai/gpt-4o-2024-08-06")?.modelId, "gpt-4o")
  for (const id of ["Own-7B", "Own-7B-20250101", "us/own-7b", "vllm/Own-7B"]) assert.strictEqual(own(id)?.modelId, "Own-7B", id)
  assert.isUndefined(own("openai/Own-7B"))
})

it("two indexes that are asked for one id in turn each answer with their own model", () => {
  const [mine, theirs] = [nameIndexOf([card("pro", { inputCostPerMtok: 1 })]), nameIndexOf([card("pro", { inputCostPerMtok: 2 })])]
  const none = nameIndexOf([card("other")])
  for (let turn = 0; turn < 3; turn++) {
    assert.strictEqual(mine("azure/pro")?.inputCostPerMtok, 1)
    assert.strictEqual(theirs("azure/pro")?.inputCostPerMtok, 2)
    assert.isUndefined(none("azure/pro"))
  }
})

it("an id that could be two models is neither, and a bare name keeps its case", () => {
  const twins = nameIndexOf([card("a.b", { aliases: [] }), card("a-b", { aliases: [] })])
  assert.strictEqual(twins("a.b")?.modelId, "a.b")
  assert.strictEqual(twins("a-b")?.modelId, "a-b")
  for (const id of ["azure/a-b", "azure/a.b"]) assert.strictEqual(twins(id)?.modelId, id.slice(6))
  assert.isUndefined(twins("a-b-latest-x"))
  const aliases = nameIndexOf([card("one", { aliases: ["x.y"] }), card("two", { aliases: ["x-y"] })])
  assert.strictEqual(aliases("x.y")?.modelId, "one")
  assert.isUndefined(aliases("X.Y"))
  assert.isUndefined(named("GPT-5"))
})

const Part = Schema.Literals([
  "gpt", "claude", "pro", "mini", "4", "5", "4o", "4.1", "2507", "2025-08-07", "20250807", "latest", "preview", "v1",
  "v1:0", "openai/", "azure/", "anthropic.", "us.", "@20250807", ":free", "", "/", ":", "acme/"
])
const Id = Schema.Array(Part).check(Schema.isMaxLength(7))
const Separator = Schema.Literals(["-", "", "."])
const spelled = (parts: ReadonlyArray<string>, separator: string) => parts.filter((part) => part !== "").join(separator)
const Names = Schema.Array(Id).check(Schema.isMinLength(1), Schema.isMaxLength(6))

it.prop("in any catalog every model is found by its own id, and what is found is found by its id", {
  names: Names, asked: Names, separator: Separator
}, ({ asked, names, separator }) => {
  const ids = [...new Set(names.map((name) => spelled(name, separator)).filter((id) => id !== ""))]
  const list = ids.map((id, i) => card(id, { aliases: [], provider: i % 2 === 0 ? "openai" : "acme" }))
  const find = nameIndexOf(list)
  for (const each of list) assert.strictEqual(find(each.modelId), each)
  for (const parts of asked) {
    const found = find(spelled(parts, separator))
    if (found !== undefined) assert.strictEqual(find(found.modelId), found)
  }
})

const digits = (text: string): ReadonlyArray<string> =>
  text.match(/\d+/g) ?? []

it.prop("what is found keeps the digits of the version, whatever stands around it", { parts: Id, separator: Separator },
  ({ parts, separator }) => {
    const list = ["gpt-4", "gpt-5", "gpt-4.1", "gpt-4o", "claude-4-5", "claude-5"].map((id) => card(id, { aliases: [] }))
    const id = spelled(parts, separator)
    const found = nameIndexOf(list)(id)
    if (found === undefined) return
    // The digits of the model's own id are the first that the spelling has.
    assert.deepStrictEqual(digits(id).slice(0, digits(found.modelId).length), digits(found.modelId), id)
  })

it("every name of the bundled catalog names its own model, in each place that is known", () => {
  for (const each of cards) {
    for (const name of [each.modelId, ...each.aliases]) {
      assert.strictEqual(named(name), each.modelId, name)
      assert.strictEqual(named(`openrouter/${name}`), each.modelId, name)
    }
    assert.strictEqual(named(`${each.provider}/${each.modelId}`), each.modelId, each.modelId)
    assert.strictEqual(named(`bedrock/us.${each.provider}.${each.modelId}-v1:0`), each.modelId, each.modelId)
    assert.strictEqual(named(`azure/${each.modelId}:free`), each.modelId, each.modelId)
  }
})

it("the longest ids that a caller may send name no model, whatever parts they repeat", () => {
  const find = nameIndexOf(cards)
  const hostile = ["models/", "us.", "openai/", "-2025-01-01", ":free", "a-", "@20250101", "arn:aws:bedrock:", "1p1"]
    .flatMap((part) => Array.from({ length: 200 }, (_, i) => `${part.repeat(256)}`.slice(0, 250) + i))
  for (const id of hostile) assert.isUndefined(find(id))
})
