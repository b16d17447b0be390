// The rule of usage that the readers of logs, the adapters and the Python client share: the cases are Python's too.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { besideOf, type CountedBeside, type TokenCounts, wholeTokens } from "../../../packages/client/src/TokenCounts.ts"

interface Cases {
  readonly cases: ReadonlyArray<
    readonly [name: string, counts: TokenCounts, whole: readonly [number | null, number | null], beside?: CountedBeside]
  >
}

const { cases } = JSON.parse(readFileSync(new URL("usage.json", import.meta.url), "utf8")) as Cases

describe("the tokens of a call", () => {
  for (const [name, counts, whole, beside] of cases) {
    it(`are whole from ${name}`, () => {
      const { input, output } = wholeTokens(counts, beside)
      assert.deepStrictEqual([input ?? null, output ?? null], [...whole])
    })
  }

  it("are counted by the maker of the model before the cloud that serves it", () => {
    assert.deepInclude(besideOf("claude-sonnet-4-5@20250929", "vertex_ai"), { input: true })
    assert.deepInclude(besideOf("gemini-2.5-pro", "vertex_ai"), { output: true })
    assert.deepInclude(besideOf("amazon.nova-pro", "aws.bedrock"), { input: true })
    assert.deepInclude(besideOf("grok-4", null), { output: true })
    assert.deepStrictEqual(besideOf("gpt-4o", "openai", undefined), {})
  })
})
