/** The trained classifier: task type and coarse difficulty of a task from its text alone. */
import { type Difficulty, difficulties, type TaskType, taskTypes } from "../../domain/Task.ts"
import { features } from "./Features.ts"
import { load, scores, softmax } from "./Weights.ts"

/** Probability under which the type is `other`; 0.35 was up to 1.4 points worse on intents left out. */
export const probabilityMin = 0.25
/** Probability under which the type is doubtful, so that a reasoner may refine it. */
export const certainProbabilityMin = 0.6

/**
 * Text says little about how hard a task is inside one kind of request (rank correlation near 0.1 with real
 * failures), so its score moves only part of the way from medium.
 */
const difficultyShrinkage = 0.85
const medium = 2

/**
 * Type and difficulty of a text. `difficultyScore` is in [0, 4], 2 being medium; `probabilities` sum to 1.
 */
interface TextClassification {
  readonly taskType: TaskType
  /**
   * Probability of the likeliest type, which is not `taskType` when that is `other` for want of certainty.
   */
  readonly probability: number
  readonly probabilities: Readonly<Record<TaskType, number>>
  readonly isUncertain: boolean
  readonly difficulty: Difficulty
  readonly difficultyScore: number
}

const weights = load()

const recordOf = (values: Float64Array) => {
  const record: Partial<Record<TaskType, number>> = {}
  taskTypes.forEach((taskType, index) => { record[taskType] = values[index]! })
  // Seam: the loop above writes every key of the closed union.
  return record as Record<TaskType, number>
}

/** Score in [0, 4], from the regression's output, shrunk towards medium. */
export const shrink = (raw: number): number =>
  Math.min(4, Math.max(0, medium + difficultyShrinkage * (raw - medium)))

/**
 * Type and coarse difficulty of a task from its text alone: a linear model over hashed features
 * (`Features.ts`), with weights from `scripts/training/classifier.ts`. Pure and deterministic; never fails.
 */
export const classify = (task: string): TextClassification => {
  const logits = scores(weights, features(task))
  const distribution = softmax(logits, taskTypes.length, weights.temperature)
  let best = 0
  for (let index = 1; index < distribution.length; index++) {
    if (distribution[index]! > distribution[best]!) best = index
  }
  const probability = distribution[best]!
  const difficultyScore = shrink(logits[taskTypes.length]!)
  return {
    taskType: probability < probabilityMin ? "other" : taskTypes[best]!,
    probability,
    probabilities: recordOf(distribution),
    isUncertain: probability < certainProbabilityMin,
    difficulty: difficulties[Math.round(difficultyScore)]!,
    difficultyScore
  }
}
