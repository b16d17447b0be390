/** US dollars with two significant digits and never an exponent: `$0.0015`, `$12`. */
export const dollars = (usd: number): string => {
  if (usd === 0) return "$0"
  const digits = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(usd))))
  return `$${usd.toFixed(digits)}`
}

/** A share in whole percent. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`

/**
 * A success rate beside `successes` of `outcomes` > 0: it is called a rate where it is their share. Elsewhere
 * it is what the outcomes' qualities come to, weighed by age and source: their mean.
 */
export const rateBeside = (rate: number, successes: number, outcomes: number): string =>
  `${percent(rate) === percent(successes / outcomes) ? "rate" : "mean quality"} ${percent(rate)}`

/** `1 lesson`, `2 lessons`; `plural` for words that do not take an s. */
export const counted = (count: number, word: string, plural = `${word}s`): string =>
  `${count} ${count === 1 ? word : plural}`

/** How one success rate compares with another's, in percentage points. */
export const pointsApart = (rate: number, other: number, otherName: string): string => {
  const points = Math.round((rate - other) * 100)
  return points === 0
    ? `level with ${otherName}`
    : `${counted(Math.abs(points), "point")} ${points > 0 ? "above" : "below"} ${otherName}`
}
