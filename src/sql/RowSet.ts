import type { SqlClient, Statement } from "effect/sql"

/** What a column of a row set may hold. Dates go as text; a `bytea` goes as base64, for `decode`. */
type Cell = string | number | boolean | null | Date | ReadonlyArray<string>

/** PostgreSQL refuses half of a surrogate pair in JSON; in a text of its own the driver replaces it, too. */
const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed() : value

/**
 * Any number of rows as one parameter, to select from as `name`, so that a statement has one text and one
 * plan however many there are. A column that no row has is null.
 *
 * @param columns the keys of `rows` with their types, `lane text, version bigint`
 */
export const rowSet = (
  sql: SqlClient.SqlClient,
  name: string,
  columns: string,
  rows: ReadonlyArray<{ readonly [column: string]: Cell }>
): Statement.Fragment =>
  sql`json_to_recordset(${JSON.stringify(rows, wellFormed)}::text::json)
    as ${sql.literal(`${name} (${columns})`)}`
