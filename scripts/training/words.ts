/** Reads the words that the builders learn from: `words/<name>.jsonl`, one JSON value per line. */
import { readFileSync } from "node:fs"

/** The rows of one file, in its order. The one seam: the files are ours, so their rows are what `Row` says. */
export const rowsIn = <Row>(name: string): ReadonlyArray<Row> =>
  readFileSync(new URL(`words/${name}.jsonl`, import.meta.url), "utf8")
    .split("\n").filter((line) => line !== "").map((line): Row => JSON.parse(line))
