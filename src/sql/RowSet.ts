/* Passes many rows to a statement; each column is one array parameter. */
import type { SqlClient, Statement } from "effect/sql"
import { snakeCase } from "../domain/wire/Wire.ts"

/** In a row set, the values of a `bytea` column are base64 texts. */
export type ColumnValue = string | number | boolean | null | Date | Uint8Array | ReadonlyArray<string>

/** SQL types of columns by field name, for example `{ lane: "text", tags: "text[]" }`. */
export type Columns = Readonly<Record<string, string>>

/** A row with a field for each column. Further fields are ignored. */
export type RowOf<Of extends Columns> = { readonly [Field in keyof Of]: ColumnValue }

const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed() : value

/** The beginning of an escape that `JSON.stringify` writes only for a lone surrogate. */
const surrogateEscape = "\\ud"

/** U+FFFD replaces each lone surrogate, because PostgreSQL refuses lone surrogates in JSON. */
export const wellFormedJson = (value: object): string => {
  const text = JSON.stringify(value)
  return text.includes(surrogateEscape) ? JSON.stringify(value, wellFormed) : text
}

const escaped = (text: string): string =>
  text.includes("\\") ? text.replaceAll(/["\\]/g, "\\$&") : text.replaceAll("\"", "\\\"")

const quoted = (text: string): string => `"${escaped(text)}"`

const hexOf = ({ buffer, byteLength, byteOffset }: Uint8Array): string =>
  `"\\\\x${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}"`

/** The text form of a PostgreSQL array. A number that is not finite becomes null, as in JSON. */
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

/** Returns an array parameter. PostgreSQL would cast the driver's own array anew for every row read. */
export const arrayOf = (
  sql: SqlClient.SqlClient,
  type: string,
  values: ReadonlyArray<ColumnValue>
): Statement.Fragment => sql`${arrayText(values)}::${sql.literal(type)}[]`

const names = new Map<string, string>()

const nameOf = (field: string): string => {
  const known = names.get(field)
  if (known !== undefined) return known
  const name = snakeCase(field)
  names.set(field, name)
  return name
}

export const columnNames = (columns: Columns): ReadonlyArray<string> => Object.keys(columns).map(nameOf)

const isArrayOrBytes = (type: string): boolean => type.endsWith("[]") || type === "bytea"

/** Returns the SQL that selects a column and converts arrays and bytes, which are sent as text. */
const selected = (name: string, type: string): string => {
  if (type === "bytea") return `decode(${name}, 'base64') as ${name}`
  return type.endsWith("[]") ? `${name}::${type} as ${name}` : name
}

/**
 * A table of given rows under the alias `name`, with columns in snake case. Each column is one array
 * parameter, so the statement has the same text for any number of rows.
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
