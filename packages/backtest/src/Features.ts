/* Reads a task's text ahead of the replay: its direction, type and difficulty. */
import { type Difficulty, difficulties, type TaskType, taskTypes } from "../../../src/domain/Task.ts"
import { classifyTask } from "./Rehearsal.ts"
import { vectorSteps } from "./LogRow.ts"

/** A text and what the log says of its kind. */
export interface TextToRead {
  readonly text: string
  readonly taskType: TaskType | null
  readonly difficulty: Difficulty | null
}

/** What was read of a batch of texts, column by column. */
export interface Features {
  readonly taskTypes: Uint8Array<ArrayBuffer>
  readonly difficulties: Uint8Array<ArrayBuffer>
  readonly vectors: Int16Array<ArrayBuffer>
}

/** Writes a direction in whole steps of its largest coordinate; all zero without one. */
const writeSteps = (vector: Float32Array, into: Int16Array): void => {
  let largest = 0
  for (const coordinate of vector) largest = Math.max(largest, Math.abs(coordinate))
  if (!(largest > 0)) return
  for (let i = 0; i < vector.length; i++) into[i] = Math.round(vector[i]! / largest * vectorSteps)
}

/** Reads a batch of texts. */
export const featuresOf = (
  texts: ReadonlyArray<TextToRead>,
  embed: (text: string) => Float32Array,
  dimensions: number
): Features => {
  const features: Features = {
    taskTypes: new Uint8Array(texts.length),
    difficulties: new Uint8Array(texts.length),
    vectors: new Int16Array(texts.length * dimensions)
  }
  texts.forEach(({ difficulty, taskType, text }, i) => {
    const classified = classifyTask(text, taskType, difficulty)
    features.taskTypes[i] = taskTypes.indexOf(classified.taskType)
    features.difficulties[i] = difficulties.indexOf(classified.difficulty)
    writeSteps(embed(text), features.vectors.subarray(i * dimensions, (i + 1) * dimensions))
  })
  return features
}
