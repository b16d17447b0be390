/* Sums over the calls of a model on a kind of task, from decisions and from observed calls. */

/** Sums over observed calls, which other programs reported. */
export type ObservedPart = Pick<ArmSums, "nCalls" | "nVerdicts" | "successWeight" | "weight">

/**
 * Sums over the calls of one model on one kind of task. A call's model is the model that its report names,
 * otherwise the recommended model, or the baseline in shadow.
 */
export interface ArmSums {
  readonly lane: string
  readonly cluster: string
  readonly modelId: string
  readonly nCalls: number
  readonly firstMs: number
  readonly nVerdicts: number
  /** Sum of the verdicts' weights, which depend on their sources. */
  readonly weight: number
  /** Sum of the verdicts' weights times their success. */
  readonly successWeight: number
  /** Sum of the weights of the verdicts whose call had a prediction. */
  readonly predictedWeight: number
  /** Sum of the verdicts' weights times the predictions of their calls. */
  readonly predicted: number
  /** Number of calls with a bill or a cost at list prices, without outliers. */
  readonly nCosted: number
  /** Sum of the known costs of calls, without outliers, USD. */
  readonly costUsd: number
  readonly costSquares: number
  /** Estimated cost of the recommended models of the decisions, USD. */
  readonly estimatedUsd: number
  /**
   * Id of the newest decision on a first attempt; null if there is none. Predictions for later attempts take
   * the earlier failures into account.
   */
  readonly newestId: string | null
  readonly observed?: ObservedPart
}

/** The calls of one model: all calls, the calls of one user, or the calls with one tag. */
export interface UseSums {
  readonly by: "all" | "tag" | "user"
  readonly name: string
  readonly nCalls: number
  /** Sum of costs, USD. A decision's missing or outlying cost is replaced by its estimate. */
  readonly spentUsd: number
}
