/* The port through which reports read the ledger: aggregates and columns, never a row at a time. */
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
 * Taught outcomes of one model in one cluster that had a prediction, in the order of their feedback, then of
 * their decisions. All values are in [0, 1].
 */
export interface TrialSeries {
  readonly cluster: string
  readonly modelId: string
  /** When each was decided, in milliseconds since 1970. */
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
 * Trusted outcomes in columns, oldest decision first. The candidates of row i are those from `first[i]` up
 * to, not including, `first[i + 1]`.
 */
export interface LabelledOutcomes {
  /** Decisions with feedback of any kind. */
  readonly nReconciled: number
  readonly rows: number
  /** Per row: a number for its lane, and its cluster. */
  readonly lane: ArrayLike<number>
  readonly cluster: ReadonlyArray<string>
  /** Per row: a whole number in [0, 2^32), hashed from the random end of its id. */
  readonly hash: Uint32Array
  readonly propensity: Float64Array
  readonly success: Float64Array
  /** Per row, in US dollars; NaN without a bill. */
  readonly billUsd: Float64Array
  /** Per row: an index into the candidates; -1 if the model was none of them, or no baseline was named. */
  readonly recommended: Int32Array
  readonly ran: Int32Array
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

/**
 * The outcomes of one model in one cluster, counted where it ran; `nRecommended` where it was recommended.
 */
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
  /** The part of both that are outliers, which no other bill confirms. */
  readonly nOutliers: number
  readonly outliersUsd: number
}

/** What a model that ran cost on one day: by bills, and otherwise by tokens at list prices. */
export interface SpendSums {
  readonly day: string
  readonly modelId: string
  readonly n: number
  readonly billedUsd: number
  readonly listedUsd: number
}

/** Decisions that declared a baseline which has a price. */
export interface BaselineSums {
  readonly modelId: string
  readonly n: number
}

/** Reported calls of the model that ran: those that the infrastructure broke, and latencies, ms. */
export interface CallSums {
  readonly modelId: string
  readonly n: number
  readonly nBroken: number
  /** Null where no call has a latency. */
  readonly latencyMsP50: number | null
  readonly latencyMsP95: number | null
}

export interface OverviewSums {
  /** By UTC day of the decision, `2026-11-21`, without those in shadow; in no order. */
  readonly days: SavingsFigures
  readonly cells: ReadonlyArray<CellSums>
  readonly shadow: ShadowSums
  /** In the order of sources and kinds of task. */
  readonly judges: ReadonlyArray<JudgeCell>
  /** In the order of lanes and sources, null last. */
  readonly verdicts: ReadonlyArray<VerdictCell>
  /** In the order of days and models, without decisions in shadow. */
  readonly spend: ReadonlyArray<SpendSums>
  /** The most frequent ones, at most `baselinesMax`, without decisions in shadow. */
  readonly baselines: ReadonlyArray<BaselineSums>
  /** Of the newest `timedCallsMax` reported decisions, the most frequent models first. */
  readonly calls: ReadonlyArray<CallSums>
  /** At most as many as requested, newest first. */
  readonly newest: ReadonlyArray<LedgerRow>
}

/** Which decisions of a window are listed. */
export interface CallFilter {
  readonly outcome?: CallOutcome
  /** Only those made before it. */
  readonly before?: RecommendationId
}

/**
 * The ledger as reports read it. Every driver gives the same as the reference aggregates over its rows, sums
 * up to rounding; a suite compares them.
 */
export class Aggregates extends Context.Service<Aggregates, {
  /**
   * Sums by key, in no order, over the decisions that were not asked in shadow. When `groupBy` is null there
   * is one key without a meaning. Of lanes, models, users and tags the `groupsMax` most frequent have keys of
   * their own: of users and tags a JSON array of these; of other lanes and models the key is empty. No sums
   * without such decisions. `tasks` is null where no task is known.
   */
  readonly savings: (
    window: LedgerWindow,
    groupBy: GroupBy | null
  ) => Effect.Effect<SavingsFigures & { readonly tasks: TaskSums | null }, LedgerUnavailable>
  readonly trials: (window: LedgerWindow) => Effect.Effect<Trials, LedgerUnavailable>
  readonly trusted: (window: LedgerWindow) => Effect.Effect<LabelledOutcomes, LedgerUnavailable>
  readonly overview: (window: LedgerWindow, newest: number) => Effect.Effect<OverviewSums, LedgerUnavailable>
  /** In the order of calls, at most `adviceSettings.armsMax`; decisions in shadow included. */
  readonly arms: (window: LedgerWindow) => Effect.Effect<ReadonlyArray<ArmSums>, LedgerUnavailable>
  /** Of one model at any effort, as it ran; at most `adviceSettings.usesMax` users and tags, by calls. */
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
