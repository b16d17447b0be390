import { assert, it } from "@effect/vitest"
import { normal975, normalBelow } from "../../src/stats/Normal.ts"
import { student975 } from "../../src/stats/Student.ts"

it("Student's quantiles are those of the tables, within 2 % from 3 degrees and 0.5 % from 5", () => {
  for (const [degrees, table] of [[5, 2.5706], [10, 2.2281], [30, 2.0423]] as const) {
    assert.closeTo(student975(degrees) / table, 1, 0.005)
  }
  assert.closeTo(student975(3) / 3.1824, 1, 0.02)
  assert.closeTo(student975(Infinity), normal975, 1e-12)
})

it("the normal probabilities are those of the tables", () => {
  for (const [z, table] of [[0, 0.5], [normal975, 0.975], [-1, 0.158655254]] as const) {
    assert.closeTo(normalBelow(z), table, 1e-7)
  }
})
