import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeSpending } from "../../src/reasoner/Spending.ts"
import { accountOf } from "../support/builders.ts"

const [acme, umbrella] = [accountOf("acme"), accountOf("umbrella")]
const noon = 1_000.5 * 86_400_000
const midnight = 1_001 * 86_400_000

it("a reserved estimate counts as spent until the true cost replaces it", () => {
  const spending = makeSpending(1)
  const book = spending.reserve(acme, 0.75, noon)
  assert.isNull(spending.reserve(acme, 0.5, noon))
  book?.(0.25)
  assert.isNotNull(spending.reserve(acme, 0.75, noon))
  assert.isNull(spending.reserve(acme, 0.001, noon))
})

it("a true cost above its estimate is booked whole", () => {
  const [tight, wide] = [makeSpending(1), makeSpending(4)]
  for (const spending of [tight, wide]) spending.reserve(acme, 0.25, noon)?.(3)
  assert.isNull(tight.reserve(acme, 0, noon))
  assert.isNotNull(wide.reserve(acme, 1, noon))
  assert.isNull(wide.reserve(acme, 0.001, noon))
})

it("each account has its own budget, from midnight UTC to midnight UTC", () => {
  const spending = makeSpending(1)
  const late = spending.reserve(acme, 1, midnight - 1)
  assert.isNull(spending.reserve(acme, 0.5, midnight - 1))
  assert.isNotNull(spending.reserve(umbrella, 1, midnight - 1))
  assert.isNotNull(spending.reserve(acme, 1, midnight))
  // Booked after midnight, and still yesterday's.
  late?.(0.125)
  assert.isNotNull(spending.reserve(acme, 0, midnight))
  assert.isNull(spending.reserve(acme, 0.001, midnight))
})

it("an estimate that is no number is refused", () => {
  assert.isNull(makeSpending(1).reserve(acme, Number.NaN, noon))
  assert.isNull(makeSpending(1).reserve(acme, Number.POSITIVE_INFINITY, noon))
})

const Usd = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 }))

it.prop("questions that cost their estimate never exceed the budget together", {
  estimates: Schema.Array(Usd)
}, ({ estimates }) => {
  const spending = makeSpending(1)
  let spentUsd = 0
  for (const estimate of estimates) {
    const book = spending.reserve(acme, estimate, noon)
    if (book === null) continue
    if (estimate > 0.5) book(estimate)
    spentUsd += estimate
    assert.isAtMost(spentUsd, 1 + 1e-9)
  }
})
