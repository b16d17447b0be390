import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Scored } from "../../../src/engine/recommend/candidates/Candidate.ts"
import { costObjective } from "../../../src/engine/recommend/choice/Objective.ts"
import { type DoubtfulChoice, escalate, type EscalatedRequest } from "../../../src/engine/recommend/Escalate.ts"
import { defaults, Settings } from "../../../src/engine/Settings.ts"
import { ReasonerFailed } from "../../../src/reasoner/Reasoner.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import { accountOf, neighbours, priced, recalled, request, task, weighed } from "../../support/builders.ts"
import { asked, type Candidates, criteriaIn } from "../../support/choices.ts"
import { reasonerOf } from "../../support/fakes.ts"

/** Candidates among which all is in doubt, ranked in the order of these ids. */
const doubtful = (
  candidates: Candidates,
  rankedIds: ReadonlyArray<string>
): Pick<EscalatedRequest, "candidates"> & { readonly choice: DoubtfulChoice } => {
  const ranked = rankedIds.flatMap((id): ReadonlyArray<Scored> =>
    candidates.filter(({ card }) => card.modelId === id).map((each) => ({ ...each, score: 0 })))
  const deterministic = ranked[0] ?? assert.fail("one is ranked")
  const criteria = criteriaIn(asked({ threshold: 0.735 }))
  return { candidates, choice: { criteria, deterministic, isFixed: false, objective: costObjective, ranked } }
}

describe("the stage", () => {
  const sum = task({ task: "sum a list" })
  const question: EscalatedRequest & { readonly choice: DoubtfulChoice } = {
    accountId: accountOf(), reasonerLeftMs: null, recalled: recalled(), request: request({ task: sum }),
    ...doubtful([priced("a", 0.5, 1), priced("b", 0.5, 1)], ["a", "b"])
  }
  const ask = (
    reasoner: ReturnType<typeof reasonerOf>,
    over: Partial<typeof question> = {},
    settings: Partial<typeof defaults> = {}
  ) => {
    const { choice, ...context } = { ...question, ...over }
    return escalate(context, choice).pipe(Effect.provide(Layer.mergeAll(reasoner, Settings.layer(settings))))
  }
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
      const candidates = [
        priced("a", 0.5, 1), priced("b", 0.5, 3), priced("c", 0.5, 15), priced("d", 0.5, 15.1)
      ] as const
      const ranked = ["d", "c", "b", "a"]
      const answered = yield* ask(reasoner, doubtful(candidates, ranked))
      assert.deepStrictEqual([answered.candidates, answered.isMoved], [[...candidates], false])
      assert.strictEqual(answered.costUsd, 0.125)
      yield* ask(reasoner, doubtful(candidates, ["d", "b"]))
      yield* ask(reasoner, doubtful(candidates, ranked), { reasonerCandidatesMax: 2 })
      yield* ask(reasoner, doubtful([priced("a", 0.5, 0), priced("b", 0.5, 1)], ["a", "b"]))
      assert.deepStrictEqual(shown, ["d high,c middle,b low,a low", "d middle,b low", "d low,c low", "a low,b high"])
    }))
  it.effect("waits only as long as the budget leaves, and does not ask with next to none left", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(
        Effect.flip(ask(reasonerOf({ rank: () => Effect.never }), { reasonerLeftMs: 500 }))
      )
      yield* TestClock.adjust("500 millis")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "EscalationFailed")
      const { reasoner, shown } = listening()
      for (const reasonerLeftMs of [-1, 0, 99]) {
        assert.strictEqual((yield* Effect.flip(ask(reasoner, { reasonerLeftMs })))._tag, "EscalationFailed")
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
      }, {
        modelId: "b", predictedSuccess: 0.5, priceClass: "low"
      }]])
    }))
  it.effect("fails as the reasoner fails, with the reasons to ask and what asking cost", () =>
    Effect.gen(function*() {
      const reasons = ["thin_evidence", "tie"] as const
      assert.deepStrictEqual(yield* Effect.flip(ask(reasonerOf())), { _tag: "EscalationDisabled", reasons })
      const noJson = new ReasonerFailed({
        reason: new Reason.Unusable({ cause: "no JSON" }), costUsd: 0.5
      })
      const failure = yield* Effect.flip(ask(reasonerOf({ rank: () => Effect.fail(noJson) })))
      if (failure._tag !== "EscalationFailed") return assert.fail(failure._tag)
      assert.deepStrictEqual([[...failure.reasons], failure.costUsd, failure.cause], [[...reasons], 0.5, noJson])
    }))
  it.effect("does not ask about a lone candidate, whatever is in doubt", () =>
    Effect.gen(function*() {
      const { reasoner, shown } = listening()
      yield* ask(reasoner, doubtful([priced("a", 0.5, 1)], ["a"]))
      assert.deepStrictEqual(shown, [])
    }))
  it.effect("yields the candidates unasked, where nothing is in doubt or the caller forbids it", () =>
    Effect.gen(function*() {
      const { reasoner, shown } = listening()
      const near = (modelId: string) => weighed(neighbours(12, modelId))
      const sure = { confidence: 0.9, successLow: 0.7, successHigh: 0.9 }
      const candidates = [priced("a", 0.8, 1, { ...sure, neighbours: near("a") })] as const
      const unmoved = { reasons: [], isMoved: false, costUsd: null }
      assert.deepStrictEqual(yield* ask(reasoner, doubtful(candidates, ["a"])), { ...unmoved, candidates })
      const forbidden = yield* ask(reasoner, { request: request({ task: sum, allowLlmEscalation: false }) })
      assert.deepStrictEqual(forbidden, { ...unmoved, candidates: question.candidates })
      assert.deepStrictEqual(shown, [])
    }))
  it.effect("blends the opinions in, and says which candidates moved", () =>
    Effect.gen(function*() {
      const opinion = { modelId: "b", predictedSuccess: 1, rationale: "because" }
      const candidates = [priced("a", 0.5, 1), priced("b", 0.5, 3)] as const
      const reasoner = reasonerOf({ rank: () => Effect.succeed([opinion]) })
      const moved = yield* ask(reasoner, doubtful(candidates, ["a", "b"]))
      assert.strictEqual(moved.candidates[0], candidates[0])
      assert.isAbove(moved.candidates[1]?.predictedSuccess ?? 0, 0.5)
      assert.isTrue(moved.isMoved)
      assert.deepStrictEqual([...moved.reasons], ["thin_evidence", "tie"])
    }))
})
