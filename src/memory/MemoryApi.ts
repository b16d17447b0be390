import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "../api/Authorization.ts"
import { PayloadTooLarge, UnsupportedMediaType } from "../api/Problems.ts"
import { Validation } from "../api/Validation.ts"
import { FailureLesson, SectionHealth, Strategy } from "../domain/Lesson.ts"
import { AccountId } from "../domain/Scope.ts"
import { version } from "../domain/System.ts"
import { defaulted, wire } from "../domain/Wire.ts"
import {
  Cluster, DiagnoseQuery, HealthQuery, NewLesson, Observation, RecallQuery, Reinforcement, StepRewards,
  StrategiesQuery
} from "./MemoryPayloads.ts"

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
/** A cosine of quantised vectors may pass 1 by their rounding. */
const Cosine = Schema.Finite.check(Schema.isBetween({ minimum: -1.05, maximum: 1.05 }))

// What recall answers is spelled as in code: renaming the fields of 512 neighbours took 9 ms, this takes 0.3.
const Neighbour = Schema.Struct({
  entryId: Schema.String,
  modelId: Schema.String,
  cluster: Cluster,
  tags: defaulted(Schema.Array(Schema.String), []),
  similarity: Cosine,
  reliability: Share,
  quality: Share,
  ageDays: Amount,
  isStale: Schema.Boolean,
  // A backend of an earlier version tells no tags and knows of no changes.
  currentShare: defaulted(Share, 1),
  provenanceWeight: Share,
  propensity: Schema.NullOr(Share),
  inputTokens: Schema.NullOr(Amount),
  outputTokens: Schema.NullOr(Amount),
  costUsd: Schema.NullOr(Amount),
  latencyMs: Schema.NullOr(Amount)
})

const Tally = Schema.Struct({ weight: Amount, success: Amount })

const Recalled = Schema.Struct({
  neighbours: Schema.Array(Neighbour),
  /** Pairs rather than a record: a model's id is data, not a key of ours. */
  tallies: Schema.Array(Schema.Struct({
    modelId: Schema.String,
    lane: Tally,
    taskType: Tally,
    cluster: Tally,
    tags: Tally
  })),
  laneSize: Amount,
  meanSimilarity: Cosine,
  highSimilarity: Cosine,
  // Only told where an embeddings endpoint is configured.
  embedderFailed: Schema.optionalKey(Schema.Boolean)
})

const Taught = wire({ recordId: Schema.String, laneTaught: Amount, reflectionTriggered: Schema.Boolean })
const Reinforced = wire({
  entryIds: Schema.Array(Schema.String),
  updatedConfidence: Schema.NullOr(Share)
})

const HealthCounts = wire({
  entryCounts: Schema.Record(Schema.String, Schema.Int),
  staleEntries: Schema.Int,
  contradictions: Schema.Int,
  lowConfidenceCount: Schema.Int,
  promotionCandidates: Schema.Int,
  sectionHealth: Schema.Array(SectionHealth)
})

const error = [PayloadTooLarge, UnsupportedMediaType] as const

/**
 * A memory backend: the methods of the port `Memory`, each a POST of its question. Whose memory it is comes
 * from the verified key alone; no body names an account.
 */
export class MemoryGroup extends HttpApiGroup.make("memory", { topLevel: true })
  .add(
    HttpApiEndpoint.post("recall", "/recall", { payload: RecallQuery, success: Recalled, error }),
    HttpApiEndpoint.post("teach", "/teach", { payload: Observation, success: Taught, error }),
    HttpApiEndpoint.post("reinforce", "/reinforce", { payload: Reinforcement, success: Reinforced, error }),
    HttpApiEndpoint.post("recordSteps", "/steps", {
      payload: StepRewards,
      success: wire({ recorded: Schema.Int }),
      error
    }),
    HttpApiEndpoint.post("promote", "/lessons", {
      payload: NewLesson,
      success: wire({ lessonId: Schema.String }),
      error
    }),
    HttpApiEndpoint.post("strategies", "/strategies", {
      payload: StrategiesQuery,
      success: wire({ strategies: Schema.Array(Strategy) }),
      error
    }),
    HttpApiEndpoint.post("diagnose", "/diagnose", {
      payload: DiagnoseQuery,
      success: wire({ lessons: Schema.Array(FailureLesson), total: Schema.Int }),
      error
    }),
    HttpApiEndpoint.post("memoryHealth", "/health", { payload: HealthQuery, success: HealthCounts, error }),
    /** Verifies the key and reaches for the account's memory. */
    HttpApiEndpoint.get("account", "/account", {
      success: wire({ accountId: AccountId, endpoint: Schema.String })
    })
  )
  .middleware(Authorization)
  .prefix("/memory/v1")
  .annotateMerge(OpenApi.annotations({ title: "Memory", description: "One account's outcome history" }))
{}

/** Liveness, without a key. */
export class LivenessGroup extends HttpApiGroup.make("liveness", { topLevel: true })
  .add(HttpApiEndpoint.get("alive", "/health", {
    success: wire({ status: Schema.Literals(["ok"]), version: Schema.String })
  }))
{}

/** The protocol between the service and an external memory: server and client are derived from it. */
export class MemoryApi extends HttpApi.make("sextant-memory")
  .add(MemoryGroup, LivenessGroup)
  .middleware(Validation)
  .annotateMerge(OpenApi.annotations({ title: "Sextant memory", version }))
{}
