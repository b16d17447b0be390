/* First pass of a backtest: reads and counts the log, and keeps its rows without their texts. */
import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { provenanceOfSource } from "../../../src/domain/feedback/Feedback.ts"
import { excerptOf } from "../../../src/domain/Task.ts"
import { embedLexical } from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { hashOf } from "../../../src/stats/Hash.ts"
import type { LeftOutReason, LogBatch, LogError, LoggedCall } from "../../../src/logs/LoggedCall.ts"
import { ModelTable, type ResolveModel } from "./ModelTable.ts"
import { classifyTask, type LogRow } from "./Rehearsal.ts"

export interface Intake {
  /** Rows in the order of time; rows of the same moment keep their order in the log. */
  readonly rows: ReadonlyArray<LogRow>
  readonly table: ModelTable
  /** Rows, labels and fields that were left out, count by reason. */
  readonly leftOut: ReadonlyMap<LeftOutReason, number>
  readonly withPrompt: number
}

/** The key of a row's task: its name, else a hash of user and text; null without a name and a text. */
const taskOf = ({ prompt, taskId, userId }: LoggedCall): string | null => {
  if (taskId !== null) return `name:${taskId}`
  return prompt === null || prompt === ""
    ? null
    : createHash("sha256").update(`${userId ?? ""}\n`).update(prompt).digest("base64")
}

const rowOf = (call: LoggedCall, model: number): LogRow => {
  const { evidenceSource, prompt, taskId, userId } = call
  const text = prompt === null || prompt === "" ? null : excerptOf(prompt)
  const quality = evidenceSource === "none" ? null : call.quality
  return {
    id: call.id,
    atMs: call.at.getTime(),
    model,
    user: userId === null ? 0 : hashOf(userId),
    task: taskOf(call),
    isTaskNamed: taskId !== null,
    classified: classifyTask(text, call.taskType, call.difficulty),
    vector: text === null ? null : embedLexical(text),
    quality,
    provenance: quality === null ? "none" : provenanceOfSource(evidenceSource),
    inputTokens: call.inputTokens,
    cachedInputTokens: call.cachedInputTokens,
    cacheWriteInputTokens: call.cacheWriteInputTokens,
    outputTokens: call.outputTokens,
    reasoningTokens: call.reasoningTokens,
    serviceTier: call.serviceTier,
    webSearches: call.webSearches,
    costUsd: call.costUsd,
    latencyMs: call.latencyMs,
    isInfraFailure: call.isInfraFailure,
    tags: call.tags
  }
}

export const takeIn = Effect.fnUntraced(function*<R>(
  log: Stream.Stream<LogBatch, LogError, R>,
  resolveModel: ResolveModel,
  report: (doneBytes: number, totalBytes: number | null) => void
): Effect.fn.Return<Intake, LogError, R> {
  const rows: Array<LogRow> = []
  const table = new ModelTable(resolveModel)
  const leftOut = new Map<LeftOutReason, number>()
  yield* Stream.runForEach(log, ({ bytesRead, bytesTotal, items }) =>
    Effect.sync(() => {
      for (const item of items) {
        if (item._tag === "LeftOut") leftOut.set(item.reason, (leftOut.get(item.reason) ?? 0) + 1)
        else rows.push(rowOf(item.call, table.count(item.call.modelId, item.call.effort, item.call)))
      }
      report(bytesRead, bytesTotal)
    }))
  return {
    rows: rows.toSorted((a, b) => a.atMs - b.atMs),
    table, leftOut,
    withPrompt: rows.filter(({ vector }) => vector !== null).length
  }
})
