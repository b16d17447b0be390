// The code whose test fails: the discount is taken from each line, and rounded there.
export const total = (lines, discount) =>
  lines.reduce((sum, { cents, count }) => sum + Math.round(cents * (1 - discount)) * count, 0)
