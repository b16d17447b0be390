/* The sums over decisions that savings, shadow and tasks are reported from: counts, and US dollars. */
import type { CostSource } from "../../domain/feedback/Feedback.ts"
import type { BilledCell, UnrunCell } from "../../stats/BillRatio.ts"
import type { RatioSums } from "../../stats/RatioOfSums.ts"

/** Counts over decisions. */
export interface HealthSums {
  readonly n: number
  readonly nFeedback: number
  readonly nLate: number
  readonly nEscalated: number
  readonly nExplored: number
  readonly nEpsilon: number
}

/** Sums over decisions with a bill. */
export interface BilledSums {
  readonly n: number
  readonly billedUsd: number
  /** Estimated cost of the recommended models. */
  readonly recommendedUsd: number
  /** Estimated cost of the dearest candidates. */
  readonly premiumUsd: number
  /** The decisions that declared a baseline, count; the next two fields sum over these decisions. */
  readonly nDeclared: number
  readonly declaredUsd: number
  readonly billedOfDeclaredUsd: number
}

/** Sums over all decisions; the fields on declared baselines and bills sum over the decisions with one. */
export interface SavingsSums extends HealthSums {
  /** Decisions after which the recommended model ran. */
  readonly nFollowed: number
  /** Decisions without a bill whose tokens have a cost at list prices, and that cost. */
  readonly nListed: number
  readonly listedUsd: number
  readonly recommendedUsd: number
  readonly premiumUsd: number
  readonly nDeclared: number
  readonly declaredUsd: number
  readonly recommendedOfDeclaredUsd: number
  readonly billed: BilledSums
  /** The part of `billed` whose bill is an outlier that no other bill confirms. */
  readonly outliers: BilledSums
  /** Cost of the reasoner, USD; null if no decision has one. */
  readonly reasonerUsd: number | null
}

/** One value for bills, and one for costs at list prices, which are used if there is no bill. */
export type BySource<A> = { readonly [Source in CostSource]: A }

/**
 * Sums over followed decisions with a declared baseline, by one source of costs. Unconfirmed outliers are
 * left out.
 */
export interface FollowedSums {
  /** Decisions whose baseline is the model that ran, and their costs. */
  readonly nSame: number
  readonly sameUsd: number
  /** The costs of all other decisions. */
  readonly costUsd: number
  /** The estimates of their baselines, by baseline, cluster and month. */
  readonly unrun: ReadonlyArray<UnrunCell>
  /** Decisions without a cost of this source; at list prices, decisions with a bill are not among them. */
  readonly nMissing: number
  /** The baselines of the decisions without a cost. */
  readonly missing: ReadonlyArray<UnrunCell>
}

/** Sums over recommended models that did not run, of one model, cluster and month. */
export interface PickCell extends UnrunCell {
  /** Sum of each estimate times (bill of the model that ran / estimate of the model that ran), USD. */
  readonly scaledUsd: number
}

/** Counts and sums over decisions in shadow. */
export interface ShadowSums {
  readonly n: number
  /** Decisions by lane, of the `groupsMax` lanes with most of them, in the order of the lanes' names. */
  readonly lanes: ReadonlyArray<{ readonly lane: string; readonly n: number }>
  readonly nFeedback: number
  /** Outcomes that teach, of the models that ran, and their successes. */
  readonly nOutcomes: number
  readonly successes: number
  /** Decisions with a believable bill after which the recommended model ran, and their bills. */
  readonly nSame: number
  readonly sameUsd: number
  /** The believable bills of decisions after which another model ran. */
  readonly billedUsd: number
  /** The recommended models of these decisions, by model, cluster and month. */
  readonly picks: ReadonlyArray<PickCell>
  /** The bills of all lanes in {@link monthsOf} the window, with their estimates; not only in shadow. */
  readonly bills: ReadonlyArray<BilledCell>
}

export interface Keyed<Sums> {
  readonly key: string
  readonly sums: Sums
}

/** Sums over the known tasks with at least one reported attempt. */
export interface TaskSums {
  readonly tasks: number
  /** Tasks with an attempt that passed, and tasks whose first attempt passed. */
  readonly finished: number
  readonly finishedAtFirst: number
  /** Unfinished tasks whose newest recommendation is at least `taskOpenMs` old. */
  readonly abandoned: number
  /** Reported attempts at finished and abandoned tasks. */
  readonly attempts: number
  /** The cost per finished task, over the tasks of which every reported attempt has a cost. */
  readonly costed: RatioSums
  /** Reported recommendations without a known task. */
  readonly unknown: number
}

/**
 * The sums from which the savings of groups or days are made. Outliers, and the ratio of costs to estimates,
 * are judged over {@link monthsOf} the window. So a group has the same figures in a report of its own.
 */
export interface SavingsFigures {
  readonly groups: ReadonlyArray<Keyed<SavingsSums>>
  /** A group without followed decisions may be missing. */
  readonly followed: ReadonlyArray<Keyed<BySource<FollowedSums>>>
  /** All costs of the months with their estimates, by the model that ran, cluster and month. */
  readonly costs: BySource<ReadonlyArray<BilledCell>>
}
