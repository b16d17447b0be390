import { Context, type Effect } from "effect"
import type { LedgerRow } from "../domain/Decision.ts"
import type { GroupBy } from "../domain/Report.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"

/** Decisions created at or after `since`; all lanes of the account when `lane` is null. */
export interface Window {
  readonly accountId: AccountId
  readonly lane: Lane | null
  readonly since: Date
}

/** Counts over decisions. */
export interface HealthSums {
  readonly n: number
  readonly nFeedback: number
  readonly nLate: number
  readonly nEscalated: number
  readonly nExplored: number
  readonly nEpsilon: number
}

/** Of the billed, those whose bill is an outlier that no other bill confirms; as in {@link SavingsSums}. */
export interface OutlierSums {
  readonly nOutliers: number
  readonly outliersUsd: number
  readonly recommendedOfOutliersUsd: number
  readonly premiumOfOutliersUsd: number
  readonly nOutliersDeclared: number
  readonly declaredOfOutliersUsd: number
  readonly outliersOfDeclaredUsd: number
}

/** Counts, and sums in US dollars: of all decisions, of those billed, and of those with a baseline. */
export interface SavingsSums extends HealthSums, OutlierSums {
  readonly recommendedUsd: number
  readonly premiumUsd: number
  readonly nDeclared: number
  readonly declaredUsd: number
  readonly recommendedOfDeclaredUsd: number
  readonly nBilled: number
  readonly billedUsd: number
  readonly recommendedOfBilledUsd: number
  readonly premiumOfBilledUsd: number
  readonly nBilledDeclared: number
  readonly declaredOfBilledUsd: number
  readonly billedOfDeclaredUsd: number
  /** Null as long as no row knows. */
  readonly reasonerUsd: number | null
}

export interface Keyed<Sums> {
  readonly key: string
  readonly sums: Sums
}

/**
 * Taught outcomes of one model on one cluster that had a prediction, in the order of their feedback, then of
 * their decisions. All in [0, 1].
 */
export interface TrialSeries {
  readonly cluster: string
  readonly modelId: string
  readonly predicted: Float64Array
  readonly success: Float64Array
  readonly quality: Float64Array
}

export interface Trials {
  readonly health: HealthSums
  readonly series: ReadonlyArray<TrialSeries>
}

/**
 * Trusted outcomes in columns, oldest decision first; candidates one after the other, those of row i from
 * `first[i]` up to `first[i + 1]`.
 */
export interface LabelledOutcomes {
  /** Decisions with feedback of any kind. */
  readonly nReconciled: number
  readonly rows: number
  /** Per row a number that stands for its lane, and its cluster. */
  readonly lane: ArrayLike<number>
  readonly cluster: ReadonlyArray<string>
  /** Per row: a whole number in [0, 2^32) that is hashed from the random end of its id. */
  readonly hash: Uint32Array
  readonly propensity: Float64Array
  readonly success: Float64Array
  /** NaN without a bill. */
  readonly billUsd: Float64Array
  /** Per row, as entries of the candidates; -1 when it was none. */
  readonly recommended: Int32Array
  readonly ran: Int32Array
  readonly first: Int32Array
  /** Per candidate, numbered in the order of their first appearance. */
  readonly model: Int32Array
  readonly prediction: Float64Array
  readonly costUsd: Float64Array
  readonly isEligible: Uint8Array
  /** By number. Only of models that ran: of any other it may be empty. */
  readonly modelIds: ReadonlyArray<string>
}

/** How one model did on one cluster. Counted where it ran, but for `nRecommended`. */
export interface CellSums {
  readonly cluster: string
  readonly modelId: string
  readonly nRecommended: number
  readonly nOutcomes: number
  readonly successes: number
  readonly nPredicted: number
  readonly predicted: number
  readonly nBilled: number
  readonly billedUsd: number
}

export interface OverviewSums {
  /** By UTC day of the decision, `2026-11-21`; in no order. */
  readonly days: ReadonlyArray<Keyed<SavingsSums>>
  readonly cells: ReadonlyArray<CellSums>
  /** At most as many as were asked for, newest first. */
  readonly newest: ReadonlyArray<LedgerRow>
}

/**
 * The ledger as reports read it: summed up where it lies, or in columns, never a row at a time. Every driver
 * gives what the pure folds over `Ledger.window` give, sums up to rounding; the contract suite compares them.
 */
export class Aggregates extends Context.Service<Aggregates, {
  /** By key, in no order; one key, which means nothing, when `groupBy` is null; none without decisions. */
  readonly savings: (
    window: Window,
    groupBy: GroupBy | null
  ) => Effect.Effect<ReadonlyArray<Keyed<SavingsSums>>, LedgerUnavailable>
  readonly trials: (window: Window) => Effect.Effect<Trials, LedgerUnavailable>
  readonly trusted: (window: Window) => Effect.Effect<LabelledOutcomes, LedgerUnavailable>
  readonly overview: (window: Window, newest: number) => Effect.Effect<OverviewSums, LedgerUnavailable>
}>()("sextant/reports/Aggregates") {}
