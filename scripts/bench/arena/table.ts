/* Aligns rows of figures as text. */

/** Rows as text; every column is as wide as its widest cell, the first to the left, others to the right. */
export const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
    ).join("  ").trimEnd()
  ).join("\n")
}

/** A fixed number of decimals; "-" for what is not known. */
export const fixed = (value: number | null, digits: number): string =>
  value === null || !Number.isFinite(value) ? "-" : value.toFixed(digits)

/** `.812+-.003`: mean and standard error to the same number of decimals. */
export const withError = (
  { error, mean }: { readonly mean: number; readonly error: number },
  digits: number
): string => `${fixed(mean, digits)}+-${fixed(error, digits)}`

/** The numbers of a list such as `1-10` or `0,2.5,5`. */
export const numbersIn = (text: string): ReadonlyArray<number> =>
  text.split(",").flatMap((part) => {
    const range = /^(\d+)-(\d+)$/.exec(part.trim())
    if (range === null) {
      const value = Number(part)
      if (part.trim() === "" || !Number.isFinite(value)) throw new Error(`Not a number: "${part}"`)
      return [value]
    }
    const [from, to] = [Number(range[1]), Number(range[2])]
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
  })
