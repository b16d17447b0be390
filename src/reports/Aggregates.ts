/* The port through which reports read the ledger, as sums and columns. */
import { Context, type Effect } from "effect"
import type { LedgerRow } from "../domain/Decision.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { CallOutcome } from "../domain/reports/Dashboard.ts"
import type { GroupBy } from "../domain/reports/Report.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { ArmSums, UseSums } from "./advice/ArmSums.ts"
import type { LedgerWindow } from "./LedgerWindow.ts"
import type { HealthSums, SavingsFigures, ShadowSums, TaskSums } from "./savings/SavingsSums.ts"
import type { JudgeCell, VerdictCell } from "./VerdictSums.ts"

/**
 * Outcomes of one model in one cluster that teach and had a prediction. They are in the order of their
 * feedback, then of their decisions. All values but times are in [0, 1].
 */
export interface TrialSeries {
  readonly cluster: string
  readonly modelId: string
  /** Times of the decisions, ms since 1970. */
  readonly decidedMs: Float64Array
  readonly predicted: Float64Array
  readonly success: Float64Array
  readonly quality: Float64Array
}

export interface Trials {
  readonly health: HealthSums
  readonly series: ReadonlyArray<TrialSeries>
}

/**
 * Trusted outcomes in columns, oldest decision first. The candidates of row i have the indices from
 * `first[i]` to `first[i + 1] - 1`.
 */
export interface LabelledOutcomes {
  /** Decisions with feedback of any kind. */
  readonly nReconciled: number
  readonly rows: number
  /** Per row: a number that identifies its lane. */
  readonly lane: ArrayLike<number>
  readonly cluster: ReadonlyArray<string>
  /** Per row: a whole number in [0, 2^32), hashed from the last 12 characters of its id. */
  readonly hash: Uint32Array
  readonly propensity: Float64Array
  readonly success: Float64Array
  /** Per row, in US dollars; NaN without a bill. */
  readonly billUsd: Float64Array
  /** Per row: the index of the recommended candidate; -1 if the recommended model is no candidate. */
  readonly recommended: Int32Array
  /** Per row: the index of the candidate that ran; -1 if another model ran. */
  readonly ran: Int32Array
  /** Per row: the index of the baseline; -1 if it is no candidate, or if no baseline was named. */
  readonly baseline: Int32Array
  readonly first: Int32Array
  /** Per candidate: its model, numbered in the order of first appearance. */
  readonly model: Int32Array
  readonly prediction: Float64Array
  readonly costUsd: Float64Array
  readonly isEligible: Uint8Array
  /** Ids of models by number. The id of a model that never ran may be empty. */
  readonly modelIds: ReadonlyArray<string>
}

/** Sums over the decisions of one cluster after which one model ran. */
export interface CellSums {
  readonly cluster: string
  readonly modelId: string
  /** Decisions of the cluster that recommended the model, whichever model ran. */
  readonly nRecommended: number
  readonly nOutcomes: number
  readonly successes: number
  readonly nPredicted: number
  readonly predicted: number
  readonly nBilled: number
  readonly billedUsd: number
  /** The bills that are outliers which no other bill confirms: their number and sum. */
  readonly nOutliers: number
  readonly outliersUsd: number
}

/** The cost of a model's calls on one day: bills, and list prices for calls without a bill. */
export interface SpendSums {
  readonly day: string
  readonly modelId: string
  readonly n: number
  readonly billedUsd: number
  readonly listedUsd: number
}

/** The number of decisions that declared this model, which has a price, as their baseline. */
export interface BaselineSums {
  readonly modelId: string
  readonly n: number
}

/** The reported calls of a model. */
export interface CallSums {
  readonly modelId: string
  readonly n: number
  /** Calls that the infrastructure broke. */
  readonly nBroken: number
  /** Median latency, ms; null if no call has a latency. */
  readonly latencyMsP50: number | null
  readonly latencyMsP95: number | null
}

export interface OverviewSums {
  /** Savings by UTC day of the decision, such as `2026-11-21`, in no order and without shadow. */
  readonly days: SavingsFigures
  readonly cells: ReadonlyArray<CellSums>
  readonly shadow: ShadowSums
  /** Sorted by source, then by kind of task. */
  readonly judges: ReadonlyArray<JudgeCell>
  /** Sorted by lane, then by source, null last. */
  readonly verdicts: ReadonlyArray<VerdictCell>
  /** Sorted by day, then by model. Decisions in shadow are left out. */
  readonly spend: ReadonlyArray<SpendSums>
  /** The most frequent baselines, at most `baselinesMax`. Decisions in shadow are left out. */
  readonly baselines: ReadonlyArray<BaselineSums>
  /** The calls of the newest `timedCallsMax` reported decisions. The most frequent models come first. */
  readonly calls: ReadonlyArray<CallSums>
  /** The newest decisions, at most as many as requested, newest first. */
  readonly newest: ReadonlyArray<LedgerRow>
}

/** The decisions of a window that a list shows. */
export interface CallFilter {
  readonly outcome?: CallOutcome
  /** Only decisions made before this one. */
  readonly before?: RecommendationId
}

/**
 * The ledger as reports read it. A suite compares every driver with the reference aggregates over the same
 * rows; their sums agree up to rounding.
 */
export class Aggregates extends Context.Service<Aggregates, {
  /**
   * Sums by key, in no order. Decisions in shadow are left out, and without other decisions there are no
   * sums. If `groupBy` is null, there is one key without a meaning. Only the `groupsMax` most frequent lanes,
   * models, users and tags have keys. All other lanes and models share the empty key. The key of users and
   * tags is a JSON array. `tasks` is null if no task is known.
   */
  readonly savings: (
    window: LedgerWindow,
    groupBy: GroupBy | null
  ) => Effect.Effect<SavingsFigures & { readonly tasks: TaskSums | null }, LedgerUnavailable>
  readonly trials: (window: LedgerWindow) => Effect.Effect<Trials, LedgerUnavailable>
  readonly trusted: (window: LedgerWindow) => Effect.Effect<LabelledOutcomes, LedgerUnavailable>
  readonly overview: (window: LedgerWindow, newest: number) => Effect.Effect<OverviewSums, LedgerUnavailable>
  /** At most `adviceSettings.armsMax` models by kind of task, shadow included. Most calls come first. */
  readonly arms: (window: LedgerWindow) => Effect.Effect<ReadonlyArray<ArmSums>, LedgerUnavailable>
  /** The calls of one model at any effort, in all and by the `usesMax` users and tags with most calls. */
  readonly uses: (
    window: LedgerWindow,
    modelId: string
  ) => Effect.Effect<ReadonlyArray<UseSums>, LedgerUnavailable>
  /** At most `count` decisions that match, newest first. */
  readonly newest: (
    window: LedgerWindow,
    count: number,
    filter?: CallFilter
  ) => Effect.Effect<ReadonlyArray<LedgerRow>, LedgerUnavailable>
}>()("sextant/reports/Aggregates") {}
