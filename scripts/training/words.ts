/**
 * Reads the words that the builders learn from: `words.jsonl.gz`, one JSON value per line, `[list, row]`.
 * To edit them: `gunzip scripts/training/words.jsonl.gz`, and then `gzip -9n scripts/training/words.jsonl`.
 */
import { jsonLines } from "../JsonLines.ts"

const lists = Map.groupBy(
  jsonLines<readonly [list: string, row: unknown]>(new URL("words.jsonl.gz", import.meta.url)),
  ([list]) => list
)

/** The names of all lists. */
export const listNames: ReadonlyArray<string> = [...lists.keys()]

/** The rows of one list, in their order. The lists are ours, so their rows are not decoded. */
export const rowsIn = <Row>(list: string): ReadonlyArray<Row> => {
  const rows = lists.get(list)
  if (rows === undefined) throw new Error(`no list ${list}`)
  return rows.map(([, row]) => row as Row)
}
