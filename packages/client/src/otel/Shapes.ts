/* The parts of OpenTelemetry's SDK types that this adapter reads; versions 1.30 to 3.1 fit them. */

export type Attributes = Readonly<Record<string, unknown>>

export interface SpanContextLike {
  readonly traceId: string
  readonly spanId: string
}

/** A span that has ended. */
export interface ReadableSpanLike {
  readonly spanContext: () => SpanContextLike
  /** The parent, as 1.x names it. */
  readonly parentSpanId?: string | undefined
  /** The parent, as 2.x and 3.x name it. */
  readonly parentSpanContext?: { readonly spanId: string } | undefined
  readonly attributes: Attributes
  readonly status: { readonly code: number; readonly message?: string | undefined }
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes?: Attributes | undefined }>
  /** Seconds, and nanoseconds beside them. */
  readonly duration: readonly [number, number]
}

/** A span that begins. */
export interface StartedSpanLike {
  /** The attributes that it was started with. */
  readonly attributes?: Attributes
  readonly setAttribute: (key: string, value: string) => unknown
}

export interface ContextLike {
  readonly getValue: (key: symbol) => unknown
}

/** A record of a log, or an event, which is one with a name. */
export interface LogRecordLike {
  readonly eventName?: string | undefined
  readonly attributes: object
  readonly spanContext?: SpanContextLike | undefined
}

/** The first of the names whose attribute is there. */
export const valueOf = (attributes: Attributes, ...names: ReadonlyArray<string>): unknown =>
  names.map((name) => attributes[name]).find((value) => value !== undefined && value !== null)

export const textOf = (attributes: Attributes, ...names: ReadonlyArray<string>): string | undefined => {
  const value = valueOf(attributes, ...names)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Longest id of the service, of a model or of a response, in UTF-16 units. */
const idLengthMax = 256

/** As {@link textOf}, of a text that can be an id. */
export const idOf = (attributes: Attributes, ...names: ReadonlyArray<string>): string | undefined => {
  const id = textOf(attributes, ...names)
  return id !== undefined && id.length <= idLengthMax ? id : undefined
}

/** Longest text that is read of an error or an explanation, in UTF-16 units. */
export const notesMax = 300

/** As {@link textOf}, of words whose beginning says enough. */
export const wordsOf = (attributes: Attributes, ...names: ReadonlyArray<string>): string | undefined =>
  textOf(attributes, ...names)?.slice(0, notesMax)
