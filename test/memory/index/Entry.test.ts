import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { reliabilityOf } from "../../../src/memory/index/Entry.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"

const Votes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const Days = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))

const of = (votesUp: number, votesDown: number, ageDays: number): number =>
  reliabilityOf({ votesUp, votesDown }, ageDays, memorySettings)

it("an entry without votes has a reliability of 0.9, after 180 days 0.7 and after 360 0.6", () => {
  for (const [ageDays, expected] of [[0, 0.9], [180, 0.7], [360, 0.6]] as const) {
    assert.closeTo(of(0, 0, ageDays), expected, 1e-12)
  }
  assert.closeTo(of(3, 2, 0), 12 / 15, 1e-12)
})

it.prop("reliability is a probability, rises with votes up and falls with votes down", {
  up: Votes, down: Votes, age: Days
}, ({ age, down, up }) => {
  const belief = of(up, down, age)
  assert.isTrue(belief > 0 && belief < 1)
  assert.isAtLeast(of(up + 1, down, age), belief)
  assert.isAtMost(of(up, down + 1, age), belief)
})

it.prop("age moves reliability toward one half and never across it", {
  up: Votes, down: Votes, age: Days, more: Days
}, ({ age, down, more, up }) => {
  const [young, old] = [of(up, down, age), of(up, down, age + more)]
  assert.isAtMost(Math.abs(old - 0.5), Math.abs(young - 0.5))
  assert.isAtLeast((old - 0.5) * (young - 0.5), 0)
})
