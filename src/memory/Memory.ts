/* Port: recalls and writes the outcomes and lessons of a lane. */
import { Context, type Effect, Schema } from "effect"
import type { FeedbackResponse } from "../domain/Feedback.ts"
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

/** Memory did not do what it was asked to; `reason` says why. */
export class MemoryUnavailable extends portError<MemoryUnavailable>()("MemoryUnavailable", {
  /** Reports of the account that wait for the backend, where they are counted. */
  waiting: Schema.optionalKey(Schema.Int)
}) {
  /** The failure of a call without an answer within `limitMs` milliseconds. */
  static timedOut(limitMs: number): MemoryUnavailable {
    return new MemoryUnavailable({ reason: new TimedOut({ limitMs }) })
  }
  /** How long the backend is not to be asked again, in milliseconds; 0 where it did not say so. */
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
   * When ids came to stand for other models. An outcome from before weighs a fifth, and what it cost and took
   * is no answer. A later moment of an earlier query stays in force.
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
 * Decayed, provenance-weighted sums: the actor's own outcomes, and the other actors', of whom none has more
 * than half of the others' weight at a level, unless it is the only other.
 */
export interface Tallies extends Levels {
  /** The actor's own part of them; absent where the actor has no part, or others have none. */
  readonly own?: Levels
  /** The task type's by difficulty; absent where the candidate has outcomes of one alone. */
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

/** By model id, the decayed weight of a model's outcomes in a lane, and of those of one task type. */
export type KnownModels = ReadonlyMap<string, { readonly lane: number; readonly taskType: number }>

export interface Recalled {
  /** One candidate after another, of each at most `perModel`, most similar first. */
  readonly neighbours: Neighbours
  /**
   * Of telemetry that measured cost, output or latency, as `neighbours`; it is in no other field. Only what a
   * `Measurement` has is read of it.
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

/** What an outcome's vectors are made of, and those that are known already. */
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
   * The models that a lane has outcomes of, as far as this process holds the lane already: without a look-up,
   * a wait or a failure, and empty where it does not hold it.
   */
  readonly knownModels: (lane: LaneId, cluster: Cluster) => KnownModels
  /**
   * The task's vectors, with which its outcome can be taught later without its text. Empty where a memory
   * takes text alone; an outcome without either still counts, and is found by no similarity.
   */
  readonly taskVectorsOf: (
    accountId: AccountId,
    task: string
  ) => Effect.Effect<ReadonlyArray<TaskVector>, MemoryUnavailable>
  /**
   * The vectors that an outcome of the task is taught with: those that are known, and what the embedders made
   * of its words in time. Never called inside a transaction, because it may wait for a network.
   */
  readonly prepare: (task: TaughtTask) => Effect.Effect<ReadonlyArray<TaskVector>>
  /** Carries out the writes of reports; a remote memory takes them out of the log. */
  readonly store: (
    accountId: AccountId,
    writes: ReadonlyArray<MemoryWrite>
  ) => Effect.Effect<StoredWrites, MemoryUnavailable>
  /**
   * Waits a bounded time until a remote memory has taken what the report of that revision left to it.
   * Yields the report's answer by what became of each write, which the log then keeps.
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
  /** Reaches the account's memory and says where it is, and how many of its reports wait to get there. */
  readonly ping: (
    accountId: AccountId
  ) => Effect.Effect<{ readonly endpoint: string; readonly waiting?: number }, MemoryUnavailable>
}>()("sextant/memory/Memory") {}
