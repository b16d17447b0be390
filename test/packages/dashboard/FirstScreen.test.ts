import { assert, describe, it } from "@effect/vitest"
import type { Answers } from "../../../packages/dashboard/src/Answers.ts"
import { firstScreen } from "../../../packages/dashboard/src/FirstScreen.ts"
import { laneOf } from "../../../src/domain/Scope.ts"
import { decided, reported } from "../../reports/rows.ts"
import { answersOn, htmlIn } from "./answers.ts"

const shown = (answers: Answers) => htmlIn(firstScreen(answers))
const many = Array.from({ length: 100 }, () => reported({ actualCostUsd: 1 }))

const model = (model_id: string, cost_usd: number) => ({
  model_id, success: 0.9, success_low: 0.8, success_high: 0.95, success_basis: "verdicts" as const, n_verdicts: 60,
  cost_usd, cost_basis: "calls" as const, n_costed: 60
})
const row = (lane: string, saving_usd_per_month: number) => ({
  lane, cluster: "code:hard", calls_per_month: 900, usual: model("gpt-5", 3), candidate: model("<i>mini", 1),
  saving_usd_per_month, certainty: "known" as const, chance: 0.99, action: "move" as const,
  command: "sextant account set --instance acme", settle: []
})
const advised = (answers: Answers, ...rows: ReadonlyArray<ReturnType<typeof row>>): Answers =>
  ({ ...answers, command: "npm run sextant --", advice: { days: 30, n: 100, n_kinds: 1, tolerance: 0.05, rows } })

describe("the first screen", () => {
  it("has the change with most money as a card, with its command as it is called here", () => {
    const text = shown(advised(answersOn(many), row("sextant:default", 1300.83)))
    assert.include(text, "<h3>Move to &lt;i&gt;mini: $1,301 a month less</h3>")
    assert.include(text, "<pre><code>npm run sextant -- account set --instance acme</code></pre>")
  })

  it("has one thing to do in each row of the teams", () => {
    const rows = [...many, reported({ actualCostUsd: 9 }, { lane: laneOf("<b>shop") })]
    const text = shown(advised(answersOn(rows), row("sextant:<b>shop", 40)))
    assert.match(text, /&lt;b&gt;shop<\/a>.*?Move hard code to &lt;i&gt;mini: \$40\.00 a month<\/td>/)
    assert.match(text, /default<\/a>.*?Name your own model: baseline_model_id<\/td>/)
  })

  it("has a check list of three steps for few calls, and says which are done", () => {
    const text = shown(answersOn([reported({ actualCostUsd: 1 }, { baselineModelId: "large", costDeclaredUsd: 1 }), decided()]))
    assert.include(text, "Three steps to figures that hold")
    assert.include(text, "Report what each call took: its tokens, or its bill: 1 of 2.")
    assert.include(text, "Name the model that you would otherwise use: 1 of 2.")
    assert.include(text, "30 outcomes that a check or a person verified: 1 of 30.")
    assert.include(shown(answersOn([reported({ actualCostUsd: 1 })])), "<li class=\"done\">✓ Report what each call took")
    assert.notInclude(shown(answersOn(many)), "Three steps")
    assert.notMatch(shown(answersOn([reported({ actualCostUsd: 1 })])), /class="figure">not (known|yet)/)
  })

  it("says where to begin without a decision, and that shadows save nothing", () => {
    assert.include(shown(answersOn([])), "POST /v1/otlp/v1/traces")
    assert.include(shown(answersOn([decided({ isShadow: true })])), "Asked in shadow")
  })
})
