import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Difficulty } from "../../src/domain/Task.ts"
import type { Settings } from "../../src/engine/Settings.ts"
import { generator } from "../../src/stats/Generator.ts"
import { engine, learn, recommend } from "../engine/pipelines.ts"
import { measuredCard, snapshot, task } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"

/** A model of each kind, and how likely it is to succeed at an easy and at a hard task. */
const truths = [
  { modelId: "cheap", usdPerMtok: 0.2, easy: 0.9, hard: 0.3 },
  { modelId: "middle", usdPerMtok: 1, easy: 0.92, hard: 0.5 },
  { modelId: "strong", usdPerMtok: 5, easy: 0.95, hard: 0.7 }
]
// Equal benchmarks, so that only outcomes tell the models apart.
const catalog = catalogOf(snapshot(truths.map(({ modelId, usdPerMtok }) => measuredCard(modelId, 0.7, usdPerMtok))))

const subjects = ["the invoices", "a parser", "the tests", "two tables", "the logs", "a queue", "a cache", "the menu"]
const difficulties = ["easy", "hard"] as const

interface History {
  /** The model that the caller runs, whatever was recommended. */
  readonly chosen: (difficulty: "easy" | "hard", late: boolean) => "cheap" | "strong"
  /** Share of hard tasks in the first and in the second half. */
  readonly hardShares: readonly [number, number]
}

const outcomes = 200
/** Share of the calls in which the caller tries any model. */
const trialShare = 0.1

/** Root of the mean squared error of the predictions after a history, over all models and both difficulties. */
const errorAfter = (history: History, seed: number, settings: Parameters<typeof Settings.layer>[0]) =>
  Effect.gen(function*() {
    const random = generator(seed)
    const asked = (difficulty: Difficulty) =>
      recommend({ task: task({ task: `Describe ${subjects[Math.floor(random() * subjects.length)]}`, difficulty }) })
    for (let i = 0; i < outcomes; i++) {
      const late = i >= outcomes / 2
      yield* TestClock.adjust(i === outcomes / 2 ? "21 days" : "1 minute")
      const difficulty = random() < history.hardShares[late ? 1 : 0] ? "hard" : "easy"
      const advice = yield* asked(difficulty)
      const tried = truths[Math.floor(random() * truths.length)]!
      const chosen = random() < trialShare ? tried.modelId : history.chosen(difficulty, late)
      const truth = truths.find(({ modelId }) => modelId === chosen)!
      const isSuccess = random() < truth[difficulty]
      yield* learn(advice, {
        chosenModelId: chosen, outcome: isSuccess ? "success" : "failure", qualityScore: isSuccess ? 1 : 0
      })
    }
    let squares = 0
    for (const difficulty of difficulties) {
      const { ranked } = yield* asked(difficulty)
      for (const truth of truths) {
        const predicted = ranked.find(({ modelId }) => modelId === truth.modelId)?.predictedSuccess ?? 0
        squares += (predicted - truth[difficulty]) ** 2
      }
    }
    return Math.sqrt(squares / (difficulties.length * truths.length))
  }).pipe(Effect.provide(engine({ catalog, settings })))

const histories: Readonly<Record<string, History>> = {
  "callers overrule the advice and send one model the hard half": {
    chosen: (difficulty) => difficulty === "hard" ? "strong" : "cheap", hardShares: [0.5, 0.5]
  },
  "the choice changed over time together with the tasks": {
    chosen: (_difficulty, late) => late ? "cheap" : "strong", hardShares: [0.85, 0.15]
  }
}

for (const [title, history] of Object.entries(histories)) {
  it.effect(`predictions are nearer to the truth by the correction where ${title}`, () =>
    Effect.gen(function*() {
      const seeds = [11, 12]
      const mean = (settings: Parameters<typeof Settings.layer>[0]) =>
        Effect.map(
          Effect.forEach(seeds, (seed) => errorAfter(history, seed, settings)),
          (errors) => errors.reduce((sum, error) => sum + error, 0) / seeds.length
        )
      const corrected = yield* mean({})
      // A clip at 1 leaves every outcome its own weight.
      const plain = yield* mean({ inversePropensityMin: 1, inversePropensityMax: 1 })
      assert.isBelow(corrected, plain - 0.005)
    }), 60_000)
}
