/* Compares the attempts at a task, adds up their costs, and converts them for a request. */
import { outcomeOf } from "../Sextant.ts"
import type { TaskAttempt } from "../Wire.ts"

export interface Attempt<Id extends string = string, A = unknown> {
  readonly modelId: Id
  readonly result: A
  /** Quality that the check gave the result, from 0 to 1; null if the check gave no verdict. */
  readonly quality: number | null
  /** Cost of the attempt and its check, US dollars, from `usage` or estimated; null if unknown. */
  readonly costUsd: number | null
  readonly isEstimate: boolean
  readonly recommendationId: string | null
}

const namedMax = 16

export const passes = (quality: number): boolean => outcomeOf(quality) === "success"

/** Returns the best attempt, the newest of equals. An attempt without a verdict has the quality 0.5. */
export const bestOf = <Id extends string, A>(
  attempts: ReadonlyArray<Attempt<Id, A>>
): Attempt<Id, A> | null => {
  const worth = ({ quality }: Attempt<Id, A>): number => quality ?? 0.5
  return [...attempts].sort((a, b) => worth(a) - worth(b)).at(-1) ?? null
}

/** Returns the sum, rounded to billionths, so that three times 0.1 is 0.3; null if a cost is unknown. */
export const sumOf = (costs: ReadonlyArray<number | null>): number | null => {
  let sum = 0
  for (const cost of costs) {
    if (cost === null) return null
    sum += cost
  }
  return Math.round(sum * 1e9) / 1e9
}

/** Converts attempts to wire format, at most the last 16. */
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
