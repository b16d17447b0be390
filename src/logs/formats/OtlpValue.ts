/* Values of OTLP in JSON (OTLP 1.x): attributes are lists of keys with values that name their types. */
import { isRow, type Row, textOf } from "./Values.ts"

/** Depth of nested values that is read: a message with parts and their arguments has about six. Chosen. */
const depthMax = 16

/** The pairs of a list whose names are texts. */
const pairsOf = (list: unknown): ReadonlyArray<readonly [string, unknown]> =>
  listOf(list).flatMap((pair) =>
    isRow(pair) && typeof pair.key === "string" ? [[pair.key, pair.value] as const] : [])

/** A value as it would be in plain JSON; undefined for none, for bytes, and below {@link depthMax}. */
export const plainOf = (value: unknown, depth = 0): unknown => {
  if (!isRow(value) || depth > depthMax) return undefined
  // Counts of 64 bits are texts in OTLP's JSON.
  const single = value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue
  if (single !== undefined) return single
  if (isRow(value.arrayValue)) return listOf(value.arrayValue.values).map((one) => plainOf(one, depth + 1))
  if (!isRow(value.kvlistValue)) return undefined
  return Object.fromEntries(
    pairsOf(value.kvlistValue.values).map(([key, inner]) => [key, plainOf(inner, depth + 1)])
  )
}

/** A list, and an empty one for anything else. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** The attributes of a span, an event or a record, each read when it is asked for. */
export interface Attributes {
  /** The first of these attributes that there is. */
  readonly get: (...names: ReadonlyArray<string>) => unknown
  readonly has: (name: string) => boolean
}

export const attributesOf = (owner: Row): Attributes => {
  const raw = new Map(pairsOf(owner.attributes))
  return {
    get: (...names) => {
      for (const name of names) {
        const value = raw.has(name) ? plainOf(raw.get(name)) : undefined
        if (value !== undefined) return value
      }
      return undefined
    },
    has: (name) => raw.has(name)
  }
}

/** The members of all groups of a row: `resourceSpans` holds `scopeSpans` holds `spans`, and so for logs. */
export const membersOf = (
  row: Row,
  [outer, scope, member]: readonly [outer: string, scope: string, member: string]
): ReadonlyArray<{ readonly one: Row; readonly resource: unknown }> => {
  const groups = row[scope] === undefined ? listOf(row[outer]) : [row]
  return groups.filter(isRow).flatMap((group) =>
    listOf(group[scope]).filter(isRow).flatMap((each) =>
      listOf(each[member]).filter(isRow).map((one) => ({ one, resource: group.resource }))))
}

/** Where the records of a request or a file stand. */
export const logsPath = ["resourceLogs", "scopeLogs", "logRecords"] as const

/** A trace and span: their ids are hexadecimal, in either case. */
export const spanKey = (traceId: unknown, spanId: unknown): string =>
  `${textOf(traceId) ?? ""}\n${textOf(spanId) ?? ""}`.toLowerCase()
