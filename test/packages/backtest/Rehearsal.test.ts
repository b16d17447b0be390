import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerInProcess, Service } from "../../../scripts/bench/arena/service.ts"
import { excerptOf } from "../../../src/domain/Task.ts"
import { embedLexical, lexicalDimensions } from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { classifyTask, computedUsdOf, makeRehearsal, type RehearsedTask } from "../../../packages/backtest/src/Rehearsal.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import { generator } from "../../../src/stats/Generator.ts"
import { catalogJson, snapshot } from "./logs.ts"

const hourMs = 3_600_000

const rehearsalOf = (cards: Parameters<typeof makeRehearsal>[0]["cards"]) =>
  makeRehearsal({
    cards, sliders: [5], dimensions: lexicalDimensions, settings: defaults, memory: memorySettings, beganMs: 0
  })

const taskOf = (text: string, atMs: number): RehearsedTask => ({
  atMs, classified: classifyTask(text, "qa", "medium"), tags: [], vector: embedLexical(excerptOf(text)),
  inputTokens: 500
})

/** Eighty questions of two kinds: a model does well at one of them, and the other at both. */
const questions = () => {
  const random = generator(11)
  return Array.from({ length: 80 }, (_, number) => {
    const isLegal = random() < 0.5
    const modelId = random() < 0.5 ? "able-mini" : "large"
    return {
      number, modelId,
      text: isLegal
        ? `Which clause of the lease ${number % 9} binds the tenant?`
        : `How many moons does planet ${number % 9} have?`,
      quality: random() < (isLegal && modelId === "able-mini" ? 0.2 : 0.9) ? 1 : 0
    }
  })
}

describe("a rehearsal", () => {
  it.effect("predicts and picks what the service does for the same calls and outcomes", () =>
    Effect.gen(function*() {
      const service = yield* Service
      const { models } = yield* snapshot
      const cards = ["able-mini", "large"].map((id) => models.find(({ modelId }) => modelId === id)!)
      const rehearsal = rehearsalOf(cards)
      let same = 0
      for (const { modelId, number, quality, text } of questions()) {
        const task = taskOf(text, number * hourMs)
        const asked = rehearsal.ask(task)
        const advice = yield* service.recommend({
          task: { task: text, task_type: "qa", difficulty: "medium", expected_input_tokens: 500 },
          constraints: { candidate_models: cards.map((card) => card.modelId) }, cost_quality_tradeoff: 5
        })
        asked.predicted.forEach(({ card, optimisticSuccess, predictedSuccess }) => {
          // The answer shows the optimistic prediction where that counts. The service also lets outcomes vote
          // on each other, which moves a prediction a little.
          const answered = advice.predictions.get(card.modelId)!
          const distance = Math.min(...[predictedSuccess, optimisticSuccess].map((each) => Math.abs(each - answered)))
          assert.isBelow(distance, 0.02, `call ${number}`)
        })
        if (cards[asked.picks[0]!]!.modelId === advice.modelId) same++
        rehearsal.learn(task, asked, {
          observationId: String(number), modelId, quality, provenance: "gate", inputTokens: 500,
          outputTokens: 100, costUsd: 0.001, latencyMs: 900
        })
        yield* service.feedback({
          recommendation_id: advice.recommendationId, chosen_model_id: modelId,
          outcome: quality === 1 ? "success" : "failure", quality_score: quality, evidence_source: "gate",
          input_tokens: 500, output_tokens: 100, actual_cost_usd: 0.001, latency_ms: 900
        })
        yield* TestClock.adjust("1 hour")
      }
      assert.isAtLeast(same, 77)
    }).pipe(Effect.provide(layerInProcess(catalogJson, {}))))

  it.effect("learns a label by its source, measurements without one, and of a failed provider nothing", () =>
    Effect.gen(function*() {
      const { models } = yield* snapshot
      const ask = (provenance: "gate" | "judge" | "none", quality: number | null) => {
        const rehearsal = rehearsalOf(models)
        const task = taskOf("Sum the list", 0)
        for (let i = 0; i < 5; i++) {
          rehearsal.learn(task, rehearsal.ask(task), {
            observationId: String(i), modelId: models[0]!.modelId, quality, provenance, inputTokens: null,
            outputTokens: 2_000, costUsd: null, latencyMs: null
          })
        }
        const { expectedUsd, success } = rehearsal.ask(task)
        return { success: success[0]!, expectedUsd: expectedUsd[0]! }
      }
      const [gate, judge, none] = [ask("gate", 0), ask("judge", 0), ask("none", null)]
      assert.isBelow(gate.success, judge.success)
      assert.isBelow(judge.success, none.success)
    }))
})

describe("what a rehearsal knows of a task", () => {
  it("is its text's kind, what the log names, and `other` without either", () => {
    assert.strictEqual(classifyTask("Translate this sentence into French: good morning", null, null).taskType, "translation")
    assert.deepInclude(classifyTask("Translate this", "code", "hard"), {
      taskType: "code", difficulty: "hard", isDifficultyKnown: true
    })
    assert.deepInclude(classifyTask(null, null, null), { cluster: "other:medium", isDifficultyKnown: true })
  })

  it.effect("prices tokens as a feedback without a bill", () =>
    Effect.map(snapshot, ({ models }) => {
      const card = models.find(({ modelId }) => modelId === "large")!
      const tokens = { inputTokens: 900, cachedInputTokens: null, cacheWriteInputTokens: null, outputTokens: 100, reasoningTokens: null, serviceTier: null, webSearches: null }
      assert.closeTo(computedUsdOf(card, tokens) ?? 0, 0.01, 1e-12)
      assert.closeTo(computedUsdOf(card, { ...tokens, serviceTier: "batch" }) ?? 0, 0.005, 1e-12)
      const extraPrices = { serviceTierRatio: { flex: 0.4 }, searchUsd: 0.02 }
      assert.closeTo(computedUsdOf({ ...card, extraPrices }, { ...tokens, serviceTier: "flex", webSearches: 2 }) ?? 0, 0.044, 1e-12)
      assert.isNull(computedUsdOf(card, { ...tokens, outputTokens: null }))
    }))
})
