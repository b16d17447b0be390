import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Probability } from "../../../src/domain/Units.ts"
import type { Priced, Scored } from "../../../src/engine/recommend/candidates/Candidate.ts"
import { blend, escalate, reasons } from "../../../src/engine/recommend/Escalate.ts"
import { defaults, Settings } from "../../../src/engine/Settings.ts"
import { ReasonerFailed } from "../../../src/reasoner/Reasoner.ts"
import type { Neighbour } from "../../../src/memory/Memory.ts"
import { accountOf, neighbours, priced, recalled } from "../../support/builders.ts"
import { reasonerOf } from "../../support/fakes.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"

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

/** Three models far apart, each with good neighbours of its own: nothing to doubt. */
const sure = (over: Partial<Priced> = {}, quality = 1, similarity = 0.9) => {
  const near = (modelId: string) => neighbours(4, modelId, () => ({ quality, similarity }))
  return [
    scored("a", 0.6, near("a"), over), scored("b", 0.4, near("b")), scored("c", 0.2, near("c"))
  ] as const
}
const why = (ranked: readonly [Scored, ...Array<Scored>]) =>
  reasons(
    defaults,
    { pick: ranked[0], ranked },
    recalled(ranked.flatMap((each) => each.neighbours.map(({ neighbour }) => neighbour)))
  )

