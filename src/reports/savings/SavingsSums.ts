/* The sums over decisions from which savings, shadow decisions and tasks are reported. */
import type { CostSource } from "../../domain/feedback/Feedback.ts"
import type { BilledCell, UnrunCell } from "../../stats/BillRatio.ts"
import type { RatioSums } from "../../stats/RatioOfSums.ts"

export interface HealthSums {
  readonly n: number
  readonly nFeedback: number
  readonly nLate: number
  readonly nEscalated: number
  readonly nExplored: number
  readonly nEpsilon: number
}

export interface BilledSums {
  readonly n: number
  readonly billedUsd: number
  readonly recommendedUsd: number
  /** Estimated cost of the most expensive candidates, USD. */
  readonly premiumUsd: number
  /** Number of decisions that declared a baseline; `declaredUsd` and `billedOfDeclaredUsd` sum over them. */
  readonly nDeclared: number
  readonly declaredUsd: number
  readonly billedOfDeclaredUsd: number
}

/** Sums over decisions; sums about baselines or bills cover only decisions with a baseline or a bill. */
export interface SavingsSums extends HealthSums {
  readonly nFollowed: number
  /** Number of decisions without a bill whose tokens have a list price, and their sum at list prices, USD. */
  readonly nListed: number
  readonly listedUsd: number
  readonly recommendedUsd: number
  readonly premiumUsd: number
  readonly nDeclared: number
  readonly declaredUsd: number
  readonly recommendedOfDeclaredUsd: number
  readonly billed: BilledSums
  /** The part of `billed` whose bills are outliers that no other bill confirms. */
  readonly outliers: BilledSums
  /** Cost of Sextant's own calls of a language model, USD; null if no decision has such a cost. */
  readonly reasonerUsd: number | null
}

/** Holds one sum or figure for billed calls, and one for calls with only a cost at list prices. */
export type BySource<A> = { readonly [Source in CostSource]: A }

/** Sums over followed decisions with a declared baseline, without broken calls and unconfirmed outliers. */
export interface FollowedSums {
  /** First attempts for which the baseline itself ran, and their costs, USD. */
  readonly nSame: number
  readonly sameUsd: number
  /** Total cost of calls that are further attempts, or whose baseline did not run, USD. */
  readonly costUsd: number
  /** Estimates of baselines that did not run, by baseline, cluster and month. Further attempts add $0. */
  readonly unrun: ReadonlyArray<UnrunCell>
  /** Number of decisions without a bill or, in sums at list prices, without any known cost. */
  readonly nMissing: number
  readonly missing: ReadonlyArray<UnrunCell>
}

/** Sums over recommended models that did not run, for one model, cluster and month. */
export interface PickCell extends UnrunCell {
  /**
   * Sum over decisions, USD: the recommended model's estimate, times the bill over the estimate of the model
   * that ran.
   */
  readonly scaledUsd: number
}

export interface ShadowSums {
  readonly n: number
  /** Number of decisions by lane, for the `groupsMax` lanes with the most decisions. */
  readonly lanes: ReadonlyArray<{ readonly lane: string; readonly n: number }>
  readonly nFeedback: number
  readonly nOutcomes: number
  readonly successes: number
  /** Billed decisions whose recommended model ran, and their bills, without unconfirmed outliers. */
  readonly nSame: number
  readonly sameUsd: number
  /** Bills of decisions whose recommended model did not run, without unconfirmed outliers, USD. */
  readonly billedUsd: number
  /** Estimates of recommended models that did not run, for billed decisions, by model, cluster and month. */
  readonly picks: ReadonlyArray<PickCell>
  /** The bills of all lanes in the months of the window ({@link monthsOf}), in shadow or not. */
  readonly bills: ReadonlyArray<BilledCell>
}

export interface Keyed<Sums> {
  readonly key: string
  readonly sums: Sums
}

/** Sums over the known tasks that have at least one reported attempt. */
export interface TaskSums {
  readonly tasks: number
  /** Number of tasks with an attempt that passed, and number of tasks whose first attempt passed. */
  readonly finished: number
  readonly finishedAtFirst: number
  /** Number of unfinished tasks whose newest recommendation is at least `taskOpenMs` old. */
  readonly abandoned: number
  /** Number of reported attempts at finished and abandoned tasks. */
  readonly attempts: number
  /** The cost per finished task, over finished or abandoned tasks whose reported attempts all have a cost. */
  readonly costed: RatioSums
  /** Number of reported recommendations whose task is not known. */
  readonly unknown: number
}

/**
 * Outliers and cost ratios come from all calls of the window's months ({@link monthsOf}), so that a report on
 * a single group shows the same figures.
 */
export interface SavingsFigures {
  readonly groups: ReadonlyArray<Keyed<SavingsSums>>
  /** Sums over followed decisions; a group without any may be missing. */
  readonly followed: ReadonlyArray<Keyed<BySource<FollowedSums>>>
  /** Costs and estimates of the calls in the window's months, by the model that ran, cluster and month. */
  readonly costs: BySource<ReadonlyArray<BilledCell>>
}
