/* Reads the values in JSON of OTLP 1.x. Attributes are lists of keys and typed values. */
import { isRow, type Row, textOf } from "./Values.ts"

/** Maximum depth of nested values. A message with parts and arguments has a depth of about 6. Chosen. */
const depthMax = 16

const pairsOf = (list: unknown): ReadonlyArray<readonly [string, unknown]> =>
  listOf(list).flatMap((pair) =>
    isRow(pair) && typeof pair.key === "string" ? [[pair.key, pair.value] as const] : [])

/** Returns a typed value as plain JSON; undefined for bytes, no value, or below {@link depthMax} levels. */
export const plainOf = (value: unknown, depth = 0): unknown => {
  if (!isRow(value) || depth > depthMax) return undefined
  // OTLP's JSON writes integers of 64 bits as texts.
  const single = value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue
  if (single !== undefined) return single
  if (isRow(value.arrayValue)) return listOf(value.arrayValue.values).map((one) => plainOf(one, depth + 1))
  if (!isRow(value.kvlistValue)) return undefined
  return Object.fromEntries(
    pairsOf(value.kvlistValue.values).map(([key, inner]) => [key, plainOf(inner, depth + 1)])
  )
}

export const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

export interface Attributes {
  /** Returns the value of the first named attribute that has a value; undefined if none has a value. */
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

/** For example, the group `resourceSpans` contains `scopeSpans`, which contains `spans`. */
export const membersOf = (
  row: Row,
  [outer, scope, member]: readonly [outer: string, scope: string, member: string]
): ReadonlyArray<{ readonly one: Row; readonly resource: unknown }> => {
  const groups = row[scope] === undefined ? listOf(row[outer]) : [row]
  return groups.filter(isRow).flatMap((group) =>
    listOf(group[scope]).filter(isRow).flatMap((each) =>
      listOf(each[member]).filter(isRow).map((one) => ({ one, resource: group.resource }))))
}

/** The names of the nested fields that lead to the log records in an OTLP request or file. */
export const logsPath = ["resourceLogs", "scopeLogs", "logRecords"] as const

/** Returns the key of a span, in lower case, because programs write hexadecimal ids in either case. */
export const spanKey = (traceId: unknown, spanId: unknown): string =>
  `${textOf(traceId) ?? ""}\n${textOf(spanId) ?? ""}`.toLowerCase()
