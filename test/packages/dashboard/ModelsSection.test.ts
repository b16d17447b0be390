import { assert, describe, it } from "@effect/vitest"
import { modelsSection } from "../../../packages/dashboard/src/ModelsSection.ts"
import { driftSection } from "../../../packages/dashboard/src/ReliabilitySection.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { reported } from "../../reports/rows.ts"
import { answersOn, htmlIn } from "./answers.ts"

const textOn = (rows: ReadonlyArray<LedgerRow>): string => htmlIn(modelsSection(answersOn(rows)))

it("a drifting model is shown with what a call costs, and one of the model that ran most", () => {
  const own = reported({ actualCostUsd: 0.5, outcome: "failure" })
  const other = { recommendedModelId: "large" }
  const answers = answersOn([own, own, reported({ chosenModelId: "large", actualCostUsd: 2 }, other)])
  const { cluster, model_id } = answers.dashboard.cluster_models.find((cell) => cell.model_id !== "large")
    ?? assert.fail("no cell")
  const of = (cluster: string, model_id: string) => {
    const drift_flags = [{ cluster, model_id, direction: "over_predicting" }] as const
    return htmlIn(driftSection({ ...answers, calibration: { ...answers.calibration, drift_flags } }))
  }
  assert.include(of(cluster, model_id),
    "A call of it was billed $0.50 there, and one of large, which ran most beside it, $2.00.")
  for (const text of [of("qa:hard", model_id), of(cluster, "another")]) assert.notInclude(text, "billed")
})

describe("the models by kind of task", () => {
  const plausible = [reported({ actualCostUsd: 0.25 }), reported({ actualCostUsd: 0.75 })]

  it("say that an implausible bill is left out of what a call is billed", () => {
    const text = textOn([...plausible, reported({ actualCostUsd: 500_000 }, { isShadow: true })])
    assert.include(text, "$0.50")
    assert.include(text, "3, 1 left out as implausible")
    assert.notInclude(text, "$166")
    assert.include(textOn([reported({ actualCostUsd: 500_000 })]), "not known")
  })

  it("say nothing of it where every bill counts", () => {
    assert.notInclude(textOn(plausible), "implausible")
  })
})
