/** The difficulty of a task from its text, for all models alike: linear in its shape and its words. */
import { readFileSync } from "node:fs"
import { type Difficulty, difficulties } from "../../domain/Task.ts"
import { type shapeNames, shapeOf } from "./Shape.ts"

/** The trained line, in logits of failure: positive is harder than a task of medium difficulty. */
export interface DifficultyWeights {
  readonly intercept: number
  /** Of the difficulty that the words alone say, which is in [0, 4]. */
  readonly words: number
  /** Of each count, in the order of {@link shapeNames}. */
  readonly shape: ReadonlyArray<number>
  /** Where each level but the first begins, logit, ascending. */
  readonly levelsFrom: ReadonlyArray<number>
}

/** Largest difficulty to either side of medium, logit. */
const largest = 2

/** The difficulty of a text whose words say `words`, logit; the line before it is bounded. */
export const line = (weights: DifficultyWeights, words: number, shape: ArrayLike<number>): number => {
  let sum = weights.intercept + weights.words * words
  for (let index = 0; index < weights.shape.length; index++) sum += weights.shape[index]! * shape[index]!
  return sum
}

/** The level of a difficulty. */
export const levelOf = ({ levelsFrom }: DifficultyWeights, logit: number): Difficulty =>
  difficulties[levelsFrom.filter((from) => logit >= from).length]!

/** A difficulty as a logit in [-2, 2] and as a level. */
interface ReadDifficulty {
  readonly difficulty: Difficulty
  readonly logit: number
}

/** Written by `scripts/training/difficulty.ts`; its numbers are as many as {@link shapeNames}. */
const committed = (): DifficultyWeights =>
  // Seam: the file is ours, and its test reads every field.
  JSON.parse(readFileSync(new URL("./difficulty.json", import.meta.url), "utf8")) as DifficultyWeights

export const difficultyWeights = committed()

/** The difficulty of a text, of which the words alone say `words`, in [0, 4]. */
export const difficultyOf = (text: string, words: number): ReadDifficulty => {
  const raw = line(difficultyWeights, words, shapeOf(text))
  const logit = Math.min(largest, Math.max(-largest, raw))
  return { difficulty: levelOf(difficultyWeights, logit), logit }
}
