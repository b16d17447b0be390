/* The parts of OpenTelemetry's SDK types that this adapter reads, in versions 1.30 to 3.1. */

export type Attributes = Readonly<Record<string, unknown>>

export interface SpanContextLike {
  readonly traceId: string
  readonly spanId: string
}

export interface ReadableSpanLike {
  readonly spanContext: () => SpanContextLike
  /** Id of the parent span in OpenTelemetry 1.x. */
  readonly parentSpanId?: string | undefined
  /** The parent span in OpenTelemetry 2.x and 3.x. */
  readonly parentSpanContext?: { readonly spanId: string } | undefined
  readonly attributes: Attributes
  readonly status: { readonly code: number; readonly message?: string | undefined }
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes?: Attributes | undefined }>
  /** Duration of the span: whole seconds, and the remainder in nanoseconds. */
  readonly duration: readonly [number, number]
}

export interface StartedSpanLike {
  readonly attributes?: Attributes
  readonly setAttribute: (key: string, value: string) => unknown
}

export interface ContextLike {
  readonly getValue: (key: symbol) => unknown
}

/** A log record. A record with an event name is an event. */
export interface LogRecordLike {
  readonly eventName?: string | undefined
  readonly attributes: object
  readonly spanContext?: SpanContextLike | undefined
}

export const valueOf = (attributes: Attributes, ...names: ReadonlyArray<string>): unknown =>
  names.map((name) => attributes[name]).find((value) => value !== undefined && value !== null)

export const textOf = (attributes: Attributes, ...names: ReadonlyArray<string>): string | undefined => {
  const value = valueOf(attributes, ...names)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Maximum length of an id of a model, a response or a recommendation, in UTF-16 units. */
const idLengthMax = 256

/** Returns the id in the first set attribute of `names`; undefined if none is set or the id is too long. */
export const idOf = (attributes: Attributes, ...names: ReadonlyArray<string>): string | undefined => {
  const id = textOf(attributes, ...names)
  return id !== undefined && id.length <= idLengthMax ? id : undefined
}

/** Maximum length of an error's or explanation's text that is read, in UTF-16 units. */
export const notesMax = 300

export const wordsOf = (attributes: Attributes, ...names: ReadonlyArray<string>): string | undefined =>
  textOf(attributes, ...names)?.slice(0, notesMax)
