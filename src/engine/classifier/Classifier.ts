/** The trained classifier: task type and difficulty of a task from its text. */
import { type Difficulty, difficulties, type TaskType, taskTypes } from "../../domain/Task.ts"
import { tempered } from "../../stats/Softmax.ts"
import { difficultyLogitOf } from "./Difficulty.ts"
import { featuresOf } from "./Features.ts"
import { withoutMaterial } from "./Material.ts"
import { ownText, squeeze } from "./Normalise.ts"
import { sureDifficulty } from "./SureDifficulty.ts"
import { load, scores } from "./Weights.ts"

/** If the likeliest type has a lower probability than this, the type is `other`. Measured. */
const probabilityMin = 0.25
/** Probability below which the type is doubtful, so that a reasoner may refine it. */
const certainProbabilityMin = 0.6

/** Minimum input tokens of a call whose text counts as the last turn of a conversation; chosen. */
const longInputTokens = 2_000

/** The `probabilities` of all types sum to 1. */
interface TextClassification {
  readonly taskType: TaskType
  readonly probability: number
  readonly probabilities: Readonly<Record<TaskType, number>>
  readonly isUncertain: boolean
  /** The difficulty that the text surely shows; `medium` if it shows none. */
  readonly difficulty: Difficulty
  readonly isDifficultySure: boolean
  /** Difference of the logit of failure from a task of medium difficulty, in [-2, 2]. */
  readonly difficultyLogit: number
  /** Difficulty by the hashed features alone, in [0, 4]. */
  readonly difficultyWords: number
}

const hardest = difficulties.length - 1

const weights = load()

const recordOf = (values: ReadonlyArray<number>) => {
  const record: Partial<Record<TaskType, number>> = {}
  taskTypes.forEach((taskType, index) => { record[taskType] = values[index]! })
  // The cast is safe, because the loop writes every task type.
  return record as Record<TaskType, number>
}

/**
 * Trained linear models and hand-written rules read the text. Classification depends only on `task` and
 * `inputTokens`.
 *
 * @param inputTokens tokens of the whole call, null if unknown; many tokens mean that the text ends a
 * conversation
 */
export const classify = (task: string, inputTokens: number | null = null): TextClassification => {
  const own = ownText(task)
  const text = squeeze(task, own)
  const asked = withoutMaterial(text)
  const logits = scores(weights, featuresOf(asked))
  const distribution = tempered(logits, weights.temperature, taskTypes.length)
  let best = 0
  for (let index = 1; index < distribution.length; index++) {
    if (distribution[index]! > distribution[best]!) best = index
  }
  const probability = distribution[best]!
  const difficultyWords = Math.min(hardest, Math.max(0, logits[taskTypes.length]!))
  const difficultyLogit = difficultyLogitOf(text, difficultyWords)
  const isUncertain = probability < certainProbabilityMin
  const isLastTurn = (inputTokens ?? 0) >= longInputTokens
  const sure = sureDifficulty({ task: own, text, asked, difficultyLogit, isUncertain, isLastTurn })
  return {
    taskType: probability < probabilityMin ? "other" : taskTypes[best]!,
    probability,
    probabilities: recordOf(distribution),
    isUncertain,
    difficulty: sure ?? "medium",
    isDifficultySure: sure !== null,
    difficultyLogit,
    difficultyWords
  }
}
