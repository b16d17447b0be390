/* The result of reading one row of a log, and functions that all formats share. */
import { createHash } from "node:crypto"
import { identifierLengthMax } from "../../domain/text/Text.ts"
import { cut } from "../../domain/text/TextLimits.ts"
import type { FoundLabel } from "../labels/FoundLabel.ts"
import type { LabelTable } from "../labels/LabelTable.ts"
import type { FoundSpan, NestingTable } from "../labels/NestingTable.ts"
import type { FoundPrompt, PromptTable } from "../labels/PromptTable.ts"
import type { LeftOut, LeftOutReason, LoggedCall } from "../LoggedCall.ts"
import { dateOf, type Row, textOf, type UnusableFields } from "./Values.ts"

/** A row of OpenTelemetry may have many calls. */
export interface RowContent {
  readonly calls: ReadonlyArray<LoggedCall>
  readonly leftOut: ReadonlyArray<LeftOut>
}

export interface ReadContext {
  /** The present time, ms since 1970. */
  readonly nowMs: number
  readonly labels: Pick<LabelTable, "find">
  readonly prompts: Pick<PromptTable, "find">
  readonly nesting: Pick<NestingTable, "isAroundCall">
  readonly contentSha256: () => string
}

export type ReadRow = (row: Row, context: ReadContext) => RowContent

export type ReadLabels = (row: Row) => ReadonlyArray<FoundLabel>

export type ReadPrompts = (row: Row) => ReadonlyArray<FoundPrompt>

export type ReadNesting = (row: Row) => ReadonlyArray<FoundSpan>

/** The content of a row without calls, such as a row of labels. */
export const nothing: RowContent = { calls: [], leftOut: [] }

export const without = (reason: LeftOutReason, detail: string | null = null): RowContent =>
  ({ calls: [], leftOut: [{ reason, detail }] })

const withShortModel = (call: LoggedCall): LoggedCall =>
  call.modelId.length <= identifierLengthMax
    ? call
    : { ...call, modelId: cut(call.modelId, identifierLengthMax) }

const absent = {
  prompt: null, serviceTier: null, webSearches: null, taskId: null, sessionId: null,
  taskType: null, difficulty: null, quality: null, evidenceSource: null
} as const

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

/** Earliest accepted date of a call, ms since 1970. */
const earliestMs = Date.UTC(2020, 0, 1)

/**
 * Maximum time by which a call may be dated in the future, ms. A wrong clock, or a time zone that the log
 * does not name, may date a call in the future. Chosen.
 */
const aheadMaxMs = 2 * 86_400_000

/** Returns the date of a call, or the reason why its row cannot be read. */
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
 * Returns the id of a row, or its hash if it is too long. A row without an id gets a hash of its content, so
 * that a second reading finds the same row.
 */
export const rowIdOf = (value: unknown, { contentSha256 }: ReadContext): string => {
  const id = textOf(value)
  if (id === null) return `row:${contentSha256()}`
  return id.length > identifierLengthMax ? `id:${sha256Of(id)}` : id
}
