import { assert, it } from "@effect/vitest"
import { thresholdAt } from "../../src/domain/SliderThreshold.ts"

it("a prediction of exactly tau reaches it at every setting of the slider", () => {
  assert.deepStrictEqual([0, 2.5, 5, 7.5, 10].map((slider) => thresholdAt(slider)), [0.55, 0.6425, 0.735, 0.8275, 0.92])
})
