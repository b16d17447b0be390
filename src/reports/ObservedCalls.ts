/* The port for observed calls, which other programs report by OpenTelemetry. They teach nothing. */
import { Context, Effect } from "effect"
import type { Provenance } from "../domain/feedback/Feedback.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { ArmSums, UseSums } from "./advice/ArmSums.ts"
import type { LedgerWindow } from "./LedgerWindow.ts"

/** An observed call, without its words. */
export interface ObservedCall {
  /** The id of the call, which is the same in every report of the call. */
  readonly callId: string
  readonly calledAt: Date
  /** The catalog's id, or the program's spelling if the catalog lacks the model. */
  readonly modelId: string
  readonly effort: string | null
  /** The kind of task by the words of the prompt; null without words. */
  readonly taskType: TaskType | null
  readonly difficulty: Difficulty | null
  /** Counts, >= 0. Cached tokens are part of the input, and reasoning tokens part of the output. */
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
  /** The score of an evaluation, in [0, 1]; null without an evaluation. */
  readonly quality: number | null
  readonly provenance: Provenance | null
  /** True if the infrastructure broke the call. */
  readonly isBroken: boolean
}

/** The number of records that were no call or could not be read, by reason. */
export type LeftOutCounts = ReadonlyMap<string, number>

/** The observed calls of a model on a kind of task. */
export interface ObservedGroup {
  readonly modelId: string
  /** The type of the tasks; null for calls without words. */
  readonly taskType: string | null
  readonly n: number
  readonly nBroken: number
  /** Calls with a bill. */
  readonly nBilled: number
  /** Calls with an evaluation. */
  readonly nJudged: number
  /** Sums over the calls with a count. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteInputTokens: number
  readonly outputTokens: number
  /** Sum of the bills, USD. */
  readonly billedUsd: number
  /** Cost of the calls without a bill at list prices, USD. */
  readonly listUsd: number
  /** Median; null if no call has a latency. */
  readonly latencyMsP50: number | null
  /** Mean of the evaluations, in [0, 1]; null without an evaluation. */
  readonly quality: number | null
}

export interface ObservedSums {
  /** Groups that cost most come first. */
  readonly groups: ReadonlyArray<ObservedGroup>
  readonly leftOut: ReadonlyArray<{ readonly reason: string; readonly n: number }>
}

interface ObservedCallsPort {
  /** Adds calls. A stored call gains a bill or an evaluation if it lacks one, and nothing else. */
  readonly add: (
    accountId: AccountId,
    calls: ReadonlyArray<ObservedCall>,
    leftOut: LeftOutCounts
  ) => Effect.Effect<void, LedgerUnavailable>
  readonly sums: (
    window: Pick<LedgerWindow, "accountId" | "since" | "until">
  ) => Effect.Effect<ObservedSums, LedgerUnavailable>
  /**
   * The models by kind of task, over unbroken calls with words. `observed` covers all calls of a row. The tag
   * `team:` names the namespace of a call's lane; without it the lane is `sextant:default`. In a window of
   * one recommended model there are none, because observed calls were not recommended.
   */
  readonly arms: (window: LedgerWindow) => Effect.Effect<ReadonlyArray<ArmSums>, LedgerUnavailable>
  /** The calls of one model at any effort, words or not, with the users and tags of most calls. */
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
