/* Rounding of the numbers in answers. */

const shareSteps = 1e6

/**
 * Rounds to six decimals, to 0 or 1 only if the input is, because rounding must not create certainty.
 * Monotone and idempotent.
 * @param share in [0, 1]
 */
export const probability = (share: number): number => {
  if (share <= 0) return 0
  if (share >= 1) return 1
  return Math.min(shareSteps - 1, Math.max(1, Math.round(share * shareSteps))) / shareSteps
}

export const probabilityFrom = (share: number): number => {
  const near = probability(share)
  return near >= share ? near : (Math.round(near * shareSteps) + 1) / shareSteps
}

/** Rounds US dollars below 1,000 to 12 decimals, below a million to 9, and below a billion to 6. */
export const usd = (amount: number): number => {
  const size = Math.abs(amount)
  const steps = size < 1e3 ? 1e12 : size < 1e6 ? 1e9 : 1e6
  // Adding 0 turns -0 into 0.
  return size < 1e9 ? Math.round(amount * steps) / steps + 0 : amount
}

const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

/** Rounds to six significant digits below 100,000, and to a whole number from 100,000 on. */
export const figure = (value: number): number => {
  if (Number.isInteger(value)) return value
  const size = Math.abs(value)
  if (size >= 1e5) return Math.round(value)
  let exponent = 1
  while (exponent < 22 && size * powers[exponent]! < 1e5) exponent++
  return Math.round(value * powers[exponent]!) / powers[exponent]!
}
