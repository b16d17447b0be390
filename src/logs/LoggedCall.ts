/* A call of a model in a log of another program, or the reason why a row was left out. */
import { Schema } from "effect"
import type { EvidenceSource } from "../domain/feedback/Feedback.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"

/** A call of a model in a log. Fields that the log does not have are null. */
export interface LoggedCall {
  /** Unique in the log. It is the idempotency key of the row. */
  readonly id: string
  readonly at: Date
  /** Text of the user's last message. */
  readonly prompt: string | null
  /** The recommendation of Sextant that the call follows, if the caller marked the call with it. */
  readonly recommendationId?: RecommendationId
  /** The model in the log's spelling. */
  readonly modelId: string
  /** Level of reasoning effort in the log's spelling. */
  readonly effort: string | null
  /** Count, including tokens that were read from or written to a cache. */
  readonly inputTokens: number | null
  readonly cachedInputTokens: number | null
  readonly cacheWriteInputTokens: number | null
  /** Count, including reasoning tokens. */
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  /** Service tier of the provider, served or requested, in the log's spelling. */
  readonly serviceTier: string | null
  /** Web searches that the provider ran, count. */
  readonly webSearches: number | null
  /** Cost of the call by the log, in US dollars, >= 0. */
  readonly costUsd: number | null
  readonly latencyMs: number | null
  readonly timeToFirstTokenMs: number | null
  /** The caller's name of the task that the call attempted. */
  readonly taskId: string | null
  readonly userId: string | null
  /** The conversation or the agent's session of the call. */
  readonly sessionId: string | null
  readonly tags: ReadonlyArray<string>
  readonly taskType: TaskType | null
  readonly difficulty: Difficulty | null
  /** In [0, 1]. Null without a label. */
  readonly quality: number | null
  /** Source of the label. Null without a label, or if the source is not known. */
  readonly evidenceSource: EvidenceSource | null
  /** True for an error of the provider, which shows nothing about quality. */
  readonly isInfraFailure: boolean
}

/** Formats of logs. `jsonl` and `csv` are Sextant's own format. */
export const logFormats = ["litellm", "langfuse", "helicone", "openrouter", "otel", "jsonl", "csv"] as const
export type LogFormat = typeof logFormats[number]

/** Reasons to leave out a part of a log, each with the end of a sentence for a person. */
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
  // Labels. Their calls are read without them.
  label_not_numeric: "a label that is a word, which says nothing of how good it is",
  label_out_of_range: "a label outside 0 to 1, on a scale that the log does not tell",
  label_not_quality: "a score of something else than quality, such as toxicity",
  label_without_call: "a label of a call that the log does not have",
  // Prompts in other rows.
  prompt_without_call: "a prompt in a record of its own, of a call that the log does not have",
  // Fields. Their calls are read without them.
  unusable_field: "a field with a value that cannot be right, such as a count below 0"
} as const
export type LeftOutReason = keyof typeof leftOutReasons

/** True if a whole row is left out, and not only a label, a prompt or a field. */
export const isOfRow = (reason: LeftOutReason): boolean => !/^(?:label|prompt)_|^unusable_field$/.test(reason)

/** A row, a label, a prompt or a field that is left out. */
export interface LeftOut {
  readonly reason: LeftOutReason
  /** Details for a person, such as the type of a call, or a field and its value. */
  readonly detail: string | null
}

export type LogItem =
  | { readonly _tag: "Call"; readonly call: LoggedCall }
  | LeftOut & { readonly _tag: "LeftOut" }

/** Items that were read together, in the file's order. */
export interface LogBatch {
  readonly format: LogFormat
  readonly items: ReadonlyArray<LogItem>
  /** Progress in bytes on disk, over all files. */
  readonly bytesRead: number
  readonly bytesTotal: number
}

/** A file cannot be read. `detail` is a sentence for the person who named the file. */
export class LogError extends Schema.TaggedError<LogError>()("LogError", {
  path: Schema.String,
  reason: Schema.Literals(["unreadable", "unclear"]),
  detail: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.detail}`
  }
}
