/* Turns a call of another program's log into an outcome, or names the reason why it teaches nothing. */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import type { LogFormat, LoggedCall } from "../../logs/LoggedCall.ts"
import { isCostOutlier } from "../../domain/CostOutlier.ts"
import {
  type Outcome, outcomeByQuality, type Provenance, provenanceInMemory, provenanceOfSource
} from "../../domain/feedback/Feedback.ts"
import { usdOf } from "../../domain/model/Cost.ts"
import type { ModelCard } from "../../domain/model/Model.ts"
import * as RecommendationId from "../../domain/RecommendationId.ts"
import type { LaneId } from "../../domain/Scope.ts"
import { clusterOf, type Difficulty, type TaskType } from "../../domain/Task.ts"
import { Identifier } from "../../domain/text/Text.ts"
import { dayMs } from "../../domain/Time.ts"
import { classify } from "../../engine/classifier/Classifier.ts"
import type { EngineSettings } from "../../engine/Settings.ts"
import type { Observation } from "../../domain/MemoryWrite.ts"

/** Why a call teaches nothing, each with the end of a sentence that says so to a person. */
export const untaughtReasons = {
  infra_failure: "failed for a reason of the provider's, which says nothing of the model",
  no_label_no_text: "with neither a label nor a text, so that no similar task finds them",
  no_label_no_measurement: "with neither a label nor a cost, a latency or output tokens",
  no_label_and_old: "without a label and older than what is kept of such calls (SEXTANT_RETENTION_DAYS)",
  unusable_name: "of a user whose id has more than 256 characters"
} as const
export type UntaughtReason = keyof typeof untaughtReasons

/** Whose calls they are, and as of when. */
export interface LoggedScope extends LaneId {
  readonly format: LogFormat
  /** The database's time, ms since 1970. */
  readonly nowMs: number
  /** How long calls without a label are kept, days. */
  readonly retentionDays: number
}

const isIdentifier = Schema.is(Identifier)

/** Most tags of an outcome, as of a request. */
const tagsMax = 64

const hourMs = 3_600_000

/**
 * The id of the outcome, the same in every log that has the row: of its account, lane, format and row. It
 * begins with the call's hour, because the newest outcomes of a lane are those with the highest ids; not with
 * more of its time, because one export of a log may round times and another may not.
 */
export const loggedOutcomeIdOf = (
  { accountId, format, lane }: Pick<LoggedScope, "accountId" | "format" | "lane">,
  { at, id }: Pick<LoggedCall, "at" | "id">
): string =>
  RecommendationId.fromParts(
    Math.floor(at.getTime() / hourMs) * hourMs,
    createHash("sha256").update(JSON.stringify(["import", accountId, lane, format, id])).digest()
  )

interface OutcomeLabel {
  readonly outcome: Outcome
  readonly quality: number
  readonly provenance: Provenance
}

/** The label as a feedback of the same content would have it; a call without one is telemetry. */
const labelOf = ({ evidenceSource, quality }: LoggedCall, settings: EngineSettings): OutcomeLabel =>
  quality === null || evidenceSource === "none"
    ? { outcome: "success", quality: settings.qualityByOutcome.success, provenance: "none" }
    : {
      outcome: outcomeByQuality(quality, settings.qualityBand), quality,
      provenance: provenanceOfSource(evidenceSource)
    }

const untaughtOf = (
  { at, costUsd, isInfraFailure, latencyMs, outputTokens, prompt, userId }: LoggedCall,
  isLabelled: boolean,
  { nowMs, retentionDays }: LoggedScope
): UntaughtReason | null => {
  if (isInfraFailure) return "infra_failure"
  if (userId !== null && !isIdentifier(userId)) return "unusable_name"
  if (isLabelled) return null
  if (prompt === null || prompt.trim() === "") return "no_label_no_text"
  if (costUsd === null && latencyMs === null && outputTokens === null) return "no_label_no_measurement"
  return at.getTime() < nowMs - retentionDays * dayMs ? "no_label_and_old" : null
}

/**
 * What the call costs at list prices, USD; unknown tokens are those of its task type. No call has more than
 * the context window, whatever its row says: the tokens of a row cannot vouch for its bill.
 */
const listUsd = (
  { inputTokens, outputTokens }: LoggedCall,
  card: ModelCard,
  { input, output }: EngineSettings["tokensByTaskType"][TaskType]
): number =>
  usdOf(card, {
    input: Math.min(inputTokens ?? input, card.contextWindow),
    output: Math.min(outputTokens ?? output, card.contextWindow)
  })

/** Type and difficulty of the task: the log's, else as the classifier reads them. */
const clusterPartsOf = (
  { difficulty, inputTokens, prompt, taskType }: LoggedCall
): { readonly taskType: TaskType; readonly difficulty: Difficulty } => {
  if (taskType !== null && difficulty !== null) return { taskType, difficulty }
  const guess = classify(prompt ?? "", inputTokens)
  return { taskType: taskType ?? guess.taskType, difficulty: difficulty ?? guess.difficulty }
}

/** The call as telemetry or a labelled outcome, before its task is read; or why it teaches nothing. */
export const teachableOf = (
  scope: LoggedScope,
  call: LoggedCall,
  settings: EngineSettings
):
  | { readonly call: LoggedCall; readonly label: OutcomeLabel; readonly observationId: string }
  | UntaughtReason =>
{
  const label = labelOf(call, settings)
  return untaughtOf(call, label.provenance !== "none", scope)
    ?? { call, label, observationId: loggedOutcomeIdOf(scope, call) }
}

export type Teachable = Exclude<ReturnType<typeof teachableOf>, UntaughtReason>

/**
 * The outcome that a call is. It has its own date, so that it weighs what one of its age weighs, and no
 * propensity: how the caller picked the model is not known. A date that the reader of logs lets pass ahead of
 * now, from a fast clock or of a zone that the log does not name, counts as now.
 *
 * @param card the model that ran
 */
export const loggedOutcome = (
  { accountId, lane, nowMs }: LoggedScope,
  { call, label, observationId }: Teachable,
  card: ModelCard,
  settings: EngineSettings
): Observation => {
  const { taskType, difficulty } = clusterPartsOf(call)
  const { at, costUsd, inputTokens, latencyMs, outputTokens, prompt, tags, timeToFirstTokenMs, userId } = call
  const { outcome, provenance, quality } = label
  const provenanceWeight = settings.provenanceWeight[provenance]
  const expectedUsd = listUsd(call, card, settings.tokensByTaskType[taskType])
  return {
    accountId, lane, observationId, taskType, difficulty, outcome, quality, provenanceWeight,
    provenance: provenanceInMemory(provenance),
    userId, inputTokens, outputTokens, costUsd, latencyMs, timeToFirstTokenMs,
    task: prompt ?? "",
    revision: 0,
    verdictRevision: 0,
    cluster: clusterOf(taskType, difficulty, "call"),
    tags: [...new Set(tags)].filter((tag) => isIdentifier(tag)).slice(0, tagsMax),
    modelId: card.modelId,
    propensity: null,
    isCostOutlier: isCostOutlier(costUsd, expectedUsd),
    occurredAt: new Date(Math.min(at.getTime(), nowMs)),
    teaches: provenanceWeight > 0
  }
}
