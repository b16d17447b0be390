/** The difficulty of a task from its text, for all models alike: linear in its shape and its words. */
import { readFileSync } from "node:fs"
import { type shapeNames, shapeOf } from "./Shape.ts"

/** The trained line, in logits of failure: positive is harder than a task of medium difficulty. */
export interface DifficultyWeights {
  readonly intercept: number
  /** Of the difficulty that the words alone say, which is in [0, 4]. */
  readonly words: number
  /** Of each count, in the order of {@link shapeNames}. */
  readonly shape: ReadonlyArray<number>
}

/** Largest difficulty to either side of medium, logit. */
const largest = 2

/** The difficulty of a text whose words say `words`, logit; the line before it is bounded. */
export const line = (weights: DifficultyWeights, words: number, shape: ArrayLike<number>): number => {
  let sum = weights.intercept + weights.words * words
  for (let index = 0; index < weights.shape.length; index++) sum += weights.shape[index]! * shape[index]!
  return sum
}

/** Written by `scripts/training/difficulty.ts`; its numbers are as many as {@link shapeNames}. */
const committed = (): DifficultyWeights =>
  // Seam: the file is ours, and its test reads every field.
  JSON.parse(readFileSync(new URL("./difficulty.json", import.meta.url), "utf8")) as DifficultyWeights

export const difficultyWeights = committed()

/** The difficulty of a text, of which the words alone say `words`, logit in [-2, 2]. */
export const difficultyLogitOf = (text: string, words: number): number =>
  Math.min(largest, Math.max(-largest, line(difficultyWeights, words, shapeOf(text))))
