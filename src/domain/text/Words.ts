/* Numbers in sentences: percents, US dollars, durations and counted nouns. */

/**
 * Whole percents, "81 %". Only exact 0 and 1 are "0 %" and "100 %", others near them "under 1 %" or "over 99
 * %".
 */
export const percent = (share: number): string => {
  const whole = Math.round(share * 100)
  if (whole === 100 && share < 1) return "over 99 %"
  if (whole === 0 && share > 0) return "under 1 %"
  return `${whole} %`
}

/** The share that {@link decimal} wrote last, because an answer writes its threshold for every candidate. */
let written = { share: 0, text: "0" }

/** Writes a threshold with at most three decimals: "0.735". */
export const decimal = (share: number): string => {
  if (share !== written.share) written = { share, text: String(Number(share.toFixed(3))) }
  return written.text
}

const decimalsMax = 10
const leastUsd = 10 ** -decimalsMax
const zero = "0".charCodeAt(0)

/** "$12.30", "$0.00123", "$0": cents from a dollar on, else three significant digits and no exponent. */
export const dollars = (usd: number): string => {
  if (usd === 0) return "$0"
  if (usd < leastUsd) return `under $${leastUsd.toFixed(decimalsMax)}`
  if (usd >= 1) return `$${usd.toFixed(2)}`
  const digits = Math.min(decimalsMax, 2 - Math.floor(Math.log10(usd)))
  const text = usd.toFixed(digits)
  const least = text.length - digits + 2
  let end = text.length
  while (end > least && text.charCodeAt(end - 1) === zero) end--
  return `$${text.slice(0, end)}`
}

/** Writes a duration: "350 ms", "2.3 s". */
export const duration = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toPrecision(3))} s`

export const nounOf = (count: number, noun: string, plural = `${noun}s`): string =>
  count === 1 ? noun : plural

export const counted = (count: number, noun: string): string => `${count} ${nounOf(count, noun)}`

/** If a share is farther than this from a threshold, rounding cannot move it to the other side. */
const clear = 0.02

/** Writes a share like {@link percent}, with enough decimals to stay on the right side of a threshold. */
export const percentBeside = (share: number, threshold: number): string => {
  if (Math.abs(share - threshold) > clear) return percent(share)
  const bar = Number(decimal(threshold))
  const digits = [0, 1, 2, 3].find((more) =>
    (Number(share.toFixed(2 + more)) >= bar) === (share >= threshold))
  return digits === undefined || digits === 0 ? percent(share) : `${(share * 100).toFixed(digits)} %`
}
