/* Turns the telemetry of an account's programs into observed calls, which teach Sextant nothing. */
import { Clock, Effect, Schema } from "effect"
import { readAccountModels } from "../accounts/AccountModels.ts"
import { accountCatalog } from "../catalog/AccountCatalog.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { isPriceUnknown } from "../catalog/Offerings.ts"
import { provenanceOfSource } from "../domain/feedback/Feedback.ts"
import type { ModelCard } from "../domain/model/Model.ts"
import type { AccountId } from "../domain/Scope.ts"
import { excerptOf } from "../domain/Task.ts"
import { Identifier } from "../domain/text/Text.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { Row } from "../logs/formats/Values.ts"
import type { LeftOutReason, LoggedCall } from "../logs/LoggedCall.ts"
import { modelNamesOf } from "../logs/ModelNames.ts"
import { readExport } from "../logs/ReadExport.ts"
import { type ObservedCall, ObservedCalls } from "../reports/ObservedCalls.ts"
import { classify } from "./classifier/Classifier.ts"
import { usageOf } from "./learn/Usage.ts"
import { type EngineSettings, Settings } from "./Settings.ts"

/** Number of observed calls that are classified before the fiber lets other work run. */
const readTogether = 50

/** Maximum number of tags of an observed call, as of a request. */
const tagsMax = 64

const isIdentifier = Schema.is(Identifier)
const identifier = (text: string | null): string | null => isIdentifier(text) ? text : null

const kindOf = ({ inputTokens, prompt }: LoggedCall): Pick<ObservedCall, "difficulty" | "taskType"> => {
  if (prompt === null || prompt.trim() === "") return { taskType: null, difficulty: null }
  const { difficulty, taskType } = classify(excerptOf(prompt), inputTokens)
  return { taskType, difficulty }
}

/** Cost at list prices, USD; null if the model's prices or the call's tokens are unknown. */
const listUsdOf = (call: LoggedCall, card: ModelCard | null, settings: EngineSettings): number | null => {
  if (card === null || isPriceUnknown(card)) return null
  const usage = { ...call, cacheWriteHourInputTokens: null, actualCostUsd: null }
  return usageOf(settings, usage, card).computedCostUsd
}

/** @param card the model that ran; null if the catalog does not have the model */
const observedCall = (
  call: LoggedCall,
  card: ModelCard | null,
  nowMs: number,
  settings: EngineSettings
): ObservedCall => ({
  callId: call.id,
  calledAt: new Date(Math.min(call.at.getTime(), nowMs)),
  modelId: card?.modelId ?? call.modelId,
  effort: identifier(call.effort),
  ...kindOf(call),
  inputTokens: call.inputTokens,
  cachedInputTokens: call.cachedInputTokens,
  cacheWriteInputTokens: call.cacheWriteInputTokens,
  outputTokens: call.outputTokens,
  reasoningTokens: call.reasoningTokens,
  billedUsd: call.costUsd,
  listUsd: listUsdOf(call, card, settings),
  latencyMs: call.latencyMs,
  timeToFirstTokenMs: call.timeToFirstTokenMs,
  sessionId: identifier(call.sessionId),
  userId: identifier(call.userId),
  tags: [...new Set(call.tags)].filter((tag) => isIdentifier(tag)).slice(0, tagsMax),
  quality: call.quality,
  provenance: call.quality === null ? null : provenanceOfSource(call.evidenceSource),
  isBroken: call.isInfraFailure
})

export type UnreadCounts = ReadonlyMap<LeftOutReason, number>

/**
 * Stores the calls of one telemetry request, and returns how many records are left out, by reason. A repeated
 * request adds no calls. A call that names its recommendation is left out, because the decision already
 * counts it.
 *
 * @param row the telemetry request in OTLP's JSON
 */
export const observe = Effect.fn("Observer.observe")(function*(
  accountId: AccountId,
  row: Row
): Effect.fn.Return<UnreadCounts, LedgerUnavailable, Catalog | Settings> {
  const settings = yield* Settings
  const catalog = yield* Catalog
  const observedCalls = yield* ObservedCalls
  const nowMs = yield* Clock.currentTimeMillis
  const { calls, leftOut } = readExport(row, nowMs)
  const { document } = yield* readAccountModels(accountId, settings.feedbackBudgetMs)
  const { find } = modelNamesOf(accountCatalog(yield* catalog.snapshot, document))
  const observed: Array<ObservedCall> = []
  const counts = new Map<LeftOutReason, number>()
  const count = (reason: LeftOutReason) => counts.set(reason, (counts.get(reason) ?? 0) + 1)
  for (const call of calls) {
    if (call.recommendationId !== undefined) {
      count("recommended")
      continue
    }
    if (observed.length % readTogether === 0) yield* Effect.yieldNow
    observed.push(observedCall(call, find(call.modelId), nowMs, settings))
  }
  for (const { reason } of leftOut) count(reason)
  yield* observedCalls.add(accountId, observed, counts)
  return counts
})
