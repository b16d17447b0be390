import { assert, it } from "@effect/vitest"
import { rateBeside } from "../../../src/memory/lessons/LessonWords.ts"

it("a percentage is called a rate where it is of successes, and else the mean quality", () => {
  assert.strictEqual(rateBeside(0.92, 23, 25), "rate 92 %")
  assert.strictEqual(rateBeside(0.9, 39, 39), "mean quality 90 %")
  assert.strictEqual(rateBeside(0.3, 0, 4), "mean quality 30 %")
  // As far as can be read.
  assert.strictEqual(rateBeside(0.6666, 2, 3), "rate 67 %")
})
