/* A simulated log, and what the engine predicted of each row before it learned the row's outcome. */
import { Effect } from "effect"
import { generator } from "../../../src/stats/Generator.ts"
import { advise, type ReplayTask, serviceOf, type Stream, streamOf, turn } from "../arena/replay.ts"
import { type Habit, loggedModels, modelsOf } from "./habits.ts"

/** Which log is simulated. */
export interface TraceTask {
  readonly replay: ReplayTask
  readonly habit: Habit
}

/** Per row: the logged model, and whether its outcome and its bill are in the log. */
export interface SimulatedLog {
  readonly logged: ReadonlyArray<number>
  readonly isLabelled: ReadonlyArray<boolean>
  readonly isBilled: ReadonlyArray<boolean>
}

/** Predictions of each model before the row's outcome, at the index `row * models + model`. */
export interface Predictions {
  readonly success: Float64Array
  readonly expectedUsd: Float64Array
}

/** Even orders lack two labels in five and one bill in five, at random. */
const labelledShare = (seed: number): number => seed % 2 === 0 ? 0.6 : 1
const billedShare = (seed: number): number => seed % 2 === 0 ? 0.8 : 1

/** The stream of a log: a set in one order, with few models. */
export const logStreamOf = (task: TraceTask): Stream => {
  const stream = streamOf(task.replay)
  const random = generator(task.replay.seed * 31 + 5)
  return { ...stream, modelIds: modelsOf(stream.rows, stream.modelIds, random) }
}

/** Simulates the log of an author with this habit. */
export const simulatedLog = (habit: Habit, { modelIds, rows }: Stream, seed: number): SimulatedLog => {
  const random = generator(seed * 101 + 17)
  return {
    logged: loggedModels(habit, rows, modelIds.length, random),
    isLabelled: rows.map(() => random() < labelledShare(seed)),
    isBilled: rows.map(() => random() < billedShare(seed))
  }
}

const played = Effect.fnUntraced(function*(replay: ReplayTask, stream: Stream, log: SimulatedLog, lane: string) {
  const { modelIds, rows } = stream
  const models = modelIds.length
  const predictions: Predictions = {
    success: new Float64Array(rows.length * models),
    expectedUsd: new Float64Array(rows.length * models)
  }
  for (let index = 0; index < rows.length; index++) {
    const ran = modelIds[log.logged[index]!]!
    const advice = log.isLabelled[index] === true
      ? (yield* turn(replay, stream, index, 5, lane, () => ran)).advice
      : yield* advise(replay, stream, index, 5, lane)
    modelIds.forEach((modelId, model) => {
      predictions.success[index * models + model] = advice.predictions.get(modelId) ?? NaN
      predictions.expectedUsd[index * models + model] = advice.estimatesUsd.get(modelId) ?? NaN
    })
  }
  return predictions
})

let last: { readonly name: string; readonly predictions: Predictions } | null = null

/** Plays the random log of the task's order through an engine, unless it has just been played. */
export const predictionsOf = Effect.fnUntraced(function*({ replay }: TraceTask, stream: Stream) {
  const { limit, seed, set } = replay
  const name = `${set}-${seed}-${limit}`
  if (last?.name === name) return last.predictions
  const predictions = yield* played(replay, stream, simulatedLog("random", stream, seed), name).pipe(
    Effect.provide(serviceOf(replay, stream))
  )
  last = { name, predictions }
  return predictions
})
