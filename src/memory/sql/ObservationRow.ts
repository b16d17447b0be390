/* An outcome as the row of the statements that write it. */
import type { TaskVector } from "../../domain/text/TaskText.ts"
import type { Observation } from "../MemoryWrite.ts"

/** A lower share is written as 0: PostgreSQL fails on underflow, and reflections multiply three shares. */
const shareMin = 1e-100
const shareOf = (share: number): number => share > 0 && share < shareMin ? 0 : share

/** An outcome with what its statement needs. */
interface NewObservation {
  readonly observation: Observation
  /** Of the built-in embedder, and of others that are written with it. */
  readonly vectors: ReadonlyArray<TaskVector>
  /** Its words, where they are written with it. */
  readonly task?: string | null
  /** Taught outcomes of a lane between two reflections. */
  readonly reflectionEvery: number
}

/** An outcome as the row of its statement. */
export const observationRow = (
  { observation, reflectionEvery, task = null, vectors }: NewObservation
) => ({
  lane: observation.lane,
  observation_id: observation.observationId,
  teaches: observation.teaches,
  task_type: observation.taskType,
  difficulty: observation.difficulty,
  cluster: observation.cluster,
  tags: observation.tags,
  user_id: observation.userId,
  model_id: observation.modelId,
  outcome: observation.outcome,
  quality: shareOf(observation.quality),
  provenance: observation.provenance,
  provenance_weight: shareOf(observation.provenanceWeight),
  propensity: observation.propensity,
  input_tokens: observation.inputTokens,
  output_tokens: observation.outputTokens,
  cost_usd: observation.costUsd,
  latency_ms: observation.latencyMs,
  time_to_first_token_ms: observation.timeToFirstTokenMs,
  occurred_at: observation.occurredAt,
  task,
  vectors: vectors.map(({ embedder, scale, vector }) => ({ embedder, scale, vector })),
  reflection_every: reflectionEvery,
  revision: observation.revision,
  verdict_revision: observation.verdictRevision,
  is_cost_outlier: observation.isCostOutlier
})
