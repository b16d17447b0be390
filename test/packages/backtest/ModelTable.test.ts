import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chooseCandidates } from "../../../packages/backtest/src/Candidates.ts"
import { ModelTable, type ResolveModel } from "../../../packages/backtest/src/ModelTable.ts"
import { findModel } from "../../../src/catalog/Lookup.ts"
import { snapshot } from "./logs.ts"

const row = { inputTokens: null, outputTokens: null, costUsd: null }

const withTable = (fill: (table: ModelTable) => void) =>
  Effect.map(snapshot, (cards) => {
    const resolveModel: ResolveModel = (name) => findModel(cards, name) ?? null
    const table = new ModelTable(resolveModel)
    fill(table)
    return { cards, resolveModel, table }
  })

describe("the models of a log", () => {
  it.effect("are one model however it is spelled, and another with each level of effort", () =>
    Effect.map(withTable((table) => {
      table.count("able-mini", null, row)
      table.count("acme/able-mini", null, row)
      table.count("able-mini", "low", row)
      table.count("able-mini", "high", row)
    }), ({ table }) => {
      const named = table.models.map(({ card, modelId, rows }) => [modelId, card?.modelId, rows])
      assert.deepStrictEqual(named, [
        ["able-mini", "able-mini", 2], ["able-mini#effort=low", "able-mini#effort=low", 1],
        ["able-mini#effort=high", "able-mini#effort=high", 1]
      ])
    }))
})

describe("the candidates of a backtest", () => {
  const fill = (table: ModelTable) => {
    for (let i = 0; i < 100; i++) {
      table.count(`billed-${i % 20}`, null, { inputTokens: 90 + i, outputTokens: 9, costUsd: 0.001 })
      table.count("able-mini", null, row)
      if (i < 30) table.count("large", null, row)
      table.count("no-price", null, row)
    }
  }

  it.effect("are the models with most rows that have a price, by the catalog or by their bills", () =>
    Effect.map(withTable(fill), ({ cards, resolveModel, table }) => {
      const { candidates, leftOutModels, leftOutRows, unknown } = chooseCandidates(cards, table, resolveModel, null)
      assert.deepStrictEqual(candidates.map(({ card, pricedBy }) => [card.modelId, pricedBy]), [
        ["able-mini", "catalog"], ["large", "catalog"]
      ])
      assert.deepStrictEqual([leftOutModels, leftOutRows, unknown.length], [21, 200, 0])
    }))

  it.effect("are those that the command names, in any spelling, also without the log's having them", () =>
    Effect.map(withTable((table) => table.count("billed", null, { ...row, inputTokens: 9, outputTokens: 9, costUsd: 1 })),
      ({ cards, resolveModel, table }) => {
        const named = ["acme/large", "billed", "unheard-of", "large"]
        const { candidates, unknown } = chooseCandidates(cards, table, resolveModel, named)
        assert.deepStrictEqual(candidates.map(({ card, number }) => [card.modelId, number]), [
          ["large", null], ["billed", 0]
        ])
        // A dollar for 18 tokens, however many of them were read.
        assert.closeTo(candidates[1]!.card.inputCostPerMtok, 1e6 / 18, 1e-6)
        assert.deepStrictEqual(unknown, ["unheard-of"])
      }))

  it.effect("are all arms of a model that is named without a level of effort", () =>
    Effect.map(withTable((table) => {
      table.count("large", "low", row)
      table.count("large", "high", row)
    }), ({ cards, resolveModel, table }) => {
      const of = (name: string) =>
        chooseCandidates(cards, table, resolveModel, [name]).candidates.map(({ card }) => card.modelId)
      assert.deepStrictEqual(of("large"), ["large#effort=low", "large#effort=high"])
      assert.deepStrictEqual(of("large#low"), ["large#effort=low"])
    }))
})
