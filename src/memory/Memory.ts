import { Context, type Effect, Schema } from "effect"
import type { FailureLesson, MemoryHealthResponse, Strategy } from "../domain/Lesson.ts"
import type { Outcome, Provenance, StepOutcome } from "../domain/Feedback.ts"
import type { AccountId, LaneId } from "../domain/Scope.ts"
import type { Cluster, Difficulty, TaskType } from "../domain/Task.ts"
import type { TaskVector } from "../domain/text/TaskText.ts"
import { FailureReason, TimedOut } from "../resilience/FailureReason.ts"

/** Memory did not do what it was asked to; `reason` says why. */
export class MemoryUnavailable extends Schema.TaggedError<MemoryUnavailable>()("MemoryUnavailable", {
  reason: FailureReason,
  /** Writes of the account that wait for the backend, where they are counted. */
  waiting: Schema.optionalKey(Schema.Int)
}) {
  /** The failure of a call without an answer within `limitMs` milliseconds. */
  static timedOut(limitMs: number): MemoryUnavailable {
    return new MemoryUnavailable({ reason: new TimedOut({ limitMs }) })
  }
  override readonly cause = this.reason
  override get message() {
    return this.reason.message
  }
  /** Whether repeating the same call later may succeed. */
  get isRetryable(): boolean {
    return this.reason.isRetryable
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
  /** Limits neighbours to this actor's outcomes; tallies stay the whole lane's. */
  readonly userId: string | null
  readonly modelIds: ReadonlyArray<string>
  /** Most neighbours returned per candidate model, not in all. */
  readonly perModel: number
}

/** One past outcome, as the aggregate and cost stages weigh it. */
export interface Neighbour {
  readonly entryId: string
  readonly modelId: string
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  /** Cosine in [-1, 1]. */
  readonly similarity: number
  /** The backend's belief in the entry, in [0, 1]; moved by reinforcement. */
  readonly reliability: number
  /** Recorded quality, in [0, 1]. */
  readonly quality: number
  readonly ageDays: number
  /** Old, or older than a sustained change of its model on tasks of its cluster. */
  readonly isStale: boolean
  /** What such a change leaves of it, in [0, 1]; 1 without one. */
  readonly currentShare: number
  /** Weight of the label's provenance, in [0, 1]. */
  readonly provenanceWeight: number
  /** Probability with which the model had been picked; null when the pick was not random. */
  readonly propensity: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly costUsd: number | null
  readonly latencyMs: number | null
  /** Its bill is far above what any candidate was estimated at; absent when it is not. */
  readonly isCostOutlier?: boolean
}

/** What an outcome without a label measured: it says what tasks cost and take, and nothing of success. */
export type Measurement = Pick<
  Neighbour,
  "modelId" | "cluster" | "similarity" | "outputTokens" | "costUsd" | "latencyMs" | "isCostOutlier"
>

/** Decayed, provenance-weighted sums of outcomes: `weight` is N, `success` is S <= N. */
export interface Tally {
  readonly weight: number
  readonly success: number
}

/** Sums for one candidate. The lane contains the task type's, which contains the other two. */
export interface Tallies {
  readonly lane: Tally
  readonly taskType: Tally
  /** Task type and difficulty together. */
  readonly cluster: Tally
  /** Outcomes of the task type with any of the request's tags. */
  readonly tags: Tally
}

export interface Recalled {
  /** One candidate after another, of each at most `perModel`, most similar first. */
  readonly neighbours: ReadonlyArray<Neighbour>
  /** Of telemetry that measured cost, output or latency, as `neighbours`; it is in no other field. */
  readonly measurements: ReadonlyArray<Measurement>
  /** By model id; a model without outcomes in the lane is absent. */
  readonly tallies: ReadonlyMap<string, Tallies>
  /** Live observations in the lane. */
  readonly laneSize: number
  /** Mean similarity of the request to the lane's records, and the 5th highest; 0 in an empty lane. */
  readonly meanSimilarity: number
  readonly highSimilarity: number
  /** The embeddings endpoint had no vector for the task: the neighbours were found by their words. */
  readonly embedderFailed?: boolean
}

/** One taught outcome. Its `observationId` is the caller's choice, so that a redelivery is the same row. */
export interface Observation extends LaneId {
  readonly observationId: string
  /** Which telling of it this is: one of a higher revision takes its place. 0 when absent. */
  readonly revision?: number
  /** The revision that its label came with: one of a higher takes along votes and lessons. 0 when absent. */
  readonly verdictRevision?: number
  /** Empty where its words are not kept. */
  readonly task: string
  /** What it is taught with instead of the words, by embedder. */
  readonly taskVectors?: ReadonlyArray<TaskVector>
  readonly taskType: TaskType
  readonly difficulty: Difficulty
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  readonly userId: string | null
  readonly modelId: string
  readonly outcome: Outcome
  readonly quality: number
  readonly provenance: Provenance
  readonly provenanceWeight: number
  readonly propensity: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly costUsd: number | null
  readonly latencyMs: number | null
  /** Its bill is far above what any candidate was estimated at; not when absent. */
  readonly isCostOutlier?: boolean
  readonly occurredAt: Date
}

/**
 * What an outcome left. One that may not teach leaves cost and tokens in the record; the posterior does not
 * move.
 */
export interface Taught {
  /** The durable outcome record of (cluster, model), stable over its life. */
  readonly recordId: string
  /** Outcomes that have taught this lane, this one included when it taught. */
  readonly laneTaught: number
  /** This outcome made a reflection due, which happens later and once. */
  readonly reflectionTriggered: boolean
}

export interface Reinforcement extends LaneId {
  /** The caller's choice, so that a redelivery votes once; without it every telling votes. A UUID. */
  readonly reinforcementId?: string
  /** Of the label it came with: no vote once the outcome of its id has one of a higher. 0 when absent. */
  readonly revision?: number
  /** Whose feedback it was; null is one actor of its own. */
  readonly userId: string | null
  /** Its UTC day is the one in which the votes count toward the actor's most. */
  readonly occurredAt: Date
  readonly entryIds: ReadonlyArray<string>
  /**
   * What was then observed, in [0, 1]: entries whose quality agrees within a half are voted up, others down.
   */
  readonly quality: number
}

export interface Reinforced {
  /** The entries voted up: neither those voted down, nor those on which the actor's votes are used up. */
  readonly entryIds: ReadonlyArray<string>
  /** Mean reliability afterwards of all entries told that exist, voted on or not; null when none does. */
  readonly updatedConfidence: number | null
}

export interface NewLesson extends LaneId {
  readonly lessonId: string
  /** As a reinforcement's. */
  readonly revision?: number
  readonly lessonType: "success" | "failure"
  readonly scope: "run" | "session" | "account"
  /** Composed by us from structured facts. */
  readonly content: string
  readonly cluster: Cluster
  readonly modelId: string
  readonly importance: number
  readonly confidence: number
  readonly occurredAt: Date
  /** Of a failure: what the caller said went wrong. Data to match errors with, never an instruction. */
  readonly errorText?: string | null
  /** The actor whose outcome it was. */
  readonly userId?: string | null
}

export interface StepRewards extends LaneId {
  readonly recommendationId: string
  readonly cluster: Cluster
  readonly modelId: string
  readonly steps: ReadonlyArray<StepOutcome & { readonly signal: number }>
  readonly occurredAt: Date
}

export type HealthCounts = Omit<MemoryHealthResponse, "namespace" | "lane" | "warnings">

/** The transaction of a settlement whose writes have been tried. */
export interface Tried {
  /** Runs the settlement's work, whose writes find there what has become of them. */
  readonly during: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * The account's outcome history. Drivers: `MemorySql`, `MemoryHttp`, `MemoryLocal`, and `MemoryMubit`,
 * which says what it cannot promise. Promises that the contract suite checks: what `teach` acknowledged is
 * recalled by the next `recall` of the same process; lanes and accounts never mix; teaching the same
 * `observationId` or telling the same `reinforcementId` twice counts once; an outcome told again with a
 * higher revision takes its own place in every sum, and with another label its votes and lessons go; an
 * actor's votes on an entry are limited per day; counters are incremented where they are stored.
 */
export class Memory extends Context.Service<Memory, {
  readonly recall: (query: RecallQuery) => Effect.Effect<Recalled, MemoryUnavailable>
  /**
   * Where the task lies: all that it takes to teach its outcome later without its words. Absent where a
   * memory takes words alone; an outcome without either still counts, and is found by no similarity.
   */
  readonly placesOf?: (
    accountId: AccountId,
    task: string
  ) => Effect.Effect<ReadonlyArray<TaskVector>, MemoryUnavailable>
  /** Records an outcome. `teaches` false keeps cost, tokens and latency only. */
  readonly teach: (observation: Observation, teaches: boolean) => Effect.Effect<Taught, MemoryUnavailable>
  readonly reinforce: (reinforcement: Reinforcement) => Effect.Effect<Reinforced, MemoryUnavailable>
  /** How many steps are new; one repeated for the same recommendation and model keeps its first reward. */
  readonly recordSteps: (rewards: StepRewards) => Effect.Effect<number, MemoryUnavailable>
  readonly promote: (lesson: NewLesson) => Effect.Effect<void, MemoryUnavailable>
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
   * Only of a memory, or an embedder, elsewhere: tries the writes before the transaction that makes them
   * durable, which then need not stay open for the way there and back. They must be the writes that follow in
   * the transaction. Should that fail, they are told again, under the same ids, when their feedback is.
   */
  readonly ahead?: <E, R>(writes: Effect.Effect<unknown, E, R>) => Effect.Effect<Tried, E, R>
  /** Reaches the account's memory and says where it is, and how many of its writes wait to get there. */
  readonly ping: (
    accountId: AccountId
  ) => Effect.Effect<{ readonly endpoint: string; readonly waiting?: number }, MemoryUnavailable>
}>()("sextant/memory/Memory") {}
