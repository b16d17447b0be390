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

/** A call of memory failed; `reason` says why. */
export class MemoryUnavailable extends portError<MemoryUnavailable>()("MemoryUnavailable", {
  /** Reports of the account that wait for the backend; absent if they are not counted. */
  waiting: Schema.optionalKey(Schema.Int)
}) {
  /** The failure of a call without an answer within `limitMs` milliseconds. */
  static timedOut(limitMs: number): MemoryUnavailable {
    return new MemoryUnavailable({ reason: new TimedOut({ limitMs }) })
  }
  /** How long to wait before the backend is called again, ms; 0 if it did not say. */
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
   * Limits neighbours to this actor's outcomes, and shields its tallies from single other actors. Null limits
   * no neighbours; its tallies are those of the callers without an id, who are one actor.
   */
  readonly userId: string | null
  readonly modelIds: ReadonlyArray<string>
  /** Most neighbours returned per candidate model, not in all. */
  readonly perModel: number
  /**
   * When models' ids changed their meaning. An outcome from before weighs a fifth, and its cost, tokens and
   * latency are not used. If an earlier query named a later moment, that one counts.
   */
  readonly restarts: ModelRestarts
}

/** Sums of one candidate's outcomes. The lane's contain the task type's, which contain the other two. */
export interface Levels {
  readonly lane: Tally
  readonly taskType: Tally
  /** Task type and difficulty together. */
  readonly cluster: Tally
  /** Outcomes of the task type with any of the request's tags. */
  readonly tags: Tally
}

/**
 * Decayed, provenance-weighted sums of the actor's own outcomes and the other actors'. No other actor has
 * more than half of the others' weight at a level, unless it is the only one.
 */
export interface Tallies extends Levels {
  /** The actor's own part of the sums; absent if the actor or all others have no outcomes. */
  readonly own?: Levels
  /** The task type's sums by difficulty; absent if all outcomes have one difficulty. */
  readonly byDifficulty?: ReadonlyArray<DifficultyTally>
}

/** A candidate's outcomes of one task type and difficulty. */
interface DifficultyTally {
  readonly tally: Tally
  /** The actor's own part, whether or not others have one. */
  readonly own: Tally
  /** Smoothed share of the candidate among all models' outcomes of this difficulty, in (0, 1]. */
  readonly modelShare: number
}

/** By model id: decayed weight of the model's outcomes, in the whole lane and in one of its task types. */
export type KnownModels = ReadonlyMap<string, { readonly lane: number; readonly taskType: number }>

export interface Recalled {
  /** One candidate after another, at most `perModel` of each, the most similar first. */
  readonly neighbours: Neighbours
  /**
   * Telemetry with a cost, output or latency, in the same order as `neighbours`. It is in no other field, and
   * only the fields of a `Measurement` are read.
   */
  readonly measurements: Neighbours
  /** By model id; a model without outcomes in the lane is absent. */
  readonly tallies: ReadonlyMap<string, Tallies>
  /** Live observations in the lane. */
  readonly laneSize: number
  /** The embeddings endpoint had no vector for the task: the neighbours were found by their words. */
  readonly embedderFailed?: boolean
}

export type HealthCounts = Omit<MemoryHealthResponse, "namespace" | "lane" | "warnings">

/** The task of an outcome: its text, and the vectors that are known already. */
export type TaughtTask = Pick<Observation, "accountId" | "task" | "taskVectors">

/**
 * The account's outcome history. Drivers: `MemorySql`, `MemoryHttp`, and `MemoryLocal` for tests. Promises
 * that the contract suite checks: an outcome whose write was acknowledged is in the next `recall` of the same
 * process; lanes and accounts never mix; a write that is stored twice counts once; an outcome
 * that comes again with a higher revision takes its own place in every sum, and with another label loses its
 * votes and lessons; an actor's votes on an entry are limited per day; counters are incremented where they
 * are stored.
 */
export class Memory extends Context.Service<Memory, {
  readonly recall: (query: RecallQuery) => Effect.Effect<Recalled, MemoryUnavailable>
  /**
   * The models that a lane has outcomes of. Reads only the process's cache: it never waits or fails, and is
   * empty if the lane is not cached.
   */
  readonly knownModels: (lane: LaneId, cluster: Cluster) => KnownModels
  /**
   * The task's vectors, with which its outcome can be taught later without its text. Empty if the memory
   * takes only text. An outcome without vectors and text counts, but no similar task finds it.
   */
  readonly taskVectorsOf: (
    accountId: AccountId,
    task: string
  ) => Effect.Effect<ReadonlyArray<TaskVector>, MemoryUnavailable>
  /**
   * The vectors that an outcome of the task is taught with: the known ones, and those that the embedders made
   * of its text in time. Never called inside a transaction, because it may wait for a network.
   */
  readonly prepare: (task: TaughtTask) => Effect.Effect<ReadonlyArray<TaskVector>>
  /** Carries out the writes of reports; a remote memory takes them out of the log. */
  readonly store: (
    accountId: AccountId,
    writes: ReadonlyArray<MemoryWrite>
  ) => Effect.Effect<StoredWrites, MemoryUnavailable>
  /**
   * Waits a bounded time until a remote memory has taken the writes of the report of that revision. Yields
   * the report's answer from the result of each write; the log then stores it.
   */
  readonly deliver: (
    accountId: AccountId,
    revision: number,
    plan: Pick<ReportPlan, "answer" | "writes">
  ) => Effect.Effect<FeedbackResponse>
  /** Makes one write outside the log of reports: durable when it is answered. */
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
  /** Calls the account's memory: its address, and how many of the account's reports wait for it. */
  readonly ping: (
    accountId: AccountId
  ) => Effect.Effect<{ readonly endpoint: string; readonly waiting?: number }, MemoryUnavailable>
}>()("sextant/memory/Memory") {}
