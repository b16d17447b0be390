import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { classification, ranking } from "../../src/reasoner/Questions.ts"
import type { Contender } from "../../src/reasoner/Reasoner.ts"

const contenders: ReadonlyArray<Contender> = [
  { modelId: "a", predictedSuccess: 0.123456, priceClass: "low" },
  { modelId: "b", predictedSuccess: 1, priceClass: "high" }
]

describe("A question", () => {
  it.prop("holds any task as one JSON string, from which the task can be read back", { task: Schema.String }, ({ task }) => {
    for (const { data, instructions } of [classification(task), ranking(task, contenders)]) {
      assert.strictEqual(JSON.parse(data).task, task)
      assert.isTrue(task.length < 20 || !instructions.includes(task))
    }
  })
  it("shows the beginning and the end of a long task", () => {
    const { task } = JSON.parse(ranking(`start${"x".repeat(100_000)}end`, contenders).data)
    assert.isBelow(task.length, 4_002)
    assert.match(task, /^startx.*xend$/s)
  })
  it("names each candidate with its predicted success, rounded, and its price class", () => {
    assert.deepStrictEqual(JSON.parse(ranking("sum", contenders).data).candidates, [
      { model_id: "a", price_class: "low", predicted_success: 0.123 },
      { model_id: "b", price_class: "high", predicted_success: 1 }
    ])
  })
})

describe("A ranking", () => {
  const { read, schema } = ranking("sum", contenders)
  const Entry = schema.fields.ranking
  it.prop("of any content yields only known models, each once, with a probability", { entries: Entry }, (
    { entries }
  ) => {
    const impossible = [-1, 1.0001, 1e308, NaN, Infinity].map((predictedSuccess) => ({ modelId: "a", predictedSuccess, rationale: "" }))
    assert.isNull(read({ ranking: impossible }))
    const said = [...impossible, ...entries, ...entries.map((each) => ({ ...each, modelId: "b" }))]
    const opinions = read({ ranking: said }) ?? []
    assert.isTrue(opinions.every(({ predictedSuccess: p }) => p >= 0 && p <= 1))
    const names = opinions.map(({ modelId }) => modelId)
    assert.strictEqual(new Set(names).size, names.length)
    assert.isTrue(names.every((name) => name === "a" || name === "b"))
  })
  it("has its rationales cut between characters", () => {
    const [opinion] = read({ ranking: [{ modelId: "a", predictedSuccess: 1, rationale: "x".repeat(299) + "🦉" }] }) ?? []
    assert.strictEqual(opinion?.rationale.length, 300)
    assert.isTrue(opinion?.rationale.isWellFormed())
  })
})
