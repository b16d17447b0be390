/* The attempts at a task: the best one, their cost, and their form in a request. */
import { outcomeOf } from "../Sextant.ts"
import type { TaskAttempt } from "../Wire.ts"

export interface Attempt<Id extends string = string, A = unknown> {
  readonly modelId: Id
  readonly result: A
  /** The check's verdict, from 0 to 1; null without one. */
  readonly quality: number | null
  /**
   * Cost of the attempt and its check, USD: by `usage`, otherwise the service's estimate; null if neither is
   * known.
   */
  readonly costUsd: number | null
  readonly isEstimate: boolean
  /** The id is null if the service gave no answer. */
  readonly recommendationId: string | null
}

/** Largest number of attempts in a request, count. */
const namedMax = 16

/** Whether a quality passes, which means that `score` labels it a success. */
export const passes = (quality: number): boolean => outcomeOf(quality) === "success"

/** The best attempt, the newest among equals. An attempt without a verdict is better than a failed one. */
export const bestOf = <Id extends string, A>(
  attempts: ReadonlyArray<Attempt<Id, A>>
): Attempt<Id, A> | null => {
  const worth = ({ quality }: Attempt<Id, A>): number => quality ?? 0.5
  return [...attempts].sort((a, b) => worth(a) - worth(b)).at(-1) ?? null
}

/** The sum, rounded to billionths so that three times 0.1 is 0.3; null if a cost is unknown. */
export const sumOf = (costs: ReadonlyArray<number | null>): number | null => {
  let sum = 0
  for (const cost of costs) {
    if (cost === null) return null
    sum += cost
  }
  return Math.round(sum * 1e9) / 1e9
}

/** The attempts in the form of a request. The service reads the other fields only if the id has no report. */
export const toldOf = (
  attempts: ReadonlyArray<Pick<Attempt, "modelId" | "quality" | "recommendationId">>,
  source: TaskAttempt["evidence_source"],
  before: ReadonlyArray<TaskAttempt> = []
): ReadonlyArray<TaskAttempt> =>
  [...before, ...attempts.map(({ modelId, quality, recommendationId }): TaskAttempt => ({
    recommendation_id: recommendationId,
    model_id: modelId,
    outcome: quality === null ? null : outcomeOf(quality),
    evidence_source: source
  }))].slice(-namedMax)
