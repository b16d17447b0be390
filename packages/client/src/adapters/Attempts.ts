/* The attempts at a task: their best, their cost, and their form in a request. */
import { outcomeOf } from "../Sextant.ts"
import type { TaskAttempt } from "../Wire.ts"

/** An attempt that came to a result. */
export interface Attempt<Id extends string = string, A = unknown> {
  readonly modelId: Id
  readonly result: A
  /** The check's verdict, from 0 to 1, or null. */
  readonly quality: number | null
  /** Cost with its check, USD: by `usage`, otherwise the service's estimate; null if neither is known. */
  readonly costUsd: number | null
  /** Whether the cost is the service's estimate. */
  readonly isEstimate: boolean
  /** The id is null if the service gave no answer. */
  readonly recommendationId: string | null
}

/** Most attempts that a request may name, count. */
const namedMax = 16

/** Whether a quality passes: as `score` labels it. */
export const passes = (quality: number): boolean => outcomeOf(quality) === "success"

/** The best attempt, the newest among equals. An unjudged attempt is better than a failed one. */
export const bestOf = <Id extends string, A>(
  attempts: ReadonlyArray<Attempt<Id, A>>
): Attempt<Id, A> | null => {
  const worth = ({ quality }: Attempt<Id, A>): number => quality ?? 0.5
  return [...attempts].sort((a, b) => worth(a) - worth(b)).at(-1) ?? null
}

/** The sum in whole billionths, so that three times 0.1 is 0.3; null if one is unknown. */
export const sumOf = (costs: ReadonlyArray<number | null>): number | null => {
  let sum = 0
  for (const cost of costs) {
    if (cost === null) return null
    sum += cost
  }
  return Math.round(sum * 1e9) / 1e9
}

/** The attempts as a request tells of them: the fields beside an id count where no report has arrived. */
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
