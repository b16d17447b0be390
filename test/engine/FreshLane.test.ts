/* A lane's first outcomes, which are of other models and of other kinds of task than what is asked next. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { engine, learn, recommend } from "./pipelines.ts"
import { bundledCatalog } from "../support/undatedCatalog.ts"

const lists = [
  ["gpt-5-nano", "gpt-5-mini", "gpt-5"],
  ["claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5"],
  // Nothing measured claude-haiku-5-5: its prior is its family's.
  ["claude-haiku-5-5", "gpt-5-mini", "claude-sonnet-5-5"]
]
const kinds = ["code", "qa", "creative", "summarization", "reasoning"] as const

it.effect.each(lists.map((candidateModels) => ({ candidateModels })))("two successes make no model of $candidateModels the default that has not run", ({ candidateModels }) =>
  Effect.gen(function*() {
    for (const [account, ran] of candidateModels.entries()) {
      const ask = (taskType: typeof kinds[number], text: string, costQualityTradeoff: number) =>
        recommend({
          task: { task: text, taskType, difficulty: null }, costQualityTradeoff, constraints: { candidateModels }
        }, `account-${account}`)
      const picksOf = () => Effect.forEach([2.5, 5, 7.5], (slider) =>
        Effect.forEach(kinds, (kind) =>
          Effect.map(ask(kind, `Work on the ${kind} of our spring release`, slider), (answer) => answer.recommendedModel.modelId)))
      const before = (yield* picksOf()).flat()
      for (const text of ["Label this ticket: the parcel is late", "Label this ticket: the invoice is wrong"]) {
        const about = yield* recommend({
          task: { task: text, taskType: "classification", difficulty: null }, constraints: { candidateModels }
        }, `account-${account}`)
        yield* learn(about, { chosenModelId: ran }, `account-${account}`)
      }
      const after = (yield* picksOf()).flat()
      after.forEach((pick, i) => assert.include([before[i], ran], pick, `${ran} ran`))
    }
  }).pipe(Effect.provide(engine({ catalog: bundledCatalog }))))
