/** Longest name and longest quotation in a lesson, in characters. */
const nameMax = 80
const quotationMax = 160

/** What a caller wrote, as data: one line between quotation marks, capped. */
export const quoted = (text: string, lengthMax = quotationMax): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return JSON.stringify((line.length > lengthMax ? `${line.slice(0, lengthMax - 1)}…` : line).toWellFormed())
}

/** A model's or a step's name as it is; quoted when it is not one word, since callers may send any text. */
export const nameOf = (id: string): string =>
  id.length <= nameMax && /^[\w.:/@+-]+$/.test(id) ? id : quoted(id, nameMax)

/** US dollars with two significant digits and never an exponent: `$0.0015`, `$12`. */
export const dollars = (usd: number): string => {
  if (usd === 0) return "$0"
  const digits = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(usd))))
  return `$${usd.toFixed(digits)}`
}

/** A share in whole percent. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`

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
