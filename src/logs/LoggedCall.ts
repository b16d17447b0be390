/* A call of a model in another program's log, or the reason why a row was left out. */
import { Schema } from "effect"
import type { EvidenceSource } from "../domain/feedback/Feedback.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"

/** A call in a log, as far as the log tells it. */
export interface LoggedCall {
  /** The id of the call, which is the idempotency key of the row. */
  readonly id: string
  readonly at: Date
  /** Text of the user's last message. */
  readonly prompt: string | null
  /** The id of the recommendation that the call follows, if the caller marked the call with it. */
  readonly recommendationId?: RecommendationId
  /** The name of the model, as spelled in the log. */
  readonly modelId: string
  /** Level of reasoning effort, as spelled in the log. */
  readonly effort: string | null
  /** Number of input tokens, including tokens that were read from or written to a cache. */
  readonly inputTokens: number | null
  readonly cachedInputTokens: number | null
  readonly cacheWriteInputTokens: number | null
  /** Number of output tokens, including reasoning tokens. */
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  /** Service tier that the provider used or the caller requested, as spelled in the log. */
  readonly serviceTier: string | null
  /** Number of web searches that the provider ran. */
  readonly webSearches: number | null
  /** Cost of the call according to the log, in US dollars, at least 0. */
  readonly costUsd: number | null
  readonly latencyMs: number | null
  readonly timeToFirstTokenMs: number | null
  /** The caller's name for the task of the call. */
  readonly taskId: string | null
  readonly userId: string | null
  /** The conversation, or the agent's session, in which the call was made. */
  readonly sessionId: string | null
  readonly tags: ReadonlyArray<string>
  readonly taskType: TaskType | null
  readonly difficulty: Difficulty | null
  /** Quality in [0, 1]; null if the call has no label. */
  readonly quality: number | null
  /** Source of the call's label; null if the call has no label, or if the label's source is unknown. */
  readonly evidenceSource: EvidenceSource | null
  /** True if the call failed, so that the call says nothing about the model's quality. */
  readonly isInfraFailure: boolean
}

/** `jsonl` and `csv` are Sextant's own format. */
export const logFormats = ["litellm", "langfuse", "helicone", "openrouter", "otel", "jsonl", "csv"] as const
export type LogFormat = typeof logFormats[number]

/** The reasons to leave out a part of a log, each with the end of a sentence that tells it to a person. */
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
  // Labels. The call of a label that is left out is read without the label.
  label_not_numeric: "a label that is a word, which says nothing of how good it is",
  label_out_of_range: "a label outside 0 to 1, on a scale that the log does not tell",
  label_not_quality: "a score of something else than quality, such as toxicity",
  label_without_call: "a label of a call that the log does not have",
  // Prompts in separate rows.
  prompt_without_call: "a prompt in a record of its own, of a call that the log does not have",
  // Fields. The call of a field that is left out is read without the field.
  unusable_field: "a field with a value that cannot be right, such as a count below 0"
} as const
export type LeftOutReason = keyof typeof leftOutReasons

/** Returns true if the reason leaves out a whole row, not only a label, a prompt or a field. */
export const isOfRow = (reason: LeftOutReason): boolean => !/^(?:label|prompt)_|^unusable_field$/.test(reason)

export interface LeftOut {
  readonly reason: LeftOutReason
  /** Details of what was left out, for a person to read, such as the type of a call, or a field's value. */
  readonly detail: string | null
}

export type LogItem =
  | { readonly _tag: "Call"; readonly call: LoggedCall }
  | LeftOut & { readonly _tag: "LeftOut" }

export interface LogBatch {
  readonly format: LogFormat
  readonly items: ReadonlyArray<LogItem>
  /** Progress over all files, in bytes on disk. */
  readonly bytesRead: number
  readonly bytesTotal: number
}

/** The error for a file that is unreadable or whose format is unclear; `detail` tells the user why. */
export class LogError extends Schema.TaggedError<LogError>()("LogError", {
  path: Schema.String,
  reason: Schema.Literals(["unreadable", "unclear"]),
  detail: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.detail}`
  }
}
