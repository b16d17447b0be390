/**
 * Reads the words that the builders learn from: `words.jsonl.gz`, one JSON value per line, `[list, row]`.
 * To edit them: `gunzip scripts/training/words.jsonl.gz`, and then `gzip -9n scripts/training/words.jsonl`.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

const lists = Map.groupBy(
  gunzipSync(readFileSync(new URL("words.jsonl.gz", import.meta.url))).toString()
    .split("\n").filter((line) => line !== "").map((line): readonly [list: string, row: unknown] => JSON.parse(line)),
  ([list]) => list
)

/** The names of all lists. */
export const listNames: ReadonlyArray<string> = [...lists.keys()]

/** The rows of one list, in their order. The one seam: the lists are ours, so their rows are what `Row` says. */
export const rowsIn = <Row>(list: string): ReadonlyArray<Row> => {
  const rows = lists.get(list)
  if (rows === undefined) throw new Error(`no list ${list}`)
  return rows.map(([, row]) => row as Row)
}
