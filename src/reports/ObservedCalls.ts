/* The port for calls that other programs report by OpenTelemetry. They teach nothing. */
import { Context, Effect } from "effect"
import type { Provenance } from "../domain/feedback/Feedback.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { ArmSums, UseSums } from "./advice/ArmSums.ts"
import type { LedgerWindow } from "./LedgerWindow.ts"

/** One call, without its words. */
export interface ObservedCall {
  /** Identifies the call: every report of it has the same id. */
  readonly callId: string
  readonly calledAt: Date
  /** The catalog's, or the program's spelling of one that the catalog lacks. */
  readonly modelId: string
  readonly effort: string | null
  /** The classification of the task's text; null without a text. */
  readonly taskType: TaskType | null
  readonly difficulty: Difficulty | null
  /** Counts with all their parts, >= 0. */
  readonly inputTokens: number | null
  readonly cachedInputTokens: number | null
  readonly cacheWriteInputTokens: number | null
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  /** The bill as the program reports it, USD, >= 0. */
  readonly billedUsd: number | null
  /** Cost of its tokens at list prices, USD, >= 0. */
  readonly listUsd: number | null
  readonly latencyMs: number | null
  readonly timeToFirstTokenMs: number | null
  readonly sessionId: string | null
  readonly userId: string | null
  readonly tags: ReadonlyArray<string>
  /** In [0, 1]; null without an evaluation. */
  readonly quality: number | null
  readonly provenance: Provenance | null
  /** Whether the infrastructure broke the call. */
  readonly isBroken: boolean
}

/** Records that were no call, or that could not be read, count by reason. */
export type LeftOutCounts = ReadonlyMap<string, number>

/** The observed calls of a model on a kind of task. */
export interface ObservedGroup {
  readonly modelId: string
  /** Null for calls without words. */
  readonly taskType: string | null
  /** Calls, those that broke, those with a bill, and those with an evaluation, counts. */
  readonly n: number
  readonly nBroken: number
  readonly nBilled: number
  readonly nJudged: number
  /** Sums of what is known, counts. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteInputTokens: number
  readonly outputTokens: number
  /** Sum of the bills, and of what the calls without a bill cost at list prices, USD. */
  readonly billedUsd: number
  readonly listUsd: number
  /** Median; null without any. */
  readonly latencyMsP50: number | null
  /** Mean of the evaluations, in [0, 1]; null without any. */
  readonly quality: number | null
}

export interface ObservedSums {
  /** Those that cost most first. */
  readonly groups: ReadonlyArray<ObservedGroup>
  readonly leftOut: ReadonlyArray<{ readonly reason: string; readonly n: number }>
}

interface ObservedCallsPort {
  /** Adds calls; one that is there gains a bill and an evaluation that it lacked, and nothing else. */
  readonly add: (
    accountId: AccountId,
    calls: ReadonlyArray<ObservedCall>,
    leftOut: LeftOutCounts
  ) => Effect.Effect<void, LedgerUnavailable>
  readonly sums: (
    window: Pick<LedgerWindow, "accountId" | "since" | "until">
  ) => Effect.Effect<ObservedSums, LedgerUnavailable>
  /**
   * Of the calls whose words were read as a kind of task, but for those that broke: `observed` is the whole
   * row. The lane is that of the namespace which the tag `team:` names, else `sextant:default`. None in a
   * window of one recommended model, since nothing was recommended.
   */
  readonly arms: (window: LedgerWindow) => Effect.Effect<ReadonlyArray<ArmSums>, LedgerUnavailable>
  /** Of one model at any effort, with calls without words too; users and tags with most calls first. */
  readonly uses: (
    window: LedgerWindow,
    modelId: string
  ) => Effect.Effect<ReadonlyArray<UseSums>, LedgerUnavailable>
}

/** Observed calls by account. Without a driver there are none. */
export const ObservedCalls = Context.Reference<ObservedCallsPort>("sextant/reports/ObservedCalls", {
  defaultValue: () => ({
    add: () => Effect.void, sums: () => Effect.succeed({ groups: [], leftOut: [] }),
    arms: () => Effect.succeed([]), uses: () => Effect.succeed([])
  })
})
