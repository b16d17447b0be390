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
 * Outcomes with a prediction, of one model in one cluster. Outcomes are sorted by the time of their feedback,
 * and then by the time of their decision. Predictions, successes and qualities are in [0, 1].
 */
export interface TrialSeries {
  readonly cluster: string
  readonly modelId: string
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
 * Outcomes of first attempts that a gate or a person judged, oldest decision first. Row i has the candidates
 * `first[i]` to `first[i + 1] - 1`.
 */
export interface LabelledOutcomes {
  /** Number of decisions that have feedback of any kind. */
  readonly nReconciled: number
  readonly rows: number
  readonly lane: ArrayLike<number>
  readonly cluster: ReadonlyArray<string>
  /** Per row: a number in [0, 2^32), hashed from the last 12 characters of the recommendation's id. */
  readonly hash: Uint32Array
  readonly propensity: Float64Array
  readonly success: Float64Array
  /** Per row: the bill in US dollars; NaN if there is no bill. */
  readonly billUsd: Float64Array
  /** Per row: the index of the recommended model among the candidates; -1 if it is no candidate. */
  readonly recommended: Int32Array
  /** Per row: the index of the candidate that ran; -1 if the model that ran is no candidate. */
  readonly ran: Int32Array
  /**
   * Per row: the index of the baseline among the candidates; -1 if it is no candidate, or if none was named.
   */
  readonly baseline: Int32Array
  readonly first: Int32Array
  readonly model: Int32Array
  readonly prediction: Float64Array
  readonly costUsd: Float64Array
  readonly isEligible: Uint8Array
  /** Ids of models; the index is the model's number. The id of a model that never ran may be empty. */
  readonly modelIds: ReadonlyArray<string>
}

/** Sums over the decisions of one cluster for which one model ran. */
export interface CellSums {
  readonly cluster: string
  readonly modelId: string
  /** Number of the cluster's decisions that recommended the model, whichever model ran. */
  readonly nRecommended: number
  readonly nOutcomes: number
  readonly successes: number
  readonly nPredicted: number
  readonly predicted: number
  readonly nBilled: number
  readonly billedUsd: number
  /** Number and sum of the bills that are outliers and that no other bill confirms. */
  readonly nOutliers: number
  readonly outliersUsd: number
}

/** The cost of a model's calls on one day: by bills, and at list prices for calls without a bill. */
export interface SpendSums {
  readonly day: string
  readonly modelId: string
  readonly n: number
  readonly billedUsd: number
  readonly listedUsd: number
}

export interface BaselineSums {
  readonly modelId: string
  readonly n: number
}

export interface CallSums {
  readonly modelId: string
  readonly n: number
  readonly nBroken: number
  readonly latencyMsP50: number | null
  readonly latencyMsP95: number | null
}

export interface OverviewSums {
  /** Savings by UTC day of the decision, such as `2026-11-21`, unsorted and without decisions in shadow. */
  readonly days: SavingsFigures
  readonly cells: ReadonlyArray<CellSums>
  readonly shadow: ShadowSums
  /** Sums over verdicts, sorted by source and then by task type. */
  readonly judges: ReadonlyArray<JudgeCell>
  /** Counts by source of the verdict, sorted by lane and then by source, with null last. */
  readonly verdicts: ReadonlyArray<VerdictCell>
  /** Spending without decisions in shadow, sorted by day and then by model. */
  readonly spend: ReadonlyArray<SpendSums>
  /** The most frequent baselines of decisions that are not in shadow, at most `baselinesMax`. */
  readonly baselines: ReadonlyArray<BaselineSums>
  /** Calls of the newest `timedCallsMax` decisions with a report. Models with the most calls come first. */
  readonly calls: ReadonlyArray<CallSums>
  readonly newest: ReadonlyArray<LedgerRow>
}

export interface CallFilter {
  readonly outcome?: CallOutcome
  /** If set, only decisions older than the decision with this id. */
  readonly before?: RecommendationId
}

export class Aggregates extends Context.Service<Aggregates, {
  /**
   * Reads sums by key, in no order, without decisions in shadow. Only the `groupsMax` most frequent lanes,
   * models, users and tags have their own keys. Less frequent lanes and models share the empty key. The key
   * of users and tags is a JSON array. `tasks` is null if no decision has a known task.
   */
  readonly savings: (
    window: LedgerWindow,
    groupBy: GroupBy | null
  ) => Effect.Effect<SavingsFigures & { readonly tasks: TaskSums | null }, LedgerUnavailable>
  readonly trials: (window: LedgerWindow) => Effect.Effect<Trials, LedgerUnavailable>
  readonly trusted: (window: LedgerWindow) => Effect.Effect<LabelledOutcomes, LedgerUnavailable>
  readonly overview: (window: LedgerWindow, newest: number) => Effect.Effect<OverviewSums, LedgerUnavailable>
  /** Reads sums by kind and model, most calls first, at most `armsMax`, including decisions in shadow. */
  readonly arms: (window: LedgerWindow) => Effect.Effect<ReadonlyArray<ArmSums>, LedgerUnavailable>
  /**
   * Reads the calls of one model at any effort: in total, and by the `usesMax` most frequent users and tags.
   */
  readonly uses: (
    window: LedgerWindow,
    modelId: string
  ) => Effect.Effect<ReadonlyArray<UseSums>, LedgerUnavailable>
  readonly newest: (
    window: LedgerWindow,
    count: number,
    filter?: CallFilter
  ) => Effect.Effect<ReadonlyArray<LedgerRow>, LedgerUnavailable>
}>()("sextant/reports/Aggregates") {}
