import { assert, describe, it } from "@effect/vitest"
import type { Priced, Scored } from "../../../../src/engine/recommend/candidates/Candidate.ts"
import { reasonsOf } from "../../../../src/engine/recommend/escalation/Reasons.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import type { Neighbour } from "../../../../src/memory/Memory.ts"
import { neighbours, priced, recalled } from "../../../support/builders.ts"

const scored = (
  modelId: string,
  score: number,
  found: ReadonlyArray<Neighbour>,
  over: Partial<Priced> = {}
): Scored => ({
  ...priced(modelId, 0.8, 1, {
    confidence: 0.9,
    successLow: 0.7,
    successHigh: 0.9,
    neighbours: found.map((neighbour) => ({ neighbour, weight: 1 })),
    ...over
  }),
  score
})

/** Three models with distant scores, each with good neighbours of its own: nothing to doubt. */
const sure = (over: Partial<Priced> = {}, quality = 1, similarity = 0.9) => {
  const near = (modelId: string) => neighbours(4, modelId, () => ({ quality, similarity }))
  return [
    scored("a", 0.6, near("a"), over), scored("b", 0.4, near("b")), scored("c", 0.2, near("c"))
  ] as const
}
const why = (ranked: readonly [Scored, ...Array<Scored>]) =>
  reasonsOf(
    defaults,
    { pick: ranked[0], ranked },
    recalled(ranked.flatMap((each) => each.neighbours.map(({ neighbour }) => neighbour)))
  )

describe("the reasons to ask", () => {
  it("are none when there is nothing to doubt", () => {
    assert.deepStrictEqual(why(sure()), [])
  })
  it("are thin evidence where all neighbours weigh little", () => {
    const thin = sure().map((each) => ({
      ...each, neighbours: each.neighbours.map(({ neighbour }) => ({ neighbour, weight: 0.12 }))
    }))
    // 3 models x 4 neighbours x 0.12 = 1.44 is under 1.5, and 0.13 is over.
    const [a, b, c] = thin
    if (a === undefined || b === undefined || c === undefined) return assert.fail("three in, three out")
    assert.deepStrictEqual(why([a, b, c]), ["thin_evidence"])
    const enough = { ...c, neighbours: c.neighbours.map(({ neighbour }) => ({ neighbour, weight: 0.2 })) }
    assert.deepStrictEqual(why([a, b, enough]), [])
  })
  it("are thin evidence where few candidates have a neighbour, of three or of all when there are fewer", () => {
    const [a, b, c] = sure()
    assert.deepStrictEqual(why([a, b, { ...c, neighbours: [] }]), ["thin_evidence"])
    assert.deepStrictEqual(why([a, b]), [])
    assert.deepStrictEqual(why([a, { ...b, neighbours: [] }]), ["thin_evidence"])
  })
  it("are low confidence where the pick's is under 0.45", () => {
    assert.deepStrictEqual(why(sure({ confidence: 0.449 })), ["low_confidence"])
    assert.deepStrictEqual(why(sure({ confidence: 0.45 })), [])
  })
  it("are a tie where the two best scores lie within 0.05", () => {
    const [a, b, c] = sure()
    assert.deepStrictEqual(why([a, { ...b, score: 0.56 }, c]), ["tie"])
    assert.deepStrictEqual(why([a, { ...b, score: 0.54 }, c]), [])
    assert.notInclude([...why([a])], "tie")
  })
  it("are a conflict where four neighbours of the pick succeed about as often as they fail", () => {
    assert.deepStrictEqual(why(sure({}, 0.5)), ["conflict"])
    assert.deepStrictEqual(why(sure({}, 0.71)), [])
    assert.deepStrictEqual(why(sure({}, 0.34)), [])
    const [a, b, c] = sure({}, 0.5)
    assert.deepStrictEqual(why([{ ...a, neighbours: a.neighbours.slice(1) }, b, c]), [])
  })
  it("are a wide interval where the pick's is over 0.5", () => {
    assert.deepStrictEqual(why(sure({ successLow: 0.3, successHigh: 0.81 })), ["wide_interval"])
    assert.deepStrictEqual(why(sure({ successLow: 0.25, successHigh: 0.75 })), [])
  })
  it("are low recall confidence where the neighbours are unlike the task", () => {
    assert.deepStrictEqual(why(sure({}, 1, 0.19)), ["low_recall_confidence"])
    assert.deepStrictEqual(why(sure({}, 1, 0.21)), [])
    const empty = reasonsOf(defaults, { pick: sure()[0], ranked: sure() }, recalled())
    assert.notInclude([...empty], "low_recall_confidence")
  })
  it("come together, each once, in the specification's order", () => {
    const doubtful = [
      scored("a", 0.5, [], { confidence: 0.2, successLow: 0.1, successHigh: 0.9 }), scored("b", 0.5, [])
    ] as const
    assert.deepStrictEqual(why(doubtful), ["thin_evidence", "low_confidence", "tie", "wide_interval"])
  })
})
