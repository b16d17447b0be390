import { assert, describe, it } from "@effect/vitest"
import { noneWeighed, type CostedCandidate, type Scored } from "../../../../src/engine/recommend/candidates/Candidate.ts"
import { costObjective } from "../../../../src/engine/recommend/choice/Objective.ts"
import { reasonsOf } from "../../../../src/engine/recommend/escalation/Reasons.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import type { Neighbour } from "../../../../src/memory/Neighbour.ts"
import { neighbours, objectsOf, priced, recalled, weighed } from "../../../support/builders.ts"

const scored = (
  modelId: string,
  score: number,
  found: ReadonlyArray<Neighbour>,
  over: Partial<CostedCandidate> = {}
): Scored => ({
  ...priced(modelId, 0.8, 1, {
    confidence: 0.9,
    successLow: 0.7,
    successHigh: 0.9,
    neighbours: weighed(found),
    ...over
  }),
  score
})

/**
 * Three models with distant scores, each with good neighbours of its own: nothing to doubt but that the cheap
 * pick may fall short of the threshold and that the next dearer one would not.
 */
const sure = (over: Partial<CostedCandidate> = {}, quality = 1, similarity = 0.9) => {
  const near = (modelId: string) => neighbours(4, modelId, () => ({ quality, similarity }))
  return [
    scored("a", 0.6, near("a"), { predictedSuccess: 0.75, successLow: 0.5, ...over }),
    scored("b", 0.4, near("b"), dear), scored("c", 0.2, near("c"), dear)
  ] as const
}
const dear: Partial<CostedCandidate> = { cost: priced("dear", 0, 10).cost }
const objective = costObjective

/** A pick so well known that no other candidate could take its place. */
const settled: Partial<CostedCandidate> = {
  predictedSuccess: 0.95, successLow: 0.9, successHigh: 0.99, sampleSize: 400, laneWeight: 400
}
const why = (ranked: readonly [Scored, ...Array<Scored>]) =>
  reasonsOf(
    defaults,
    { pick: ranked[0], candidates: ranked, objective, threshold: 0.735 },
    recalled(ranked.flatMap((each) => objectsOf(each.neighbours).map(({ neighbour }) => neighbour)))
  )

describe("the reasons to ask", () => {
  it("are none when there is nothing to doubt", () => {
    assert.deepStrictEqual(why(sure()), [])
  })
  it("are none, whatever else is in doubt, where no other candidate could take the pick's place", () => {
    const doubts = { ...settled, confidence: 0.1, successHigh: 1.5, neighbours: noneWeighed }
    const [a, b, c] = sure(doubts, 0.5, 0.1)
    assert.deepStrictEqual(why([a, { ...b, score: 0.59, neighbours: noneWeighed }, { ...c, neighbours: noneWeighed }]), [])
    assert.deepStrictEqual(why([scored("alone", 0.5, [], { confidence: 0.1, successLow: 0 })]), [])
  })
  it("are thin evidence where the outcomes of the pick and its rivals weigh less than 10", () => {
    const weighing = (each: number) =>
      sure().map((candidate) => ({
        ...candidate, neighbours: weighed([...candidate.neighbours.all], () => each)
      })) as unknown as readonly [Scored, Scored, Scored]
    // 3 models x 4 neighbours x 0.83 = 9.96 is under 10, and 0.84 is over.
    assert.deepStrictEqual(why(weighing(0.83)), ["thin_evidence"])
    assert.deepStrictEqual(why(weighing(0.84)), [])
  })
  it("are thin evidence where under three of the pick and its rivals, or of fewer all, have any", () => {
    const [a, b, c] = sure()
    const plenty = { ...a, cellWeight: 50 }
    assert.deepStrictEqual(why([plenty, b, { ...c, neighbours: noneWeighed }]), ["thin_evidence"])
    assert.deepStrictEqual(why([plenty, b]), [])
    assert.deepStrictEqual(why([plenty, { ...b, neighbours: noneWeighed }]), ["thin_evidence"])
    assert.deepStrictEqual(why([plenty, { ...b, neighbours: noneWeighed, cellWeight: 1 }]), [])
  })
  it("are no thin evidence for models that could not be the pick, or for the pick alone", () => {
    const [, b, c] = sure()
    const known = scored("a", 0.6, neighbours(12, "a"), settled)
    assert.deepStrictEqual(why([known, { ...b, neighbours: noneWeighed }, { ...c, neighbours: noneWeighed }]), [])
  })
  it("are low confidence where the pick's is under 0.45", () => {
    assert.deepStrictEqual(why(sure({ confidence: 0.449 })), ["low_confidence"])
    assert.deepStrictEqual(why(sure({ confidence: 0.45 })), [])
  })
  it("are a tie where the two best scores, the pick's and its rival's, lie within 0.05", () => {
    const [a, b, c] = sure()
    assert.deepStrictEqual(why([a, { ...b, score: 0.56 }, c]), ["tie"])
    assert.deepStrictEqual(why([a, { ...b, score: 0.54 }, c]), [])
    assert.notInclude([...why([a])], "tie")
    const others = [{ ...b, score: 0.7 }, { ...c, score: 0.69 }, a] as const
    const contest = { pick: a, candidates: others, objective, threshold: 0.735 }
    assert.deepStrictEqual(reasonsOf(defaults, contest, recalled()), [])
  })
  it("are a conflict where four neighbours of the pick succeed about as often as they fail", () => {
    assert.deepStrictEqual(why(sure({}, 0.5)), ["conflict"])
    assert.deepStrictEqual(why(sure({}, 0.71)), [])
    assert.deepStrictEqual(why(sure({}, 0.34)), [])
    const [a, b, c] = sure({}, 0.5)
    assert.deepStrictEqual(why([{ ...a, neighbours: weighed([...a.neighbours.all].slice(1)) }, b, c]), [])
  })
  it("are a wide interval where the pick's is over 0.5", () => {
    assert.deepStrictEqual(why(sure({ successLow: 0.3, successHigh: 0.81 })), ["wide_interval"])
    assert.deepStrictEqual(why(sure({ successLow: 0.25, successHigh: 0.75 })), [])
  })
  it("are low recall confidence where the neighbours that weigh are unlike the task", () => {
    assert.deepStrictEqual(why(sure({}, 1, 0.19)), ["low_recall_confidence"])
    assert.deepStrictEqual(why(sure({}, 1, 0.21)), [])
    const contest = { pick: sure()[0], candidates: sure(), objective, threshold: 0.735 }
    assert.notInclude([...reasonsOf(defaults, contest, recalled())], "low_recall_confidence")
    const [a, b, c] = sure()
    const alike = [...a.neighbours.all]
    const unlike = neighbours(60, "a", () => ({ similarity: 0.01 }))
    const mixed = weighed([...alike, ...unlike], (i) => i < alike.length ? 1 : 0)
    assert.deepStrictEqual(why([{ ...a, neighbours: mixed }, b, c]), [])
  })
  it("come together, each once, in the specification's order", () => {
    const unsure = { confidence: 0.2, successLow: 0.1, successHigh: 0.9 }
    const doubtful = [
      scored("a", 0.5, [], { ...unsure, predictedSuccess: 0.75 }), scored("b", 0.5, [], dear)
    ] as const
    assert.deepStrictEqual(why(doubtful), ["thin_evidence", "low_confidence", "tie", "wide_interval"])
  })
})
