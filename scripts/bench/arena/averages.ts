/* Averages of figures, and their spread. */

/** Mean; 0 of nothing. */
export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** The value at rank floor(share * count), the last at most; null of nothing. */
export const quantile = (values: ReadonlyArray<number>, share: number): number | null => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null
}

/** Mean, and the standard error of it; the error is 0 when one value cannot show any. */
export const meanAndError = (
  values: ReadonlyArray<number>
): { readonly mean: number; readonly error: number } => {
  const centre = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
  const { length } = values
  return { mean: centre, error: length < 2 ? 0 : Math.sqrt(squares / (length - 1) / length) }
}
