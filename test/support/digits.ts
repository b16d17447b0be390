/* How many digits the numbers of an answer are printed with. */
import { assert } from "@effect/vitest"

/** Significant digits that a number is printed with. */
export const digitsOf = (value: number): number =>
  String(Math.abs(value)).replace(/e.*$/, "").replace(".", "").replace(/^0+/, "").replace(/0+$/, "").length

/** Decimals that a number is printed with, an exponent included. */
export const decimalsOf = (value: number): number => {
  const [mantissa = "", exponent = "0"] = String(value).split("e")
  return Math.max(0, (mantissa.split(".")[1] ?? "").length - Number(exponent))
}

/** The fields that are amounts in US dollars, by the end of their path. */
const amounts =
  /(_usd|_cost|^max_cost|_per_mtok|_cost_low|_cost_high|cost_value|_premium|_breakdown\.(?!obs_output_tokens|learned_ratio)\w+)$/

/** Asserts that the amounts of a JSON answer have 12 decimals at most, and its other fractions 6 digits. */
export const assertRounded = (answer: unknown, path = ""): void => {
  if (Array.isArray(answer)) return answer.forEach((each) => assertRounded(each, path))
  if (typeof answer === "object" && answer !== null) {
    for (const [key, value] of Object.entries(answer)) assertRounded(value, `${path}.${key}`)
    return
  }
  if (typeof answer !== "number" || Number.isInteger(answer)) return
  if (amounts.test(path)) assert.isAtMost(decimalsOf(answer), 12, `decimals of ${path}: ${answer}`)
  else assert.isAtMost(digitsOf(answer), 6, `digits of ${path}: ${answer}`)
}
