/** Stage 1: classifies the task by type and difficulty. */
import { Effect } from "effect"
import type { AccountId } from "../../domain/Scope.ts"
import { clusterOf, type TaskInput } from "../../domain/Task.ts"
import { type Consulted, Reasoner, type ReasonerFailed } from "../../reasoner/Reasoner.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { classify as classifyText } from "../classifier/Classifier.ts"
import type { Classified } from "./candidates/Candidate.ts"

/** The caller's classification, else the classifier's. An unknown difficulty counts as medium. */
export const heuristic = (task: TaskInput): Classified => {
  // The tokens of a run are those of all its calls, so they do not show that the text ends a conversation.
  const inputTokens = task.unit === "call" ? task.expectedInputTokens : null
  const isGiven = task.taskType !== null && task.difficulty !== null
  const guess = isGiven ? null : classifyText(task.task, inputTokens)
  const taskType = task.taskType ?? guess?.taskType ?? "other"
  const difficulty = task.difficulty ?? guess?.difficulty ?? "medium"
  const isDifficultyKnown = task.difficulty !== null || guess?.isDifficultySure === true
  return {
    taskType,
    difficulty,
    cluster: clusterOf(taskType, difficulty, task.unit),
    isDifficultyKnown,
    difficultyLogit: isDifficultyKnown ? null : guess?.difficultyLogit ?? null,
    isUncertain: task.taskType === null && (guess?.isUncertain ?? true),
    isRefined: false
  }
}

/** The guess stays unchanged if no reasoner is configured. */
const refined = (
  reasoner: Reasoner["Service"],
  accountId: AccountId,
  task: TaskInput,
  guess: Classified
): Effect.Effect<Consulted<Classified>, ReasonerFailed> =>
  reasoner.classify(accountId, task.task).pipe(
    Effect.map(({ answer, costUsd }): Consulted<Classified> => {
      const difficulty = task.difficulty ?? answer.difficulty
      return {
        answer: {
          ...guess,
          taskType: answer.taskType,
          difficulty,
          cluster: clusterOf(answer.taskType, difficulty, task.unit),
          isDifficultyKnown: true,
          difficultyLogit: null,
          isUncertain: false,
          isRefined: true
        },
        costUsd
      }
    }),
    Effect.catchTag("ReasonerDisabled", () => Effect.succeed({ answer: guess, costUsd: null }))
  )

const classifying = stage("classify")

/** The reasoner refines the classification if the task type is uncertain and the caller allows it. */
export const classify = (
  accountId: AccountId,
  task: TaskInput,
  allowEscalation: boolean
): Effect.Effect<Consulted<Classified>, ReasonerFailed, Reasoner> =>
  classifying(Effect.suspend(() => {
    const guess = heuristic(task)
    return guess.isUncertain && allowEscalation
      ? Effect.flatMap(Reasoner, (reasoner) => refined(reasoner, accountId, task, guess))
      : Effect.succeed({ answer: guess, costUsd: null })
  }))
