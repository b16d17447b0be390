import { assert, describe, it } from "@effect/vitest"
import { modelNamesOf } from "../../../../packages/backtest/src/logs/ModelNames.ts"
import { snapshotAt } from "../../../../src/catalog/Snapshot.ts"
import { bundledAtMs, card, rows } from "../../../catalog/fixtures.ts"

const snapshot = snapshotAt(
  rows(
    card("gpt-4o-mini", { aliases: ["openai/gpt-4o-mini"], provider: "OpenAI" }),
    card("gpt-4o", { provider: "OpenAI" }),
    card("claude-sonnet-4-5", { provider: "Anthropic" }),
    card("gemini-2.5-flash", { provider: "Google" })
  ),
  bundledAtMs
)
const names = modelNamesOf(snapshot, { prod: "gpt-4o", constructor: "gpt-4o-mini", "our-tuned": "gpt-9" })

describe("the names of models", () => {
  it("stand for what the user says, else for what the catalog finds by its spellings", () => {
    const found = ["prod", "constructor", "openrouter/openai/gpt-4o-mini:free", "gpt-4o-2024-08-06", "our-tuned"]
    assert.deepStrictEqual(found.map((name) => names.find(name)?.modelId ?? null), [
      "gpt-4o", "gpt-4o-mini", "gpt-4o-mini", "gpt-4o", null
    ])
  })

  it("reach no prototype", () => {
    const bare = modelNamesOf(snapshot)
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", ""]) {
      assert.isNull(bare.find(name), name)
      assert.isNull(bare.nearest(name), name)
    }
  })

  it("say which aliases name no model of the catalog", () => {
    assert.deepStrictEqual(names.brokenAliases, ["our-tuned=gpt-9"])
  })

  it("that the catalog lacks are told their nearest spelling, without route, date and the order of a slip", () => {
    const near = {
      "gpt-4o-mni": "gpt-4o-mini", "gtp-4o": "gpt-4o", "azure/gpt-4o-minni-2024-07-18": "gpt-4o-mini",
      "anthropic/claude-sonet-4.5": "claude-sonnet-4-5", "claude-sonnet-4.7": "claude-sonnet-4-5",
      "ft:gpt-4o-mini-2024-07-18:acme::abc123": "gpt-4o-mini", "gpt-4o-mini-acme-support-v3": "gpt-4o-mini",
      "Gemini-2.5-Flsh": "gemini-2.5-flash"
    }
    for (const [name, id] of Object.entries(near)) assert.strictEqual(names.nearest(name), id, name)
  })

  it("that are like none are told none", () => {
    for (const name of ["our-deployment", "x", "llama-3.3-70b", "m".repeat(1_000_000)]) {
      assert.isNull(names.nearest(name), name.slice(0, 20))
    }
  })

  it("are looked for by spelling a thousand times and no more, whatever the log holds", () => {
    const many = modelNamesOf(snapshot)
    const near = Array.from({ length: 1_100 }, (_, i) => many.nearest(`gpt-4o-mini-${i}x`))
    assert.deepStrictEqual([...new Set(near.slice(0, 1_000))], ["gpt-4o-mini"])
    assert.deepStrictEqual([...new Set(near.slice(1_000))], [null])
    assert.strictEqual(many.nearest("gpt-4o-mini-7x"), "gpt-4o-mini")
  })
})
