import { assert, describe, it } from "@effect/vitest"
import { modelNamesOf } from "../../src/logs/ModelNames.ts"
import { snapshotAt } from "../../src/catalog/Snapshot.ts"
import { bundledAtMs, card, rows } from "../catalog/fixtures.ts"

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
    }
  })

  it("say which aliases name no model of the catalog", () => {
    assert.deepStrictEqual(names.brokenAliases, ["our-tuned=gpt-9"])
  })
})
