// What the console hears of the service's warnings: those that the program or its account should act on.
import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import { createSextant } from "../../../packages/client/src/index.ts"
import { answerOf, scripted } from "./support/Scripted.ts"

const options = { baseUrl: "http://sextant.test", apiKey: "k", models: ["a", "b"], defaultModelId: "b" } as const

/** What the console was told, after two questions to a service that answers with these warnings. */
const linesAfter = async (warnings: unknown, over: object = {}) => {
  const said = vi.spyOn(console, "warn").mockImplementation(() => {})
  onTestFinished(() => said.mockRestore())
  const { fetch } = scripted(() => answerOf("a", { warnings }))
  const sextant = createSextant({ ...options, fetch, ...over })
  const choices = [await sextant.choose("x"), await sextant.choose("y")]
  assert.deepStrictEqual(choices.map(({ modelId }) => modelId), ["a", "a"])
  await Promise.resolve()
  return said.mock.calls.map(([line]) => line)
}

describe("a warning that needs action", () => {
  it("of a guarantee without trials is named once", async () => {
    assert.deepStrictEqual(
      await linesAfter(["guarantee_needs_trials", "cold_start"]), ["sextant-client: guarantee_needs_trials"]
    )
  })
})

describe("a field that the service ignored", () => {
  it("is named on the console once, whatever else the answer warns of", async () => {
    assert.deepStrictEqual(
      await linesAfter(["cold_start", "unknown_field:task.dificulty", "unknown_field:speed"]),
      [
        "sextant-client: unknown_field:task.dificulty", "sextant-client: unknown_field:speed"
      ]
    )
  })

  it("is not named where the caller wants no warning", async () => {
    assert.deepStrictEqual(await linesAfter(["unknown_field:quiet"], { warn: false }), [])
  })

  for (const warnings of [undefined, null, 7, {}, []]) {
    it(`is none in an answer whose warnings are ${JSON.stringify(warnings)}`, async () => {
      assert.deepStrictEqual(await linesAfter(warnings), [])
    })
  }
})
