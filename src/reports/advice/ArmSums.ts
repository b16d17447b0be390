/* Sums over the calls of a model on a kind of task, from decisions and from observed calls. */

/**
 * The part of the sums that comes from observed calls. Evaluations of observed calls are counted as verdicts.
 */
export type ObservedPart = Pick<ArmSums, "nCalls" | "nVerdicts" | "successWeight" | "weight">

/**
 * Sums over the calls of one model on one kind of task in a lane. The model of a call is the model that the
 * report names. If there is no report, it is the recommended model, or the baseline in shadow. Observed calls
 * are in separate rows.
 */
export interface ArmSums {
  readonly lane: string
  readonly cluster: string
  readonly modelId: string
  readonly nCalls: number
  /** Time of the first call, ms since 1970. */
  readonly firstMs: number
  /** Number of verdicts by gates, people and judges. */
  readonly nVerdicts: number
  /** Sum of the verdicts' weights, which depend on their sources. */
  readonly weight: number
  /** Sum of the verdicts' weights times their success. */
  readonly successWeight: number
  /** Sum of the weights of the verdicts whose call had a prediction. */
  readonly predictedWeight: number
  /** Sum of these weights, each times the prediction of its call. */
  readonly predicted: number
  /** Number of calls with a bill or a cost at list prices, without outliers. */
  readonly nCosted: number
  /** Sum of the costs of these calls, USD. */
  readonly costUsd: number
  /** Sum of the squares of the costs, USD². */
  readonly costSquares: number
  /** Estimated cost of the recommended models of all decisions, USD. */
  readonly estimatedUsd: number
  /**
   * Id of the newest decision on a first attempt; null if there is none. Later attempts are left out, because
   * their predictions take the earlier failures into account.
   */
  readonly newestId: string | null
  /** The part is absent if there are no observed calls. */
  readonly observed?: ObservedPart
}

/** The calls of one model: all calls, the calls of one user, or the calls with one tag. */
export interface UseSums {
  readonly by: "all" | "tag" | "user"
  /** The user or the tag; empty for all calls. */
  readonly name: string
  readonly nCalls: number
  /** Sum of the bills, USD. A call without a bill adds its cost at list prices, otherwise its estimate. */
  readonly spentUsd: number
}
