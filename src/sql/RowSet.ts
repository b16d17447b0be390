/* Passes many rows to a statement, each column as one array. */
import type { SqlClient, Statement } from "effect/sql"
import { snakeCase } from "../domain/wire/Wire.ts"

/** A value in an array. In a row set, values of a `bytea` are text in base64. */
export type ColumnValue = string | number | boolean | null | Date | Uint8Array | ReadonlyArray<string>

/** SQL types of columns, by the fields of their rows: `{ lane: "text", modelId: "text", tags: "text[]" }`. */
export type Columns = Readonly<Record<string, string>>

/** A row that has the fields of columns, and may have others. */
export type RowOf<Of extends Columns> = { readonly [Field in keyof Of]: ColumnValue }

const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed() : value

/** `JSON.stringify` writes every lone surrogate, and no other character, as an escape that begins so. */
const surrogateEscape = "\\ud"

/**
 * The JSON text of a value, with each lone surrogate replaced by U+FFFD: PostgreSQL refuses them in JSON; the
 * driver replaces them in text values.
 */
export const wellFormedJson = (value: object): string => {
  const text = JSON.stringify(value)
  return text.includes(surrogateEscape) ? JSON.stringify(value, wellFormed) : text
}

/** A pattern looks at every character: most texts have no backslash, and many no quote. */
const escaped = (text: string): string =>
  text.includes("\\") ? text.replaceAll(/["\\]/g, "\\$&") : text.replaceAll("\"", "\\\"")

const quoted = (text: string): string => `"${escaped(text)}"`

/** Bytes as an element that PostgreSQL reads. */
const hexOf = ({ buffer, byteLength, byteOffset }: Uint8Array): string =>
  `"\\\\x${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}"`

/** An array as the text that PostgreSQL reads. As in JSON, a number that is not finite becomes null. */
export const arrayText = (values: ReadonlyArray<ColumnValue>): string =>
  `{${values.map(elementText).join(",")}}`

const elementText = (value: ColumnValue): string => {
  if (value === null) return "NULL"
  switch (typeof value) {
    case "boolean": return String(value)
    case "number": return Number.isFinite(value) ? String(value) : "NULL"
    case "string": return quoted(value)
    default:
      if (value instanceof Date) return value.toJSON() ?? "NULL"
      return value instanceof Uint8Array ? hexOf(value) : quoted(arrayText(value))
  }
}

/**
 * Values as one parameter that is an array of the type. A driver's own array of text with a cast to it would
 * be cast again for every row that a condition looks at.
 */
export const arrayOf = (
  sql: SqlClient.SqlClient,
  type: string,
  values: ReadonlyArray<ColumnValue>
): Statement.Fragment => sql`${arrayText(values)}::${sql.literal(type)}[]`

/** The names of columns by their fields, which are those that statements in this service name. */
const names = new Map<string, string>()

const nameOf = (field: string): string => {
  const known = names.get(field)
  if (known !== undefined) return known
  const name = snakeCase(field)
  names.set(field, name)
  return name
}

/** The names of the columns of such rows, in order. */
export const columnNames = (columns: Columns): ReadonlyArray<string> => Object.keys(columns).map(nameOf)

const isArrayOrBytes = (type: string): boolean => type.endsWith("[]") || type === "bytea"

/** A column as it is selected from arrays: arrays of arrays travel as arrays of text. */
const selected = (name: string, type: string): string => {
  if (type === "bytea") return `decode(${name}, 'base64') as ${name}`
  return type.endsWith("[]") ? `${name}::${type} as ${name}` : name
}

/**
 * Any number of rows as one parameter for each column, to select from as `name`: the statement has one text
 * and one plan however many rows there are. A column is named as its field, in snake case.
 */
export const rowSet = <Of extends Columns>(
  sql: SqlClient.SqlClient,
  name: string,
  columns: Of,
  rows: ReadonlyArray<RowOf<NoInfer<Of>>>
): Statement.Fragment => {
  const fields = Object.entries(columns)
  const arrays = fields.map(([field, type]) =>
    arrayOf(sql, isArrayOrBytes(type) ? "text" : type, rows.map((row) => row[field] ?? null)))
  const select = fields.map(([field, type]) => selected(nameOf(field), type)).join(", ")
  return sql`(select ${sql.literal(select)} from unnest(${sql.csv(arrays)})
    as given (${sql.literal(columnNames(columns).join(", "))})) as ${sql.literal(name)}`
}
