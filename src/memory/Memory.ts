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

/** The failure of a call to memory; `reason` says why the call failed. */
export class MemoryUnavailable extends portError<MemoryUnavailable>()("MemoryUnavailable", {
  /**
   * Number of the account's reports that wait for the remote memory; absent if waiting reports are not
   * counted.
   */
  waiting: Schema.optionalKey(Schema.Int)
}) {
  /** Makes the failure of a call that took longer than `limitMs` milliseconds. */
  static timedOut(limitMs: number): MemoryUnavailable {
    return new MemoryUnavailable({ reason: new TimedOut({ limitMs }) })
  }
  /** Pause before the next call, ms; 0 if no pause was named. */
  get retryAfterMs(): number {
    const { reason } = this
    return reason._tag === "NotSent" || reason._tag === "Unreachable" ? reason.retryAfterMs ?? 0 : 0
  }
}

export interface RecallQuery extends LaneId {
  readonly task: string
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  /**
   * The id of the actor (the end user) who requests the recommendation. A recall returns only this actor's
   * neighbours, and limits how much single other actors weigh in the tallies. If the id is null, a recall
   * returns the neighbours of all actors. All callers without an id count as one actor.
   */
  readonly userId: string | null
  readonly modelIds: ReadonlyArray<string>
  /** Maximum number of neighbours of each candidate model. */
  readonly perModel: number
  /**
   * Times at which model ids began to name another model. Outcomes from before such a time weigh a fifth, and
   * their cost, tokens and latency are not used. If an earlier query named a later time, the later time
   * counts.
   */
  readonly restarts: ModelRestarts
}

/**
 * Sums of one candidate's outcomes, for ever narrower groups. The outcomes of the lane include those of the
 * task type, which include those of the cluster and the tags.
 */
export interface Levels {
  readonly lane: Tally
  readonly taskType: Tally
  /** Outcomes of the same task type and difficulty. */
  readonly cluster: Tally
  /** Outcomes of the task type that have any of the request's tags. */
  readonly tags: Tally
}

/**
 * Sums of the outcomes of all actors, weighted by age and provenance. No other actor has more than half of
 * the weight of all others, unless there is only one other actor.
 */
export interface Tallies extends Levels {
  /**
   * The part of the sums that belongs to the requesting actor; absent if the actor or all other actors have
   * no outcomes.
   */
  readonly own?: Levels
  /** The task type's sums by difficulty; absent if all outcomes have the same difficulty. */
  readonly byDifficulty?: ReadonlyArray<DifficultyTally>
}

/** A candidate's outcomes of one task type and difficulty. */
interface DifficultyTally {
  readonly tally: Tally
  /** The part of the tally that belongs to the requesting actor. */
  readonly own: Tally
  /** Smoothed share of the candidate in all models' outcomes of this difficulty, in (0, 1]. */
  readonly modelShare: number
}

/** For each model id: the decayed weight of the model's outcomes in the lane, and in one task type. */
export type KnownModels = ReadonlyMap<string, { readonly lane: number; readonly taskType: number }>

export interface Recalled {
  /** Neighbours grouped by candidate, at most `perModel` of each candidate, the most similar first. */
  readonly neighbours: Neighbours
  /**
   * Unlabelled outcomes from telemetry with a cost, output tokens or a latency, in the same order. Telemetry
   * counts in no field except this one. Only the fields of `Measurement` are read from telemetry.
   */
  readonly measurements: Neighbours
  /** Sums of outcomes by model id; a model without outcomes in the lane is absent. */
  readonly tallies: ReadonlyMap<string, Tallies>
  /** Number of outcomes in the lane that teach. */
  readonly laneSize: number
  /** True if the embeddings endpoint failed, so that neighbours were found with the built-in embedder. */
  readonly embedderFailed?: boolean
}

export type HealthCounts = Omit<MemoryHealthResponse, "namespace" | "lane" | "warnings">

/** The text of an outcome's task, and the vectors of this text that are known already. */
export type TaughtTask = Pick<Observation, "accountId" | "task" | "taskVectors">

/**
 * The account's outcome history. Drivers: `MemorySql`, `MemoryHttp`, and `MemoryLocal` for tests. The
 * contract suite tests each driver for these promises:
 *
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
  /**
   * Returns the models that have outcomes in the lane. The call reads only the cache of the process, so it
   * never waits or fails. The result is empty if the lane is not in this cache.
   */
  readonly knownModels: (lane: LaneId, cluster: Cluster) => KnownModels
  /**
   * Returns the vectors with which an outcome of the task is taught: the known vectors, and those that the
   * embedders make in time. An outcome with vectors can be taught later without the task's text. A memory
   * that takes only texts makes no vectors. An outcome that has neither vectors nor text counts, but no
   * similar task finds the outcome. `prepare` is never called inside a transaction, because it may wait for a
   * network.
   */
  readonly prepare: (task: TaughtTask) => Effect.Effect<ReadonlyArray<TaskVector>>
  /**
   * Stores the writes of a report. A remote memory stores nothing in this call, because the writes are sent
   * later.
   */
  readonly store: (
    accountId: AccountId,
    writes: ReadonlyArray<MemoryWrite>
  ) => Effect.Effect<StoredWrites, MemoryUnavailable>
  /**
   * Sends a report's writes to a remote memory, and waits a limited time. Returns the report's answer from
   * the results of the writes.
   */
  readonly deliver: (
    accountId: AccountId,
    revision: number,
    plan: Pick<ReportPlan, "answer" | "writes">
  ) => Effect.Effect<FeedbackResponse>
  /** Makes one write outside the log of reports. The write is stored durably when the call returns. */
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
  /**
   * Sends a test call to the account's memory. Returns the memory's address, and the number of reports that
   * wait for the memory.
   */
  readonly ping: (
    accountId: AccountId
  ) => Effect.Effect<{ readonly endpoint: string; readonly waiting?: number }, MemoryUnavailable>
}>()("sextant/memory/Memory") {}
