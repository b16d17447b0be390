import { assert, describe, it } from "@effect/vitest"
import { healthSection } from "../../../packages/dashboard/src/HealthSection.ts"
import { htmlOf } from "../../../packages/dashboard/src/Html.ts"

const model = (model_id: string | null, is_healthy: boolean) => ({
  provider: "openai", model_id, is_healthy, calls: 24, failures: 21, rate_limits: 17,
  failed_at: "2026-11-26T12:00:00.000Z", try_at: null
})

describe("the section of models that cannot be called", () => {
  it("is left away where all can be, and while that is not known", () => {
    for (const health of [null, { models: [] }, { models: [model("gpt-5", true)] }]) {
      assert.isNull(healthSection({ health }))
    }
  })

  it("names each model, or the provider as a whole, as text", () => {
    const section = healthSection({ health: { models: [model("<b>gpt", false), model(null, false), model("well", true)] } })
    const text = section === null ? "" : htmlOf(section)
    assert.include(text, "&lt;b>gpt: 21 of 24 calls failed.".replace(">", "&gt;"))
    assert.include(text, "All of openai: 21 of 24 calls failed.")
    assert.notInclude(text, "well:")
  })
})
