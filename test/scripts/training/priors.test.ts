import { assert, it } from "@effect/vitest"
import {
  bundledRows, discountShare, laneDiscount, leftOutErrors, quantileOf, referenceLogit
} from "../../../scripts/training/priors.ts"
import { defaults } from "../../../src/engine/Settings.ts"

it("the reference ability of the settings is the mean of the bundled catalog's measured models", () => {
  assert.closeTo(referenceLogit(bundledRows()), defaults.priorReferenceLogit, 0.005)
})

it("the discount of the settings covers the error of imputed priors, in lanes and left out", () => {
  assert.closeTo(laneDiscount(defaults), defaults.imputedDiscountLogit, 0.01)
  const errors = leftOutErrors(bundledRows())
  assert.isAbove(errors.length, 100)
  assert.isAtLeast(defaults.imputedDiscountLogit, -quantileOf(errors, discountShare))
})
