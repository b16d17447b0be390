/* Sums over the calls of each model on each kind of task. */

/**
 * Calls of the model that ran on one kind of task of a lane: by its report, else by what its request says. A
 * source beside the decisions brings rows of its own, added up by lane, cluster and model.
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
  /** The newest of the decisions; null of another source. */
  readonly newestId: string | null
}
