/* The port for observed calls, which other programs report by OpenTelemetry. Observed calls teach nothing. */
import { Context, Effect } from "effect"
import type { Provenance } from "../domain/feedback/Feedback.ts"
import type { AccountId } from "../domain/Scope.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { ArmSums, UseSums } from "./advice/ArmSums.ts"
import type { LedgerWindow } from "./LedgerWindow.ts"

export interface ObservedCall {
  readonly callId: string
  readonly calledAt: Date
  /** The catalog's id of the model; the program's spelling if the catalog does not have the model. */
  readonly modelId: string
  readonly effort: string | null
  /** The kind of task, by the words of the prompt; null if it is not known. */
  readonly taskType: TaskType | null
  readonly difficulty: Difficulty | null
  /** Counts of tokens. Cached tokens are a part of the input, and reasoning tokens a part of the output. */
  readonly inputTokens: number | null
  readonly cachedInputTokens: number | null
  readonly cacheWriteInputTokens: number | null
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  /** The bill that the program reports, USD, at least 0. */
  readonly billedUsd: number | null
  /** Cost of the call's tokens at list prices, USD, at least 0. */
  readonly listUsd: number | null
  readonly latencyMs: number | null
  readonly timeToFirstTokenMs: number | null
  readonly sessionId: string | null
  readonly userId: string | null
  readonly tags: ReadonlyArray<string>
  /** The score of an evaluation, in [0, 1]; null if the call was not evaluated. */
  readonly quality: number | null
  readonly provenance: Provenance | null
  readonly isBroken: boolean
}

export type LeftOutCounts = ReadonlyMap<string, number>

export interface ObservedGroup {
  readonly modelId: string
  readonly taskType: string | null
  readonly n: number
  readonly nBroken: number
  readonly nBilled: number
  readonly nJudged: number
  /** Sums of tokens over the calls that report them. */
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteInputTokens: number
  readonly outputTokens: number
  readonly billedUsd: number
  /** Cost at list prices of the calls without a bill, USD. */
  readonly listUsd: number
  readonly latencyMsP50: number | null
  /** Mean of the evaluations, in [0, 1]; null if no call was evaluated. */
  readonly quality: number | null
}

export interface ObservedSums {
  /** Groups with the highest cost come first. */
  readonly groups: ReadonlyArray<ObservedGroup>
  readonly leftOut: ReadonlyArray<{ readonly reason: string; readonly n: number }>
}

interface ObservedCallsPort {
  /** Stores observed calls. A call that is already stored only gains a missing bill or evaluation. */
  readonly add: (
    accountId: AccountId,
    calls: ReadonlyArray<ObservedCall>,
    leftOut: LeftOutCounts
  ) => Effect.Effect<void, LedgerUnavailable>
  readonly sums: (
    window: Pick<LedgerWindow, "accountId" | "since" | "until">
  ) => Effect.Effect<ObservedSums, LedgerUnavailable>
  /**
   * Reads sums by kind of task and model, over calls of a known kind that were not broken. The tag `team:`
   * names the namespace of a call's lane. The lane of a call without a `team:` tag is `sextant:default`.
   * If the window names a recommended model, there is no result, because no observed call was recommended.
   */
  readonly arms: (window: LedgerWindow) => Effect.Effect<ReadonlyArray<ArmSums>, LedgerUnavailable>
  /** Reads the calls of one model at any effort, and the users and tags with the most calls. */
  readonly uses: (
    window: LedgerWindow,
    modelId: string
  ) => Effect.Effect<ReadonlyArray<UseSums>, LedgerUnavailable>
}

/** If no driver is provided, calls of other programs are neither stored nor reported. */
export const ObservedCalls = Context.Reference<ObservedCallsPort>("sextant/reports/ObservedCalls", {
  defaultValue: () => ({
    add: () => Effect.void, sums: () => Effect.succeed({ groups: [], leftOut: [] }),
    arms: () => Effect.succeed([]), uses: () => Effect.succeed([])
  })
})