describe("the reasons", () => {
  it("are none when there is nothing to doubt", () => {
    assert.deepStrictEqual(why(sure()), [])
  })
  it("thin evidence: little weight in all", () => {
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
  it("thin evidence: few candidates with any neighbour, of three or of all when there are fewer", () => {
    const [a, b, c] = sure()
    assert.deepStrictEqual(why([a, b, { ...c, neighbours: [] }]), ["thin_evidence"])
    assert.deepStrictEqual(why([a, b]), [])
    assert.deepStrictEqual(why([a, { ...b, neighbours: [] }]), ["thin_evidence"])
  })
  it("low confidence: the pick's, under 0.45", () => {
    assert.deepStrictEqual(why(sure({ confidence: 0.449 })), ["low_confidence"])
    assert.deepStrictEqual(why(sure({ confidence: 0.45 })), [])
  })
  it("tie: the two best scores within 0.05", () => {
    const [a, b, c] = sure()
    assert.deepStrictEqual(why([a, { ...b, score: 0.56 }, c]), ["tie"])
    assert.deepStrictEqual(why([a, { ...b, score: 0.54 }, c]), [])
    assert.notInclude([...why([a])], "tie")
  })
  it("conflict: four neighbours of the pick whose success is in the middle", () => {
    assert.deepStrictEqual(why(sure({}, 0.5)), ["conflict"])
    assert.deepStrictEqual(why(sure({}, 0.71)), [])
    assert.deepStrictEqual(why(sure({}, 0.34)), [])
    const [a, b, c] = sure({}, 0.5)
    assert.deepStrictEqual(why([{ ...a, neighbours: a.neighbours.slice(1) }, b, c]), [])
  })
  it("wide interval: the pick's, over 0.5", () => {
    assert.deepStrictEqual(why(sure({ successLow: 0.3, successHigh: 0.81 })), ["wide_interval"])
    assert.deepStrictEqual(why(sure({ successLow: 0.25, successHigh: 0.75 })), [])
  })
  it("low recall confidence: what was recalled is unlike the task", () => {
    assert.deepStrictEqual(why(sure({}, 1, 0.19)), ["low_recall_confidence"])
    assert.deepStrictEqual(why(sure({}, 1, 0.21)), [])
    const empty = reasons(defaults, { pick: sure()[0], ranked: sure() }, recalled())
    assert.notInclude([...empty], "low_recall_confidence")
  })
  it("come together, each once", () => {
    const doubtful = [
      scored("a", 0.5, [], { confidence: 0.2, successLow: 0.1, successHigh: 0.9 }), scored("b", 0.5, [])
    ] as const
    assert.deepStrictEqual(why(doubtful), ["thin_evidence", "low_confidence", "tie", "wide_interval"])
  })
})

describe("the blend", () => {
  const said = (modelId: string, predictedSuccess: number) =>
    ({ modelId, predictedSuccess, rationale: "because" })

  it("weighs the reasoner by 0.8 of what confidence lacks, between 0.1 and 0.9", () => {
    const chance = (confidence: number) =>
      blend(defaults, [priced("a", 0.5, 1, { confidence })], [said("a", 1)])[0]?.predictedSuccess ?? 0
    assert.closeTo(chance(0.5), 0.5 + 0.4 * 0.5, 1e-12)
    assert.closeTo(chance(0.99), 0.5 + 0.1 * 0.5, 1e-12)
    assert.closeTo(chance(0), 0.5 + 0.8 * 0.5, 1e-12)
  })
  it("moves the basis to llm and the interval with the prediction", () => {
    const [moved] = blend(defaults, [priced("a", 0.5, 1)], [said("a", 0.9)])
    assert.strictEqual(moved?.decisionBasis, "llm")
    assert.isAbove(moved?.predictedSuccess ?? 0, moved?.successLow ?? 1)
    assert.isBelow(moved?.predictedSuccess ?? 1, moved?.successHigh ?? 0)
  })
  it("drops unknown ids and leaves candidates without an opinion the same object", () => {
    const before = [priced("a", 0.5, 1), priced("b", 0.6, 2)]
    const after = blend(defaults, before, [said("nobody", 1), said("b", 1)])
    assert.strictEqual(after.length, 2)
    assert.strictEqual(after[0], before[0])
    assert.notStrictEqual(after[1], before[1])
  })
  it("changes nothing where the reasoner agrees", () => {
    const before = [priced("a", 0.5, 1)]
    assert.strictEqual(blend(defaults, before, [said("a", 0.5)])[0], before[0])
  })
  it.prop("never leaves [0, 1], and lies between the two opinions", {
    ours: Probability, theirs: Probability, confidence: Probability
  }, ({ confidence, ours, theirs }) => {
    const [blended] = blend(defaults, [priced("a", ours, 1, { confidence })], [said("a", theirs)])
    const chance = blended?.predictedSuccess ?? -1
    assert.isAtLeast(chance, Math.min(ours, theirs) - 1e-12)
    assert.isAtMost(chance, Math.max(ours, theirs) + 1e-12)
    assert.isTrue(Schema.is(Probability)(chance))
  })
})

describe("the stage", () => {
  const question = {
    accountId: accountOf(), task: "sum a list", candidates: [priced("a", 0.5, 1)], ranked: ["a"], leftMs: null
  }
  const ask = (
    reasoner: ReturnType<typeof reasonerOf>,
    over: Partial<Parameters<typeof escalate>[0]> = {},
    settings: Partial<typeof defaults> = {}
  ) =>
    escalate({ ...question, ...over }).pipe(Effect.provide(Layer.mergeAll(reasoner, Settings.layer(settings))))
  const listening = () => {
    const shown: Array<string> = []
    const reasoner = reasonerOf({
      rank: (_account, _task, candidates) => {
        shown.push(candidates.map(({ modelId, priceClass }) => `${modelId} ${priceClass}`).join())
        return Effect.succeed([])
      }
    }, 0.125)
    return { reasoner, shown }
  }
  it.effect("asks about the best that the budgets leave, with their prices beside the cheapest of them", () =>
    Effect.gen(function*() {
      const { reasoner, shown } = listening()
      const candidates = [priced("a", 0.5, 1), priced("b", 0.5, 3), priced("c", 0.5, 15), priced("d", 0.5, 15.1)]
      const ranked = ["d", "c", "b", "a"]
      const { answer, costUsd } = yield* ask(reasoner, { candidates, ranked })
      assert.deepStrictEqual(answer, candidates)
      assert.strictEqual(costUsd, 0.125)
      yield* ask(reasoner, { candidates, ranked: ["d", "b"] })
      yield* ask(reasoner, { candidates, ranked }, { reasonerCandidatesMax: 2 })
      yield* ask(reasoner, { candidates: [priced("a", 0.5, 0), priced("b", 0.5, 1)], ranked: ["a", "b"] })
      assert.deepStrictEqual(shown, ["d high,c middle,b low,a low", "d middle,b low", "d low,c low", "a low,b high"])
    }))
  it.effect("waits only as long as the patience that is left, and asks nobody with next to none", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(
        Effect.flip(ask(reasonerOf({ rank: () => Effect.never }), { leftMs: 500 }))
      )
      yield* TestClock.adjust("500 millis")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ReasonerFailed")
      const { reasoner, shown } = listening()
      for (const leftMs of [-1, 0, 99]) {
        assert.strictEqual((yield* Effect.flip(ask(reasoner, { leftMs })))._tag, "ReasonerFailed")
      }
      assert.deepStrictEqual(shown, [])
    }))
  it.effect("shows the reasoner the closed list of candidates", () =>
    Effect.gen(function*() {
      const shown: Array<unknown> = []
      yield* ask(reasonerOf({
        rank: (accountId, task, candidates) => {
          shown.push(accountId, task, candidates)
          return Effect.succeed([])
        }
      }))
      assert.deepStrictEqual(shown, ["acme", "sum a list", [{
        modelId: "a", predictedSuccess: 0.5, priceClass: "low"
      }]])
    }))
  it.effect("fails as the reasoner fails", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(ask(reasonerOf())))._tag, "ReasonerDisabled")
      const broken = reasonerOf({ rank: () => Effect.fail(new ReasonerFailed({ reason: new Reason.Unreachable({ cause: "no JSON" }) })) })
      assert.strictEqual((yield* Effect.flip(ask(broken)))._tag, "ReasonerFailed")
    }))
})
