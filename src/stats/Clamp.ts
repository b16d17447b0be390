/** Returns the value, or the nearer end of [low, high] if the value lies outside. */
export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value))
