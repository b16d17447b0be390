/* Quantiles, tables and the machine's name for the benchmarks of speed. */
import { cpus } from "node:os"
import { aligned } from "../arena/table.ts"

/** The values at `shares` in [0, 1] of the sorted values; 0 without any. */
export const quantiles = (
  values: ReadonlyArray<number>,
  shares: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const sorted = Float64Array.from(values).sort()
  return shares.map((share) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
}

/** The value at `share` in [0, 1] of the sorted values; 0 without any. */
export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  quantiles(values, [share])[0] ?? 0

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** Processor, cores and Node version of the machine. */
export const machine = (): string =>
  `${cpus()[0]?.model.trim() ?? "unknown processor"}, ${cpus().length} cores, Node ${process.version}`

/** {@link aligned} rows below a head. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  aligned([head, ...rows])
