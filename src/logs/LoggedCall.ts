/* One call of a model in a log of another program, or the reason why a row was left out. */
import { Schema } from "effect"
import type { EvidenceSource } from "../domain/feedback/Feedback.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"

/** One call of a model, as a log tells of it. Fields that the log does not have are null. */
export interface LoggedCall {
  /** Unique in its source: the idempotency key of the row. */
  readonly id: string
  readonly at: Date
  /** Text of the last message of the user; null where the log keeps none. */
  readonly prompt: string | null
  /** The recommendation of Sextant that the call follows, if the caller marked the call with it. */
  readonly recommendationId?: RecommendationId
  /** As the log spells it. */
  readonly modelId: string
  /** Level of reasoning effort, as the log spells it. */
  readonly effort: string | null
  /** Count, those that a cache held or took included. */
  readonly inputTokens: number | null
  readonly cachedInputTokens: number | null
  readonly cacheWriteInputTokens: number | null
  /** Count, those of reasoning included. */
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  /** In which the provider served the call, or which it was asked for, as the log spells it. */
  readonly serviceTier: string | null
  /** Web searches that the provider ran, count. */
  readonly webSearches: number | null
  /** What the log says that the call cost, in US dollars, >= 0. */
  readonly costUsd: number | null
  readonly latencyMs: number | null
  readonly timeToFirstTokenMs: number | null
  /** The task that the call was an attempt at, as the caller names it. */
  readonly taskId: string | null
  readonly userId: string | null
  /** The conversation or the agent's session that it belongs to. */
  readonly sessionId: string | null
  readonly tags: ReadonlyArray<string>
  readonly taskType: TaskType | null
  readonly difficulty: Difficulty | null
  /** In [0, 1]; null without a label. */
  readonly quality: number | null
  /** Who gave the label; null without one, and where the log does not say. */
  readonly evidenceSource: EvidenceSource | null
  /** An error of the provider, which teaches nothing of quality. */
  readonly isInfraFailure: boolean
}

/** The logs that are read. `jsonl` and `csv` have the columns of our own. */
export const logFormats = ["litellm", "langfuse", "helicone", "openrouter", "otel", "jsonl", "csv"] as const
export type LogFormat = typeof logFormats[number]

/** Why something of a log is left out, each with the end of a sentence that says so to a person. */
export const leftOutReasons = {
  // Rows
  cache_hit: "answered from a gateway's cache, so that no model ran",
  not_chat: "no call of a chat model: embeddings, images, audio, reranking and the like",
  pass_through: "handed through to a provider on a path that is no chat",
  not_a_call: "no call at all: a span, event or metric, a response fetched again or a row of another table",
  recommended: "of a recommendation of Sextant, which its decision counts",
  no_model: "without a model",
  unknown_model: "of a model that the catalog does not have",
  no_date: "without a date that can be read",
  implausible_date: "with a date before 2020 or more than two days ahead",
  unreadable_row: "not in the form of the file",
  row_too_large: "larger than 16 MB",
  truncated: "cut off at the end of the file",
  // Labels, of calls that are read without them
  label_not_numeric: "a label that is a word, which says nothing of how good it is",
  label_out_of_range: "a label outside 0 to 1, on a scale that the log does not tell",
  label_not_quality: "a score of something else than quality, such as toxicity",
  label_without_call: "a label of a call that the log does not have",
  // Prompts in rows of their own, of calls that are read without them
  prompt_without_call: "a prompt in a record of its own, of a call that the log does not have",
  // Fields, of calls that are read without them
  unusable_field: "a field with a value that cannot be right, such as a count below 0"
} as const
export type LeftOutReason = keyof typeof leftOutReasons

/** Whether a whole row is left out, rather than a label, a prompt or a field of it. */
export const isOfRow = (reason: LeftOutReason): boolean => !/^(?:label|prompt)_|^unusable_field$/.test(reason)

/** Something that is left out: a row, or a label or a field of a call that is read. */
export interface LeftOut {
  readonly reason: LeftOutReason
  /** What was met, for a person: a call's type, a field and its value. */
  readonly detail: string | null
}

/** One thing that was read. */
export type LogItem =
  | { readonly _tag: "Call"; readonly call: LoggedCall }
  | LeftOut & { readonly _tag: "LeftOut" }

/** Rows that were read together, in the file's order. */
export interface LogBatch {
  readonly format: LogFormat
  readonly items: ReadonlyArray<LogItem>
  /** Of all files, packed as they are: for progress. */
  readonly bytesRead: number
  readonly bytesTotal: number
}

/** A file cannot be read at all; `detail` is a sentence for the person who named it. */
export class LogError extends Schema.TaggedError<LogError>()("LogError", {
  path: Schema.String,
  reason: Schema.Literals(["unreadable", "unclear"]),
  detail: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.detail}`
  }
}
