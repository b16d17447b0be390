import { Effect } from "effect"
import type { AccountId } from "../../domain/Scope.ts"
import { clusterOf, type TaskInput } from "../../domain/Task.ts"
import { Reasoner, type ReasonerFailed } from "../../reasoner/Reasoner.ts"
import { classify as classifyText } from "../classifier/Classifier.ts"
import type { Classified } from "./Candidate.ts"
import { span } from "../Span.ts"

/** What the task is without asking anyone: the caller's word, else the trained classifier's. */
export const heuristic = (task: TaskInput): Classified => {
  const guess = task.taskType === null || task.difficulty === null ? classifyText(task.task) : null
  const taskType = task.taskType ?? guess?.taskType ?? "other"
  const difficulty = task.difficulty ?? guess?.difficulty ?? "medium"
  return {
    taskType,
    difficulty,
    cluster: clusterOf(taskType, difficulty),
    isDifficultyGiven: task.difficulty !== null,
    isUncertain: task.taskType === null && (guess?.isUncertain ?? true),
    isRefined: false
  }
}

/**
 * {@link heuristic}, refined by the reasoner when it is uncertain, one is configured, and the caller allows
 * it.
 */
export const classify = Effect.fnUntraced(function*(
  accountId: AccountId,
  task: TaskInput,
  allowEscalation: boolean
): Effect.fn.Return<Classified, ReasonerFailed, Reasoner> {
  const reasoner = yield* Reasoner
  const guess = heuristic(task)
  if (!guess.isUncertain || !allowEscalation) return guess
  return yield* reasoner.classify(accountId, task.task).pipe(
    Effect.map((refined): Classified => {
      const difficulty = task.difficulty ?? refined.difficulty
      return {
        ...guess,
        taskType: refined.taskType,
        difficulty,
        cluster: clusterOf(refined.taskType, difficulty),
        isUncertain: false,
        isRefined: true
      }
    }),
    // Nobody to ask is no loss here: the guess stands and no escalation was suggested.
    Effect.catchTag("ReasonerDisabled", () => Effect.succeed(guess))
  )
}, span("classify"))
