import { assert, it } from "@effect/vitest"
import { keyFigures } from "../../../packages/dashboard/src/KeyFigures.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { decided, reported } from "../../reports/rows.ts"
import { answersOn, htmlIn } from "./answers.ts"

const spentOn = (rows: ReadonlyArray<LedgerRow>): string =>
  /You spent.*?<\/li>/.exec(htmlIn(keyFigures(answersOn(rows))))?.[0] ?? ""

it("the spending is bills and tokens at list prices, filled and hollow, of a share of reports", () => {
  const both = spentOn([reported({ actualCostUsd: 3 }), reported({ computedCostUsd: 1 }), reported({}), reported({}), decided()])
  assert.include(both, "$4.00")
  assert.include(both, "$1.00 of it at list prices (1 call); of 50 % of the reports")
  assert.match(both, /width="75%"[^>]*class="bar"/)
  assert.match(both, /width="25%"[^>]*class="bar hollow"/)
})

it("the spending of tokens alone is known and hollow, and of bills alone filled", () => {
  const tokens = spentOn([reported({ computedCostUsd: 1 })])
  assert.include(tokens, "at list prices (1 call)")
  assert.notInclude(tokens, "of the reports")
  assert.notInclude(tokens, "class=\"bar\"")
  assert.notInclude(spentOn([reported({ actualCostUsd: 3 })]), "hollow")
})

it("the spending is not known only where no report has a bill or tokens", () => {
  const unknown = spentOn([reported({}), decided()])
  assert.include(unknown, "not known")
  assert.include(unknown, "no feedback carried a bill or tokens")
})

it("the saving names two of three own models, which its title has no place for", () => {
  const declared = { baselineModelId: "large", costDeclaredUsd: 0.5 }
  const answers = answersOn([
    ...Array.from({ length: 40 }, () => reported({ chosenModelId: "large", actualCostUsd: 0.5 }, declared)),
    reported({ actualCostUsd: 0.125 }, declared)
  ])
  const saved = (...names: ReadonlyArray<string>): string => {
    const baselines = names.map((model_id) => ({ model_id, n: 1 }))
    return htmlIn(keyFigures({ ...answers, dashboard: { ...answers.dashboard, baselines } }))
  }
  assert.include(saved("large", "opus", "gpt-5"), "most often large and opus")
  assert.notInclude(saved("large", "opus"), "most often")
})

it("the spending counts the models that it leaves out, unless an entry stands for several", () => {
  const answers = answersOn([reported({ actualCostUsd: 3 })])
  const [spent] = answers.dashboard.spend_by_day ?? []
  if (spent === undefined) return assert.fail("nothing was spent")
  const onModels = (...names: ReadonlyArray<string>): string => {
    const spend_by_day = names.map((model_id) => ({ ...spent, model_id }))
    return htmlIn(keyFigures({ ...answers, dashboard: { ...answers.dashboard, spend_by_day } }))
  }
  assert.include(onModels("a", "b", "c", "d"), "2 others $")
  const unnamed = onModels("a", "b", "c", "")
  assert.include(unnamed, "others $")
  assert.notMatch(unnamed, /\d others/)
})
