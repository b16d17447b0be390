import { assert, describe, it } from "@effect/vitest"
import { adviceWorld, type Judged, unseenRouting, workloads } from "./advice.ts"

const worlds = 60

const rowsOf = (workload: typeof unseenRouting, from: number, observedShare = 0) =>
  Array.from({ length: worlds }, (_, seed) => adviceWorld(workload, from + seed, observedShare)).flat()
const judged = Object.entries(workloads).map(([name, workload], at) => ({ name, rows: rowsOf(workload, 1_000 * (at + 1)) }))
const all = judged.flatMap(({ rows }) => rows)
const movesOf = (rows: ReadonlyArray<Judged>) => rows.filter(({ row }) => row.action === "move")
const falseShare = (rows: ReadonlyArray<Judged>) => rows.filter(({ isRight }) => !isRight).length / rows.length

/** "96 rows, 31 moves, 1 of them false", as docs/using/what-to-change.md has it. */
const wordsOf = (rows: ReadonlyArray<Judged>) => {
  const moves = movesOf(rows)
  return `${rows.length} rows, ${moves.length} moves, ${moves.filter(({ isRight }) => !isRight).length} of them false`
}

describe("advice in six workloads with known truth", () => {
  it("is right in at least 95 of 100 rows that say move, and false in at most 5", ({ annotate }) => {
    for (const { name, rows } of judged) void annotate(`${name}: ${wordsOf(rows)}`)
    assert.lengthOf(judged, 6)
    assert.isAbove(movesOf(all).length, 200)
    assert.isAtMost(falseShare(movesOf(all)), 0.05)
  })

  it("says move in every row that is known and in no other, and never by a prediction alone", () => {
    assert.isAbove(all.filter(({ row }) => row.certainty === "believed").length, 50)
    for (const { row: { action, candidate, settle, certainty } } of all) {
      assert.strictEqual(action === "move", certainty === "known")
      assert.strictEqual(settle.length === 0, certainty === "known")
      if (candidate.successBasis !== "verdicts") assert.notStrictEqual(action, "move")
    }
  })

  it("calls few of the models known that are each a little too much worse", () => {
    const { rows } = judged.find(({ name }) => name === "just too much worse")!
    assert.isBelow(movesOf(rows).length / rows.length, 0.025)
  })

  it("says nothing is known by observed calls alone, and is as right where half of the calls are", ({ annotate }) => {
    const shared = (observedShare: number) =>
      Object.values(workloads).flatMap((workload, at) => rowsOf(workload, 1_000 * (at + 1), observedShare))
    const alone = shared(1)
    void annotate(`observed alone: ${wordsOf(alone)}`)
    assert.isAbove(alone.length, 500)
    assert.deepStrictEqual(movesOf(alone), [])
    const half = shared(0.5)
    void annotate(`half of them: ${wordsOf(half)}`)
    assert.isAbove(movesOf(half).length, 100)
    assert.isAtMost(falseShare(movesOf(half)), 0.05)
  })

  it("is misled where a caller sorts tasks by what no prediction sees, as the book says", ({ annotate }) => {
    const rows = rowsOf(unseenRouting, 9_000)
    void annotate(wordsOf(rows))
    assert.isAbove(falseShare(movesOf(rows)), 0.05)
  })
})
