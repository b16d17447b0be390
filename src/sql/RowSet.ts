/* Passes many rows to a statement as one JSON parameter. */
import type { SqlClient, Statement } from "effect/sql"

/** A value in a row set. Dates are sent as text, a `bytea` as base64, for `decode` in the statement. */
type ColumnValue = string | number | boolean | null | Date | ReadonlyArray<string>

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

/**
 * Any number of rows as one parameter, to select from as `name`: the statement has one text and one plan
 * however many rows there are. A column that no row has is null.
 *
 * @param columns the keys of `rows` with their SQL types, `lane text, version bigint`
 */
export const rowSet = (
  sql: SqlClient.SqlClient,
  name: string,
  columns: string,
  rows: ReadonlyArray<{ readonly [column: string]: ColumnValue }>
): Statement.Fragment =>
  sql`json_to_recordset(${wellFormedJson(rows)}::text::json)
    as ${sql.literal(`${name} (${columns})`)}`
