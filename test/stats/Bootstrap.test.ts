import { assert, describe, it } from "@effect/vitest"
import { accelerated95, percentile95 } from "../../src/stats/Bootstrap.ts"

const values = Float64Array.from({ length: 1001 }, (_, index) => index)

describe("the accelerated interval of a bootstrap", () => {
  it("is the middle 95 % where influences are symmetric or 0", () => {
    const symmetric = accelerated95(values, Float64Array.of(-1, 1, -2, 2))
    assert.closeTo(symmetric.low, percentile95(values).low, 0.01)
    assert.closeTo(symmetric.high, percentile95(values).high, 0.01)
    assert.closeTo(accelerated95(values, new Float64Array(3)).low, 25, 0.01)
  })

  it("equals a calculation by hand for influences 2, -1 and -1", () => {
    // The acceleration is 6 / (6 * 6^1.5) = 0.06804; the upper normal value is a + (a + z) / (1 - a (a + z)).
    const a = 6 ** -1.5
    const upper = a + (a + 1.959964) / (1 - a * (a + 1.959964))
    assert.closeTo(upper, 2.4207, 1e-3)
    const { high, low } = accelerated95(values, Float64Array.of(2, -1, -1))
    // Normal probabilities 0.99227 of the upper and 0.05391 of the lower value, -1.6081.
    assert.closeTo(high, 992.3, 0.1)
    assert.closeTo(low, 53.9, 0.1)
  })
})
