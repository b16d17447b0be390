/* The result of reading one row of a log, and the common part of all formats. */
import { createHash } from "node:crypto"
import { identifierLengthMax } from "../../domain/text/Text.ts"
import { cut } from "../../domain/text/TextLimits.ts"
import type { FoundLabel } from "../labels/FoundLabel.ts"
import type { LabelTable } from "../labels/LabelTable.ts"
import type { FoundSpan, NestingTable } from "../labels/NestingTable.ts"
import type { FoundPrompt, PromptTable } from "../labels/PromptTable.ts"
import type { LeftOut, LeftOutReason, LoggedCall } from "../LoggedCall.ts"
import { dateOf, type Row, textOf, type UnusableFields } from "./Values.ts"

/** What a row says: calls, and what of it is left out. A row of OpenTelemetry holds many calls. */
export interface RowContent {
  readonly calls: ReadonlyArray<LoggedCall>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** What a row is read with. */
export interface ReadContext {
  /** No call is later. */
  readonly nowMs: number
  /** The labels that stand in other rows than the calls. */
  readonly labels: Pick<LabelTable, "find">
  /** The prompts that do. */
  readonly prompts: Pick<PromptTable, "find">
  /** The spans that stand around others. */
  readonly nesting: Pick<NestingTable, "isAroundCall">
  /** The SHA-256 of what the row says in hexadecimal, made when it is asked for. */
  readonly contentSha256: () => string
}

/** Reads a row that was parsed. */
export type ReadRow = (row: Row, context: ReadContext) => RowContent

/** The labels of a row that says something of a call that stands in another row. */
export type ReadLabels = (row: Row) => ReadonlyArray<FoundLabel>

/** The prompts of a row, of calls that stand in other rows. */
export type ReadPrompts = (row: Row) => ReadonlyArray<FoundPrompt>

/** The spans of a row. */
export type ReadNesting = (row: Row) => ReadonlyArray<FoundSpan>

/** The content of a row that another reader reads. */
export const nothing: RowContent = { calls: [], leftOut: [] }

export const without = (reason: LeftOutReason, detail: string | null = null): RowContent =>
  ({ calls: [], leftOut: [{ reason, detail }] })

/** No model has a longer name than an identifier of ours: its beginning shows that it is unknown. */
const withShortModel = (call: LoggedCall): LoggedCall =>
  call.modelId.length <= identifierLengthMax
    ? call
    : { ...call, modelId: cut(call.modelId, identifierLengthMax) }

/** What several formats do not have. */
const absent = {
  prompt: null, serviceTier: null, webSearches: null, taskId: null, sessionId: null,
  taskType: null, difficulty: null, quality: null, evidenceSource: null
} as const

/** A call, and those of its fields and labels that cannot be used. */
export const callOf = (
  call: Omit<LoggedCall, keyof typeof absent> & Partial<Pick<LoggedCall, keyof typeof absent>>,
  unusable: UnusableFields,
  labels: ReadonlyArray<LeftOut> = []
): RowContent => ({
  calls: [withShortModel({ ...absent, ...call })],
  leftOut: unusable.length === 0 && labels.length === 0
    ? labels
    : [...labels, ...unusable.map((detail) => ({ reason: "unusable_field", detail } as const))]
})

/** No call of a language model over an API is older. */
const earliestMs = Date.UTC(2020, 0, 1)

/**
 * By how far a call may be ahead of now, ms: two days, for a fast clock, and for times of a zone that the log
 * does not name. The one rule of its kind: import and backtest take what is within it. Chosen.
 */
const aheadMaxMs = 2 * 86_400_000

/** The date of a call, or why its row cannot be read. */
export const callDateOf = (value: unknown, nowMs: number): Date | LeftOut => {
  const date = dateOf(value)
  if (date === null) return { reason: "no_date", detail: textOf(value)?.slice(0, 40) ?? null }
  const ms = date.getTime()
  return ms >= earliestMs && ms <= nowMs + aheadMaxMs
    ? date
    : { reason: "implausible_date", detail: date.toISOString() }
}

export const isLeftOut = (value: Date | LeftOut): value is LeftOut => !(value instanceof Date)

const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex")

/**
 * The id of a row: its own, by its hash where that is long. A row without one is known by all that it says,
 * so that a second reading finds it again, and two rows that say the same are one.
 */
export const rowIdOf = (value: unknown, { contentSha256 }: ReadContext): string => {
  const id = textOf(value)
  if (id === null) return `row:${contentSha256()}`
  return id.length > identifierLengthMax ? `id:${sha256Of(id)}` : id
}
