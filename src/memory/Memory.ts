/* Port: recalls and writes the outcomes and lessons of a lane. */
import { Context, type Effect, Schema } from "effect"
import type { FeedbackResponse } from "../domain/feedback/Feedback.ts"
import type { FailureLesson, MemoryHealthResponse, Strategy } from "../domain/Lesson.ts"
import type { MemoryWrite, Observation, Written } from "../domain/MemoryWrite.ts"
import type { ModelRestarts } from "../domain/model/ModelIdentity.ts"
import type { AccountId, LaneId } from "../domain/Scope.ts"
import type { Cluster } from "../domain/Task.ts"
import type { TaskVector } from "../domain/text/TaskText.ts"
import type { ReportPlan, StoredWrites } from "../ledger/ReportSubmission.ts"
import { portError, TimedOut } from "../resilience/FailureReason.ts"
import type { Tally } from "../stats/NeighbourMixture.ts"
import type { Neighbours } from "./Neighbours.ts"

export class MemoryUnavailable extends portError<MemoryUnavailable>()("MemoryUnavailable", {
  /** Number of the account's waiting reports; absent if unknown. */
  waiting: Schema.optionalKey(Schema.Int)
}) {
  static timedOut(limitMs: number): MemoryUnavailable {
    return new MemoryUnavailable({ reason: new TimedOut({ limitMs }) })
  }
  /** Pause before the next call, ms; 0 if the failure names no pause. */
  get retryAfterMs(): number {
    const { reason } = this
    return reason._tag === "NotSent" || reason._tag === "Unreachable" ? reason.retryAfterMs ?? 0 : 0
  }
}

export interface RecallQuery extends LaneId {
  readonly task: string
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  /** The actor whose outcomes are recalled as neighbours; null for all actors. */
  readonly userId: string | null
  readonly modelIds: ReadonlyArray<string>
  /** Maximum number of neighbours of each candidate model. */
  readonly perModel: number
  /** Times at which model ids began to name another model. */
  readonly restarts: ModelRestarts
}

/** Sums of one candidate's outcomes in the lane, and in the request's task type, cluster and tags. */
export interface Levels {
  readonly lane: Tally
  readonly taskType: Tally
  readonly cluster: Tally
  /** Outcomes of the task type that have any of the request's tags. */
  readonly tags: Tally
}

/**
 * Weighted sums of all actors' outcomes. Limits apply to the weights of weak labels and, usually, of
 * the heaviest actor besides the requesting one.
 */
export interface Tallies extends Levels {
  /** The requesting actor's part of the sums; absent if it is nothing or everything. */
  readonly own?: Levels
  /** The task type's sums by cluster; absent if the candidate has outcomes in fewer than two clusters. */
  readonly byDifficulty?: ReadonlyArray<DifficultyTally>
}

interface DifficultyTally {
  readonly tally: Tally
  readonly own: Tally
  /** Smoothed share of the candidate in all models' outcomes of this cluster, in (0, 1]. */
  readonly modelShare: number
}

/** For each model id: the weight of the model's outcomes in the lane, and in the cluster's task type. */
export type KnownModels = ReadonlyMap<string, { readonly lane: number; readonly taskType: number }>

export interface Recalled {
  /** Neighbours grouped by candidate, at most `perModel` of each candidate, the most similar first. */
  readonly neighbours: Neighbours
  /** Unlabelled outcomes from telemetry, which tell only cost, tokens and latencies. */
  readonly measurements: Neighbours
  /** Sums of outcomes by candidate, without candidates that have no outcomes. */
  readonly tallies: ReadonlyMap<string, Tallies>
  readonly laneSize: number
  /** True if the embeddings endpoint failed, so that neighbours were found with the built-in embedder. */
  readonly embedderFailed?: boolean
}

export type HealthCounts = Omit<MemoryHealthResponse, "namespace" | "lane" | "warnings">

/** The text of an outcome's task, and the vectors of this text that are known already. */
export type TaughtTask = Pick<Observation, "accountId" | "task" | "taskVectors">

/**
 * The account's outcome history. The contract suite tests each driver for these promises:
 * - After a write is acknowledged, the next `recall` of the same process finds its outcome.
 * - Data of different lanes and accounts never mix.
 * - A write that is stored twice counts once.
 * - An outcome of a higher revision replaces the stored one. A new label of an outcome removes the votes and
 * lessons of its old label.
 * - An actor's votes on an entry are limited per day.
 * - The store itself increments counters, so that concurrent writes all count.
 */
export class Memory extends Context.Service<Memory, {
  readonly recall: (query: RecallQuery) => Effect.Effect<Recalled, MemoryUnavailable>
  /** Returns the models that this process knows to have outcomes in the lane, without waiting. */
  readonly knownModels: (lane: LaneId, cluster: Cluster) => KnownModels
  /**
   * Returns the task's known vectors, and those that embedders add. `prepare` may wait for a network, so it
   * must not be called inside a transaction.
   */
  readonly prepare: (task: TaughtTask) => Effect.Effect<ReadonlyArray<TaskVector>>
  /**
   * Stores a report's writes. `store` changes nothing in a remote memory, because `deliver` sends the writes.
   */
  readonly store: (
    accountId: AccountId,
    writes: ReadonlyArray<MemoryWrite>
  ) => Effect.Effect<StoredWrites, MemoryUnavailable>
  /** Sends a report's writes if the memory is remote, and waits a limited time. */
  readonly deliver: (
    accountId: AccountId,
    revision: number,
    plan: Pick<ReportPlan, "answer" | "writes">
  ) => Effect.Effect<FeedbackResponse>
  /** Makes one write, which is durable when the call returns. */
  readonly write: (write: MemoryWrite) => Effect.Effect<Written, MemoryUnavailable>
  readonly strategies: (
    query: LaneId & { readonly lessonTypes: ReadonlyArray<string>; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Strategy>, MemoryUnavailable>
  readonly diagnose: (
    query: LaneId & {
      readonly errorText: string
      readonly errorType: string | null
      readonly userId: string | null
      readonly limit: number
    }
  ) => Effect.Effect<
    { readonly lessons: ReadonlyArray<FailureLesson>; readonly total: number },
    MemoryUnavailable
  >
  readonly health: (
    query: LaneId & { readonly staleThresholdDays: number }
  ) => Effect.Effect<HealthCounts, MemoryUnavailable>
  /** Sends a test call. `waiting` is the number of reports that wait for a remote memory. */
  readonly ping: (
    accountId: AccountId
  ) => Effect.Effect<{ readonly endpoint: string; readonly waiting?: number }, MemoryUnavailable>
}>()("sextant/memory/Memory") {}
