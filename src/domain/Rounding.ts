/* Rounding of the numbers that callers read, by one multiplication and one division. */

/** Steps of a probability: six decimals. */
const shareSteps = 1e6

/**
 * A probability with six decimals. One that is above 0 and below 1 stays so: certainty is never the result of
 * rounding. Monotone, and the same again when it is applied twice.
 *
 * @param share in [0, 1]
 */
export const probability = (share: number): number => {
  if (share <= 0) return 0
  if (share >= 1) return 1
  return Math.min(shareSteps - 1, Math.max(1, Math.round(share * shareSteps))) / shareSteps
}

/** The lowest {@link probability} that is not below `share`, in [0, 1]. */
export const probabilityFrom = (share: number): number => {
  const near = probability(share)
  return near >= share ? near : (Math.round(near * shareSteps) + 1) / shareSteps
}

/**
 * An amount in US dollars with twelve decimals; from a thousand dollars on with nine and from a million on
 * with six, which is what a number of 53 bits can distinguish.
 */
export const usd = (amount: number): number => {
  const size = Math.abs(amount)
  const steps = size < 1e3 ? 1e12 : size < 1e6 ? 1e9 : 1e6
  // The zero that is added turns -0 into 0.
  return size < 1e9 ? Math.round(amount * steps) / steps + 0 : amount
}

/** Powers of ten that a number of 53 bits holds exactly. */
const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

/** Any other number with six significant digits; whole numbers stay as they are. */
export const figure = (value: number): number => {
  if (Number.isInteger(value)) return value
  const size = Math.abs(value)
  if (size >= 1e5) return Math.round(value)
  let exponent = 1
  while (exponent < 22 && size * powers[exponent]! < 1e5) exponent++
  return Math.round(value * powers[exponent]!) / powers[exponent]!
}
