import { assert, it } from "@effect/vitest"
import * as Words from "../../../src/domain/text/Words.ts"
import { Probability, Usd } from "../../../src/domain/Units.ts"

it("dollars are cents from a dollar on, else three digits, written out", () => {
  const said = [0, 12.3, 1, 0.9999, 0.5, 0.05, 0.00123456, 0.00012, 0.0000001, 1e-12, 1234.567]
  assert.deepStrictEqual(said.map(Words.dollars), [
    "$0", "$12.30", "$1.00", "$1.00", "$0.50", "$0.05", "$0.00123", "$0.00012", "$0.0000001",
    "under $0.0000000001", "$1234.57"
  ])
})

it("a percentage is whole and never a certainty that was not predicted", () => {
  assert.deepStrictEqual([0, 0.004, 0.5, 0.814, 0.996, 1].map(Words.percent),
    ["0 %", "under 1 %", "50 %", "81 %", "over 99 %", "100 %"])
})

it("beside a threshold a percentage has the decimals that show on which side it is", () => {
  assert.strictEqual(Words.percentBeside(0.7353, 0.735), "74 %")
  assert.strictEqual(Words.percentBeside(0.7349, 0.735), "73 %")
  assert.strictEqual(Words.percentBeside(0.736, 0.738), "73.6 %")
  assert.strictEqual(Words.percentBeside(0.7349, 0.734), "73.5 %")
})

it("one is singular and durations are read in the unit that fits", () => {
  assert.deepStrictEqual([0, 1, 2].map((count) => Words.counted(count, "outcome")),
    ["0 outcomes", "1 outcome", "2 outcomes"])
  assert.deepStrictEqual([350, 999.4, 1_000, 2_345].map(Words.duration),
    ["350 ms", "999 ms", "1 s", "2.35 s"])
})

it.prop("no cost is written with an exponent below a billion trillion dollars", { usd: Usd }, ({ usd }) => {
  assert.match(Words.dollars(Math.min(usd, 1e20)), /^(under )?\$\d+(\.\d{2,})?$/)
})

it.prop("a percentage beside a threshold never contradicts it", {
  share: Probability, threshold: Probability
}, ({ share, threshold }) => {
  const said = Words.percentBeside(share, threshold)
  if (!/^\d/.test(said) || Math.abs(share - threshold) < 1e-4) return
  const bar = Number(Words.decimal(threshold))
  assert.strictEqual(Number.parseFloat(said) / 100 >= bar - 1e-12, share >= threshold)
})
