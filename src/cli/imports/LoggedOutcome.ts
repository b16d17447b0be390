/* Turns a call of another program's log into an outcome, or returns why the call teaches nothing. */
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

/** Reasons why rows teach nothing, each worded to follow the word "rows". */
export const untaughtReasons = {
  infra_failure: "failed for a reason of the provider's, which says nothing of the model",
  no_label_no_text: "with neither a label nor a text, so that no similar task finds them",
  no_label_no_measurement: "with neither a label nor a cost, a latency or output tokens",
  no_label_and_old: "without a label and older than what is kept of such calls (SEXTANT_RETENTION_DAYS)",
  unusable_name: "of a user whose id has more than 256 characters"
} as const
export type UntaughtReason = keyof typeof untaughtReasons

export interface LoggedScope extends LaneId {
  readonly format: LogFormat
  /** The present time by the database's clock, ms since 1970. */
  readonly nowMs: number
  /** Age above which a call without a label is left out, days. */
  readonly retentionDays: number
}

const isIdentifier = Schema.is(Identifier)

/** Maximum number of tags of an outcome. */
const tagsMax = 64

const hourMs = 3_600_000

/**
 * Makes the id from account, lane, format and row, so that every log with this row gives the same id. The id
 * begins with the hour of the call, because a lane's newest outcomes must have the highest ids. The id does
 * not depend on the minute of the call, because two exports of a log may round times differently.
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

/** Returns the label of a feedback with this quality; without quality, a label of the provenance `none`. */
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
 * Cost of a call at list prices, USD. The task type's usual numbers of tokens replace unknown ones. A number
 * above the context window is replaced by the window, so that it does not make a wrong bill plausible.
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

const clusterPartsOf = (
  { difficulty, inputTokens, prompt, taskType }: LoggedCall
): { readonly taskType: TaskType; readonly difficulty: Difficulty } => {
  if (taskType !== null && difficulty !== null) return { taskType, difficulty }
  const guess = classify(prompt ?? "", inputTokens)
  return { taskType: taskType ?? guess.taskType, difficulty: difficulty ?? guess.difficulty }
}

/** Returns why the call teaches nothing; otherwise returns the call with its label and id. */
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
 * Turns a call into an outcome, dated by the call, so its weight depends on the call's age. A future date is
 * replaced by the present. There is no propensity, because a log does not say how the model was picked.
 * @param card the card of the model that ran
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
