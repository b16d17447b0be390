/* The three copies of the engine that `bench:learning` compares. */
import { Effect } from "effect"
import { generator } from "../../../src/stats/Generator.ts"
import type { Picks } from "../arena/figures.ts"
import { recordedOf, type Truth } from "../arena/outcomes.ts"
import { shuffled } from "../arena/random.ts"
import { advise, type ReplayTask, serviceOf, type Stream, streamOf, turn } from "../arena/replay.ts"
import { curveOf, type DecileFigures } from "./deciles.ts"

/**
 * Three copies of one engine on one order of prompts: one that learns, one whose feedback is withheld, and
 * one that gets the outcomes of other prompts. What the last one still learns is how good and dear each model
 * is on the whole; what it cannot learn is which prompts a model is good at.
 */
export const copies = ["learning", "cold", "shuffled"] as const
export type Copy = (typeof copies)[number]

export interface LearningTask {
  readonly copy: Copy
  readonly replay: ReplayTask
}

/** What one copy did with one order of a set. */
export interface LearningReport {
  readonly set: string
  readonly seed: number
  readonly copy: Copy
  readonly rows: number
  readonly runs: ReadonlyArray<{
    readonly slider: number
    readonly deciles: ReadonlyArray<DecileFigures>
  }>
}

/** Each model's outcomes dealt to other prompts, every model by a shuffle of its own. */
export const dealt = (
  truth: ReadonlyArray<Truth>,
  modelIds: ReadonlyArray<string>,
  seed: number
): ReadonlyArray<Truth> => {
  const random = generator(seed + 99)
  const columns = modelIds.map((modelId) =>
    [modelId, shuffled(truth.map((models) => recordedOf(models, modelId)), random)] as const)
  return truth.map((_, i) => Object.fromEntries(columns.map(([modelId, own]) => [modelId, own[i]!])))
}

const follow = Effect.fnUntraced(function*(task: LearningTask, stream: Stream, slider: number) {
  const { copy, replay } = task
  const lane = `learning-${replay.set}-${slider}-${replay.seed}`
  const modelIds: Array<string> = []
  const predicted: Array<number> = []
  for (let index = 0; index < stream.rows.length; index++) {
    const advice = copy === "cold"
      ? yield* advise(replay, stream, index, slider, lane)
      : (yield* turn(replay, stream, index, slider, lane)).advice
    modelIds.push(advice.modelId)
    predicted.push(advice.predicted)
  }
  const picks: Picks = { slider, modelIds, predicted }
  return picks
})

/** One copy through one order of one set, every slider with an engine of its own. */
export const runCopy = (task: LearningTask) =>
  Effect.gen(function*() {
    const { copy, replay } = task
    const stream = streamOf(replay)
    const taught: Stream = copy === "shuffled"
      ? { ...stream, truth: dealt(stream.truth, stream.modelIds, replay.seed) }
      : stream
    const picked = yield* Effect.forEach(replay.sliders, (slider) =>
      follow(task, taught, slider).pipe(Effect.provide(serviceOf(replay, stream))))
    const report: LearningReport = {
      set: replay.set,
      seed: replay.seed,
      copy,
      rows: stream.rows.length,
      runs: picked.map((picks) => ({
        slider: picks.slider,
        deciles: curveOf(stream.truth, stream.modelIds, picks)
      }))
    }
    return report
  })
