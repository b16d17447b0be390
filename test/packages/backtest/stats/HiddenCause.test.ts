import { assert, describe, it } from "@effect/vitest"
import {
  addResidual, extremeMean, gammaMax, largestGamma, makeResidualClasses
} from "../../../../packages/backtest/src/stats/HiddenCause.ts"

describe("the extreme mean of residuals under a hidden cause", () => {
  it("equals a calculation by hand for two rows that were chosen by a coin", () => {
    const residuals = makeResidualClasses()
    addResidual(residuals, 1, 0.5, 1)
    addResidual(residuals, -1, 0.5, 1)
    // Weights 1 + gamma for the one and 1 + 1 / gamma for the other, at gamma 3: (4 - 4 / 3) / (4 + 4 / 3).
    assert.closeTo(extremeMean(residuals, 3, 1), 0.5, 1e-12)
    assert.closeTo(extremeMean(residuals, 3, -1), -0.5, 1e-12)
    assert.closeTo(extremeMean(residuals, 1, 1), 0, 1e-12)
  })

  it("is the plain mean where the model was certain to be chosen, however strong the cause", () => {
    const residuals = makeResidualClasses()
    for (const residual of [0.5, -0.25, 0]) addResidual(residuals, residual, 1, 1)
    assert.closeTo(extremeMean(residuals, gammaMax, 1), 0.25 / 3, 1e-12)
    assert.strictEqual(extremeMean(makeResidualClasses(), 2, 1), 0)
  })

  it("never falls as the cause gets stronger", () => {
    const residuals = makeResidualClasses()
    for (let i = -20; i < 20; i++) addResidual(residuals, i ** 3 / 1000, 0.1 + (i + 20) / 50, 0.7)
    const means = [1, 1.5, 2, 5, 50].map((gamma) => extremeMean(residuals, gamma, 1))
    for (let i = 1; i < means.length; i++) assert.isAbove(means[i]!, means[i - 1]!)
  })
})

it("the largest odds ratio is found to 0.01, is at most 50, and is null for what does not hold", () => {
  assert.closeTo(largestGamma((gamma) => gamma <= 7.25) ?? NaN, 7.25, 0.01)
  assert.strictEqual(largestGamma(() => true), gammaMax)
  assert.isNull(largestGamma(() => false))
})
