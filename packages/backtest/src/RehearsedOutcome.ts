/* What became of a task in a rehearsal, and the entry that it leaves in the lane. */
import { isCostOutlier } from "../../../src/domain/CostOutlier.ts"
import type { Provenance } from "../../../src/domain/Feedback.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import type { LaneEntry } from "../../../src/memory/index/Entry.ts"
import type { QuantisedVector } from "../../../src/memory/index/QuantisedVector.ts"

/** What became of a task with one model. Null stands for what is not known. */
export interface RehearsedOutcome {
  readonly observationId: string
  readonly modelId: string
  /** In [0, 1]. */
  readonly quality: number | null
  readonly provenance: Provenance
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly costUsd: number | null
  readonly latencyMs: number | null
  /** The vector that it is found by; null for a task without text. */
  readonly vector: QuantisedVector | null
}

/** An earlier attempt at a task, whose label is a verdict. */
export interface JudgedAttempt {
  readonly modelId: string
  readonly passed: boolean
  readonly provenance: Provenance
}

/** The task as it was asked: the most that a candidate was expected to cost, USD, and what it teaches. */
interface AskedTask extends Pick<LaneEntry, "cluster" | "tags"> {
  readonly atMs: number
  readonly premiumUsd: number
  /** In [0, 1]; 1 for a first attempt. */
  readonly taskWeight: number
}

/** The entry of an outcome in the lane's index. */
export const entryOf = (
  { provenanceWeight }: Pick<EngineSettings, "provenanceWeight">,
  { atMs, cluster, premiumUsd, tags, taskWeight }: AskedTask,
  outcome: RehearsedOutcome
): LaneEntry => ({
  observationId: outcome.observationId,
  modelId: outcome.modelId,
  cluster,
  tags,
  quality: outcome.quality ?? 0,
  provenanceWeight: outcome.quality === null
    ? 0
    : provenanceWeight[outcome.provenance] * taskWeight,
  propensity: null,
  inputTokens: outcome.inputTokens,
  outputTokens: outcome.outputTokens,
  costUsd: outcome.costUsd,
  latencyMs: outcome.latencyMs,
  timeToFirstTokenMs: null,
  userId: null,
  isCostOutlier: isCostOutlier(outcome.costUsd, premiumUsd),
  occurredAtMs: atMs,
  votesUp: 0,
  votesDown: 0
})
