/* Sums over the calls of a model on a kind of task, of decisions and of observed calls. */

/** The part of the sums that comes from observed calls. Evaluations count as verdicts. */
export type ObservedPart = Pick<ArmSums, "nCalls" | "nVerdicts" | "successWeight" | "weight">

/**
 * Sums over the calls of one model on one kind of task of a lane. The model is the one that the report names.
 * Without a report it is the recommended model, or in shadow the baseline. Observed calls have rows of their
 * own.
 */
export interface ArmSums {
  readonly lane: string
  readonly cluster: string
  readonly modelId: string
  readonly nCalls: number
  /** Time of the first call, ms since 1970. */
  readonly firstMs: number
  /** Verdicts of gates, people and judges, count. */
  readonly nVerdicts: number
  /** Sum of the verdicts' weights, which depend on their sources. */
  readonly weight: number
  /** Sum of the verdicts' weights times their success. */
  readonly successWeight: number
  /** Sum of the weights of verdicts whose call had a prediction. */
  readonly predictedWeight: number
  /** Sum of these weights times the predictions. */
  readonly predicted: number
  /** Calls with a bill or a cost at list prices, without outliers, count. */
  readonly nCosted: number
  /** Sum of their costs, USD. */
  readonly costUsd: number
  /** Sum of the squares of their costs. */
  readonly costSquares: number
  /** Estimated cost of the recommended models of all decisions, USD. */
  readonly estimatedUsd: number
  /** The newest decision on a first attempt, or null. A later attempt is predicted after a failure. */
  readonly newestId: string | null
  /** Absent without observed calls. */
  readonly observed?: ObservedPart
}

/** The calls of one model: all of them, those of one user, or those with one tag. */
export interface UseSums {
  readonly by: "all" | "tag" | "user"
  /** The user or the tag; empty for all. */
  readonly name: string
  readonly nCalls: number
  /** Sum of bills, of costs at list prices without a bill, and of estimates without both, USD. */
  readonly spentUsd: number
}
