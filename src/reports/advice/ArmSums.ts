/* What the ledger, and telemetry, hold of each model on each kind of task. */

/** Calls that telemetry shows: their count, and that, weight and success of their evaluations. */
export type ObservedSums = Pick<ArmSums, "nCalls" | "nVerdicts" | "successWeight" | "weight">

/**
 * Calls of the model that ran on one kind of task of a lane: by its report, else by what its request says.
 * Observed calls come as rows of their own, and are added up by lane, cluster and model.
 */
export interface ArmSums {
  readonly lane: string
  readonly cluster: string
  readonly modelId: string
  readonly nCalls: number
  /** When the first of them was decided, ms since 1970. */
  readonly firstMs: number
  /** Verdicts of gates, people and judges: their count, their weight by source, and their success by it. */
  readonly nVerdicts: number
  readonly weight: number
  readonly successWeight: number
  /** The part of the weight that had a prediction of the model that ran, and these by the same weight. */
  readonly predictedWeight: number
  readonly predicted: number
  /** Calls with a bill, or with tokens at list prices, but for outliers; their costs, USD, and squares. */
  readonly nCosted: number
  readonly costUsd: number
  readonly costSquares: number
  /** Estimated cost of the recommended models of all these calls, USD. */
  readonly estimatedUsd: number
  /**
   * The newest of the decisions on first attempts, since those on later ones predict what follows a failure;
   * null of observed calls alone, and without a first attempt.
   */
  readonly newestId: string | null
  /** The part of calls and verdicts that was observed: nothing was predicted of it. Absent without any. */
  readonly observed?: ObservedSums
}

/** Calls of one model by what is asked about: all of them, or those of a user or with a tag. */
export interface UseSums {
  readonly by: "all" | "tag" | "user"
  /** The user or the tag; empty for all. */
  readonly name: string
  readonly nCalls: number
  /** By bills and list prices, of decisions without either by estimates, USD. */
  readonly spentUsd: number
}
