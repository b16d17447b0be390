/* A simulated log, and what the engine predicted of each row before it learned the row's outcome. */
import { Effect } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { deserialize, serialize } from "node:v8"
import { generator } from "../../../src/stats/Generator.ts"
import { advise, type ReplayTask, serviceOf, type Stream, streamOf, turn } from "../arena/replay.ts"
import { type Habit, loggedModels, modelsOf } from "./habits.ts"

/** Which log is simulated. */
export interface TraceTask {
  readonly replay: ReplayTask
  readonly habit: Habit
  /** The log that the engine learns from: this one, or the random one of the same order. */
  readonly learnsFrom: "own" | "random"
  /** Folder that keeps what was predicted, for later runs with the same engine; null for none. */
  readonly keep: string | null
}

/** Per row: the logged model, and whether its outcome and its bill are in the log. */
export interface SimulatedLog {
  readonly logged: ReadonlyArray<number>
  readonly isLabelled: ReadonlyArray<boolean>
  readonly isBilled: ReadonlyArray<boolean>
}

/** What was expected of each model before the row's outcome, index `row * models + model`. */
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

/** What an author with this habit would have logged. */
export const simulatedLog = (habit: Habit, { modelIds, rows }: Stream, seed: number): SimulatedLog => {
  const random = generator(seed * 101 + 17)
  return {
    logged: loggedModels(habit, rows, modelIds.length, random),
    isLabelled: rows.map(() => random() < labelledShare(seed)),
    isBilled: rows.map(() => random() < billedShare(seed))
  }
}

const played = Effect.fnUntraced(function*(task: TraceTask, stream: Stream, log: SimulatedLog, lane: string) {
  const { modelIds, rows } = stream
  const models = modelIds.length
  const predictions: Predictions = {
    success: new Float64Array(rows.length * models),
    expectedUsd: new Float64Array(rows.length * models)
  }
  for (let index = 0; index < rows.length; index++) {
    const ran = modelIds[log.logged[index]!]!
    const advice = log.isLabelled[index] === true
      ? (yield* turn(task.replay, stream, index, 5, lane, () => ran)).advice
      : yield* advise(task.replay, stream, index, 5, lane)
    modelIds.forEach((modelId, model) => {
      predictions.success[index * models + model] = advice.predictions.get(modelId) ?? NaN
      predictions.expectedUsd[index * models + model] = advice.estimatesUsd.get(modelId) ?? NaN
    })
  }
  return predictions
})

let last: { readonly name: string; readonly predictions: Predictions } | null = null

/** Plays a log through an engine of its own, unless this or, where they are kept, an earlier run has. */
export const predictionsOf = Effect.fnUntraced(function*(task: TraceTask, stream: Stream) {
  const { keep, learnsFrom, replay: { limit, seed, set } } = task
  const habit = learnsFrom === "own" ? task.habit : "random"
  const name = `${set}-${habit}-${seed}-${limit}`
  if (last?.name === name) return last.predictions
  const path = keep === null ? null : join(keep, `${name}.bin`)
  // The file is this function's own, of the same command.
  const kept = path !== null && existsSync(path) ? deserialize(readFileSync(path)) as Predictions : null
  const predictions = kept ?? (yield* played(task, stream, simulatedLog(habit, stream, seed), name).pipe(
    Effect.provide(serviceOf(task.replay, stream))
  ))
  if (path !== null && kept === null) writeFileSync(path, serialize(predictions))
  last = { name, predictions }
  return predictions
})
