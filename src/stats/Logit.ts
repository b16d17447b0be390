/** Log odds and back. */

const edge = 1e-9

/** Computes the log odds of p, in about [-20.7, 20.7], because p is clamped to [1e-9, 1 - 1e-9]. */
export const logit = (p: number): number => {
  const inside = Math.min(1 - edge, Math.max(edge, p))
  return Math.log(inside / (1 - inside))
}

/** Computes the probability whose log odds are x, in [0, 1]. No finite x overflows. */
export const sigmoid = (x: number): number => {
  if (x >= 0) return 1 / (1 + Math.exp(-x))
  const odds = Math.exp(x)
  return odds / (1 + odds)
}
