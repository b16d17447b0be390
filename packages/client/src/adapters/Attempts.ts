/* The attempts that were made at a task: the best of them, what they cost, and what the service hears. */
import { outcomeOf } from "../Sextant.ts"
import type { TaskAttempt } from "../Wire.ts"

/** An attempt that came to a result. */
export interface Attempt<Id extends string = string, A = unknown> {
  readonly modelId: Id
  readonly result: A
  /** What the check said, from 0 to 1; null where it said nothing. */
  readonly quality: number | null
  /** Cost with its check, USD: by `usage`, else the service's estimate; null where neither is known. */
  readonly costUsd: number | null
  /** Whether the cost is the service's estimate. */
  readonly isEstimate: boolean
  /** Null when the service said nothing. */
  readonly recommendationId: string | null
}

/** Most attempts that a request may name, count. */
const namedMax = 16

/** Whether a quality passes: as `score` labels it. */
export const passes = (quality: number): boolean => outcomeOf(quality) === "success"

/** The best attempt, the newest among equals; one that nobody judged is better than one that failed. */
export const bestOf = <Id extends string, A>(
  attempts: ReadonlyArray<Attempt<Id, A>>
): Attempt<Id, A> | null => {
  const worth = ({ quality }: Attempt<Id, A>): number => quality ?? 0.5
  return [...attempts].sort((a, b) => worth(a) - worth(b)).at(-1) ?? null
}

/** The sum in whole billionths, so that three times 0.1 is 0.3; null where one is not known. */
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
