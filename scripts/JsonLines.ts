/* Reads data files of the benchmarks and of training. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

/** The values of a gzip file with one JSON value per line. The files are ours, so the values are not decoded. */
export const jsonLines = <Value>(path: string | URL): ReadonlyArray<Value> =>
  gunzipSync(readFileSync(path)).toString().trim().split("\n").map((line): Value => JSON.parse(line))
