import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Random, Schema } from "effect"
import { TestClock } from "effect/testing"
import { AccountSettings } from "../../src/accounts/AccountSettings.ts"
import { StepConstraints } from "../../src/domain/Constraints.ts"
import type { Decision } from "../../src/domain/Decision.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { WorkflowRequest } from "../../src/domain/Workflow.ts"
import { Recommender } from "../../src/engine/Recommender.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import { LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { MemoryUnavailable } from "../../src/memory/Memory.ts"
import { ReasonerFailed } from "../../src/reasoner/Reasoner.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"
import type { LaneNumbers } from "../../src/stats/LaneNumbers.ts"
import { accountOf, lived, snapshot, task } from "../support/builders.ts"
import { catalogOf, ledgerOf, memoryOf, memoryOver, reasonerOf, spy } from "../support/fakes.ts"
import { catalog, engine, localMemory, recommend, teach, unclear } from "./pipelines.ts"

const bases = ({ ranked }: RecommendResponse) => ranked.map((each) => each.decisionBasis)
const warningsOf = (answer: RecommendResponse): Array<string> => [...answer.warnings]

describe("the loop", () => {
  it.effect("a new account gets priors, estimates and cold_start", () =>
    Effect.gen(function*() {
      const answer = yield* recommend()
      assert.deepStrictEqual(bases(answer), ["prior", "prior", "prior"])
      assert.include(warningsOf(answer), "cold_start")
      assert.closeTo(answer.thresholdUsed, 0.735, 1e-12)
      const seeds = answer.ranked.flatMap((each) => each.evidence!)
      assert.deepStrictEqual(seeds.map(({ entryId }) => entryId), answer.ranked.map(({ modelId }) => `seed:${modelId}:${answer.classifiedTaskType}`))
      assert.deepStrictEqual([answer.catalogVersion, answer.catalogStale, answer.selectionPolicy],
        ["v-test", false, "argmin"])
    }).pipe(Effect.provide(engine())))

  it.effect("feedback is recalled by the next recommendation of its lane as evidence", () =>
    Effect.gen(function*() {
      const before = yield* recommend()
      yield* teach(3, { chosenModelId: "cheap" })
      const after = yield* recommend()
      const of = ({ ranked }: RecommendResponse) => ranked.find((each) => each.modelId === "cheap")
      assert.strictEqual(of(after)?.decisionBasis, "memory")
      assert.lengthOf(lived(of(after)?.evidence ?? []), 3)
      assert.isAbove(of(after)?.predictedSuccess ?? 0, of(before)?.predictedSuccess ?? 1)
      assert.notInclude(warningsOf(after), "cold_start")
      const unexplained = yield* recommend({ explain: false })
      assert.deepStrictEqual(unexplained.ranked.flatMap((each) => each.evidence), [])
    }).pipe(Effect.provide(engine())))

  it.effect("sixty successes of a gate without a score clear the highest threshold", () =>
    Effect.gen(function*() {
      yield* teach(60, { chosenModelId: "cheap" })
      const answer = yield* recommend({ costQualityTradeoff: 10 })
      assert.closeTo(answer.thresholdUsed, 0.92, 1e-12)
      assert.strictEqual(answer.recommendedModel.modelId, "cheap")
      assert.isAbove(answer.recommendedModel.predictedSuccess, 0.95)
      assert.notInclude(warningsOf(answer), "no_model_meets_threshold")
    }).pipe(Effect.provide(engine())))

  it.effect("a lane that repeats one prompt keeps its neighbours", () =>
    Effect.gen(function*() {
      yield* teach(30, { chosenModelId: "cheap" })
      const { ranked } = yield* recommend()
      const cheap = ranked.find((each) => each.modelId === "cheap")
      assert.lengthOf(lived(cheap?.evidence ?? []), 5)
      // A prompt of another kind has no neighbours there, as in any other lane: what is shown is its type's outcomes.
      const other = yield* recommend({ task: task({ task: "Translate the menu of a restaurant into Welsh" }) })
      const ran = other.ranked.find((each) => each.modelId === "cheap")
      assert.include(ran?.rationale, "going by this namespace's outcomes of the same task type")
      assert.deepStrictEqual(other.ranked.map((each) => lived(each.evidence).length).toSorted(), [0, 0, 5])
    }).pipe(Effect.provide(engine())))

  it.effect("failures turn the pick away from a model", () =>
    Effect.gen(function*() {
      yield* teach(6, { chosenModelId: "cheap" })
      assert.strictEqual((yield* recommend()).recommendedModel.modelId, "cheap")
      yield* teach(30, { chosenModelId: "cheap", outcome: "failure" })
      assert.notStrictEqual((yield* recommend()).recommendedModel.modelId, "cheap")
    }).pipe(Effect.provide(engine())))

  it.effect("another namespace and another account stay cold", () =>
    Effect.gen(function*() {
      yield* teach(3)
      for (const answer of [yield* recommend({ namespace: "team" }), yield* recommend({}, "rival")]) {
        assert.include(warningsOf(answer), "cold_start")
        assert.deepStrictEqual(bases(answer), ["prior", "prior", "prior"])
      }
    }).pipe(Effect.provide(engine())))

  it.effect("three outcomes of every candidate with cost, then with tokens, climb the cost tiers", () =>
    Effect.gen(function*() {
      const keys = Effect.map(recommend(), ({ ranked }) =>
        ranked.map((each) => Object.keys(each.estCostBreakdown!)))
      const all = (said: Parameters<typeof teach>[1]) =>
        Effect.forEach(["cheap", "middle", "dear"], (chosenModelId) => teach(3, { ...said, chosenModelId }))
      assert.deepStrictEqual((yield* keys)[0], ["input", "output"])
      yield* all({ actualCostUsd: 0.01 })
      for (const each of yield* keys) assert.deepStrictEqual(each, ["observed_avg"])
      yield* all({ outputTokens: 300 })
      for (const each of yield* keys) assert.deepStrictEqual(each, ["rescaled", "obs_output_tokens"])
    }).pipe(Effect.provide(engine())))

  it.effect("every answer is valid on the wire and has an id of its own", () =>
    Effect.gen(function*() {
      const answers = [yield* recommend(), yield* recommend({ costQualityTradeoff: 10 })]
      yield* teach(4, { latencyMs: 0, actualCostUsd: 0, outputTokens: 0 })
      answers.push(yield* recommend({ constraints: { maxCostPerCall: 0 } }))
      for (const answer of answers) {
        const wire = Schema.encodeSync(RecommendResponse)(answer)
        assert.deepStrictEqual(Schema.decodeSync(RecommendResponse)(wire), answer)
      }
      assert.strictEqual(new Set(answers.map((each) => each.recommendationId)).size, answers.length)
    }).pipe(Effect.provide(engine())))
})

describe("degradation", () => {
  it.effect("a memory that is out leaves a prior-only answer with memory_unavailable, not cold_start", () =>
    Effect.gen(function*() {
      const answer = yield* recommend()
      assert.deepStrictEqual(bases(answer), ["prior", "prior", "prior"])
      assert.include(warningsOf(answer), "memory_unavailable")
      assert.notInclude(warningsOf(answer), "cold_start")
    }).pipe(Effect.provide(engine({ memory: memoryOf() }))))

  it.effect("a slow memory leaves a prior-only answer at the budget with recall_timeout", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(recommend())
      yield* TestClock.adjust("250 millis")
      const answer = yield* Fiber.join(fiber)
      assert.deepStrictEqual(bases(answer), ["prior", "prior", "prior"])
      assert.include(warningsOf(answer), "recall_timeout")
      assert.strictEqual(answer.latencyMs, 250)
    }).pipe(Effect.provide(engine({ memory: memoryOf({ recall: () => Effect.never }) }))))

  it.effect("look-ups wait side by side, and the answer for all of them", () =>
    Effect.gen(function*() {
      const lanes = Layer.succeed(LaneCalibrations, {
        read: () => Effect.delay(Effect.succeed(null), 60), remember: () => Effect.void
      })
      const memory = memoryOver(localMemory(), (real) => ({ recall: (query) => Effect.delay(real.recall(query), 50) }))
      const fiber = yield* Effect.forkChild(recommend().pipe(Effect.provide(engine({ memory, lanes }))))
      yield* TestClock.adjust("60 millis")
      const answer = yield* Fiber.join(fiber)
      assert.notInclude(warningsOf(answer), "recall_timeout")
      assert.strictEqual(answer.latencyMs, 60)
    }))

  it.effect("a defect of a look-up ends the request and the look-ups beside it", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const recall = () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      const lanes = Layer.succeed(LaneCalibrations, { read: () => Effect.die("broken"), remember: () => Effect.void })
      const exit = yield* Effect.exit(recommend().pipe(Effect.provide(engine({ memory: memoryOf({ recall }), lanes }))))
      assert.isTrue(Exit.hasDies(exit))
      yield* Deferred.await(interrupted)
    }))

  it.effect("a ledger that is out costs the answer a warning, not the answer", () =>
    Effect.gen(function*() {
      const answer = yield* recommend()
      assert.include(warningsOf(answer), "memory_unavailable")
      assert.lengthOf(answer.ranked, 3)
    }).pipe(Effect.provide(engine({ ledger: ledgerOf() }))))

  for (
    const [title, record] of [
      ["never ends", Effect.never],
      ["never ends and cannot be interrupted", Effect.uninterruptible(Effect.never)]
    ] as const
  ) {
    it.effect(`a ledger whose write ${title} costs the answer its budget and a warning`, () =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(recommend())
        yield* TestClock.adjust("999 millis")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        const answer = yield* Fiber.join(fiber)
        assert.include(warningsOf(answer), "memory_unavailable")
        assert.lengthOf(answer.ranked, 3)
      }).pipe(Effect.provide(engine({ ledger: ledgerOf({ record: () => record }) }))))
  }

  it.effect("memory and ledger both out are said once", () =>
    Effect.gen(function*() {
      const said = warningsOf(yield* recommend()).filter((warning) => warning === "memory_unavailable")
      assert.lengthOf(said, 1)
    }).pipe(Effect.provide(engine({ memory: memoryOf(), ledger: ledgerOf() }))))

  it.effect("stale prices are said twice over", () =>
    Effect.gen(function*() {
      const answer = yield* recommend()
      assert.isTrue(answer.catalogStale)
      assert.include(warningsOf(answer), "prices_stale")
    }).pipe(Effect.provide(engine({ catalog: catalogOf(snapshot(catalog.models, { stale: true })) }))))
})

describe("warnings about the pick", () => {
  const said = (ask: Parameters<typeof recommend>[0]) => Effect.map(recommend(ask), warningsOf)

  it.effect("a bar, a cost budget or a latency budget that nothing meets", () =>
    Effect.gen(function*() {
      assert.include(yield* said({ constraints: { minQuality: 1 } }), "no_model_meets_threshold")
      assert.include(yield* said({ constraints: { maxCostPerCall: 0 } }), "no_model_within_cost_budget")
      assert.notInclude(yield* said({ constraints: { maxLatencyMs: 1 } }), "no_model_within_latency_budget")
      yield* teach(1, { latencyMs: 900 })
      assert.include(yield* said({ constraints: { maxLatencyMs: 1 } }), "no_model_within_latency_budget")
      assert.notInclude(yield* said({ constraints: { maxLatencyMs: 900 } }), "no_model_within_latency_budget")
    }).pipe(Effect.provide(engine())))

  it.effect("an exploration pick, with doubts that do not depend on what was drawn", () =>
    Effect.gen(function*() {
      yield* teach(12, { chosenModelId: "cheap" })
      const answers = yield* Effect.all(Array.from({ length: 40 }, () => recommend()))
      const picks = new Set(answers.map((each) => each.recommendedModel.modelId))
      assert.isAbove(picks.size, 1)
      for (const answer of answers) {
        const isOther = answer.recommendedModel.modelId !== "cheap"
        assert.strictEqual(warningsOf(answer).includes("exploration_pick"), isOther)
        assert.isAtLeast(answer.recommendedModel.predictedSuccess, answer.thresholdUsed)
      }
      const doubts = answers.map(({ escalationReasons }) => escalationReasons.join())
      assert.strictEqual(new Set(doubts).size, 1)
    }).pipe(
      Random.withSeed("explore"),
      Effect.provide(engine({ settings: { selectionPolicy: "epsilon_softmax", explorationShare: 1 } }))
    ))
})

describe("the reasoner", () => {
  const ranking = (predictedSuccess: number) => reasonerOf({
    rank: (_account, _task, candidates) =>
      Effect.succeed(candidates.map(({ modelId }) => ({ modelId, predictedSuccess, rationale: "" })))
  })

  it.effect("is suggested with each reason and missed when none is configured", () =>
    Effect.gen(function*() {
      const answer = yield* recommend()
      assert.includeMembers([...answer.escalationReasons], ["thin_evidence", "low_confidence"])
      assert.deepStrictEqual(warningsOf(answer), ["cold_start", "reasoner_disabled"])
    }).pipe(Effect.provide(engine())))

  it.effect("is neither asked nor missed when the caller does not allow it", () =>
    Effect.gen(function*() {
      const warnings = warningsOf(yield* recommend({ allowLlmEscalation: false }))
      assert.deepStrictEqual(warnings, ["cold_start"])
    }).pipe(Effect.provide(engine({
      reasoner: reasonerOf({ rank: () => Effect.die("must not be asked") })
    }))))

  it.effect("changes scores, basis and pick when it has a view", () =>
    Effect.gen(function*() {
      const answer = yield* recommend()
      assert.include(warningsOf(answer), "reasoner_consulted")
      assert.strictEqual(answer.decisionBasis, "llm")
      assert.strictEqual(answer.recommendedModel.modelId, "cheap")
    }).pipe(Effect.provide(engine({ reasoner: ranking(1) }))))

  it.effect("cannot bring in a model that a constraint removed", () =>
    Effect.gen(function*() {
      const answer = yield* recommend({ constraints: { excludedModels: ["cheap"] } })
      assert.notInclude(answer.ranked.map((each) => each.modelId), "cheap")
    }).pipe(Effect.provide(engine({
      reasoner: reasonerOf({
        rank: () => Effect.succeed([{ modelId: "cheap", predictedSuccess: 1, rationale: "pick me" }])
      })
    }))))

  it.effect("that fails leaves the deterministic answer and reasoner_failed", () =>
    Effect.gen(function*() {
      const answer = yield* recommend()
      assert.include(warningsOf(answer), "reasoner_failed")
      assert.notInclude(warningsOf(answer), "reasoner_consulted")
      assert.deepStrictEqual(bases(answer), ["prior", "prior", "prior"])
    }).pipe(Effect.provide(engine({
      reasoner: reasonerOf({ rank: () => Effect.fail(new ReasonerFailed({ reason: new Reason.Unreachable({ cause: "not JSON" }) })) })
    }))))

  it.effect("refines an unclear task, and says so", () =>
    Effect.gen(function*() {
      const answer = yield* recommend({ task: task({ task: unclear, taskType: null }) })
      assert.strictEqual(answer.classifiedTaskType, "translation")
      assert.include(warningsOf(answer), "llm_classified")
    }).pipe(Effect.provide(engine({
      reasoner: reasonerOf({
        classify: () => Effect.succeed({ taskType: "translation", difficulty: "easy" })
      })
    }))))
})

describe("what asking the reasoner cost", () => {
  const vague = { task: task({ task: unclear, taskType: null }) }
  const refines = { classify: () => Effect.succeed({ taskType: "translation", difficulty: "easy" } as const) }
  const failing = Effect.fail(new ReasonerFailed({ reason: new Reason.Unreachable({ cause: "prose" }), costUsd: 0.0625 }))
  const unasked = Effect.fail(new ReasonerFailed({ reason: new Reason.Unreachable({ cause: "the breaker is open" }) }))
  const none = () => Effect.succeed([])

  const kept = (reasoner: ReturnType<typeof reasonerOf>, ask: Parameters<typeof recommend>[0]) => {
    const record = spy((_decisions: ReadonlyArray<Decision>) => Effect.void)
    return recommend(ask).pipe(
      Effect.provide(engine({ reasoner, ledger: ledgerOf({ record }) })),
      Effect.map(() => record.asked[0]?.[0]?.reasonerCostUsd)
    )
  }

  it.effect("is in the decision: of both questions, and of those that failed", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* kept(reasonerOf({ ...refines, rank: none }, 0.25), vague), 0.5)
      assert.strictEqual(yield* kept(reasonerOf({ ...refines, rank: () => failing }, 0.25), vague), 0.3125)
      assert.strictEqual(yield* kept(reasonerOf({ classify: () => failing, rank: none }, 0.25), vague), 0.3125)
      assert.strictEqual(yield* kept(reasonerOf({ classify: () => failing, rank: () => unasked }), vague), 0.0625)
      assert.strictEqual(yield* kept(reasonerOf({ rank: none }), {}), 0)
    }))
  it.effect("is null when it was not asked, not allowed, or is not there", () =>
    Effect.gen(function*() {
      assert.isNull(yield* kept(reasonerOf({ rank: () => unasked }), {}))
      assert.isNull(yield* kept(reasonerOf({ rank: none }, 1), { allowLlmEscalation: false }))
      assert.isNull(yield* kept(reasonerOf(), vague))
    }))
  it.effect("is not waited for longer than its budget, however many questions there are", () =>
    Effect.gen(function*() {
      const slow = reasonerOf({
        classify: () => Effect.delay(refines.classify(), "6 seconds"), rank: () => Effect.never
      }, 0.25)
      const asking = yield* Effect.forkChild(kept(slow, vague))
      yield* TestClock.adjust("6 seconds")
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(asking.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(asking), 0.25)
    }))
})

describe("no candidates", () => {
  it.effect("constraints that leave nothing are the one failure", () =>
    Effect.gen(function*() {
      const failure = yield* Effect.flip(recommend({ constraints: { candidateModels: ["nobody"] } }))
      assert.deepInclude(failure, { _tag: "NoCandidateModels", stepId: null })
    }).pipe(Effect.provide(engine())))
})

describe("a workflow", () => {
  const step = (stepId: string, constraints: StepConstraints | null = null) =>
    ({ stepId, task: task(), constraints })
  const run = (ask: (typeof WorkflowRequest)["~type.make.in"]) =>
    Recommender.use((recommender) => recommender.recommendWorkflow(accountOf(), WorkflowRequest.make(ask)))

  it.effect("scores each step on its own, in order, and sums up", () =>
    Effect.gen(function*() {
      const answer = yield* run({ steps: ["one", "two", "three"].map((id) => step(id)) })
      assert.deepStrictEqual(answer.steps.map((each) => each.stepId), ["one", "two", "three"])
      const each = answer.steps.map(({ recommendation }) => recommendation)
      assert.strictEqual(new Set(each.map((one) => one.recommendationId)).size, 3)
      const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, number) => total + number, 0)
      assert.closeTo(answer.totalEstCostUsd, sum(each.map((one) => one.recommendedModel.estCostUsd)), 1e-12)
      assert.closeTo(answer.totalEstCostIfAllPremium,
        sum(each.map((one) => Math.max(...one.ranked.map((model) => model.estCostUsd)))), 1e-12)
      assert.closeTo(answer.confidence, sum(each.map((one) => one.confidence)) / 3, 1e-12)
    }).pipe(Effect.provide(engine())))

  it.effect("names the step that is left without a model", () =>
    Effect.gen(function*() {
      const failure = yield* Effect.flip(run({
        steps: [step("fine"), step("stuck", StepConstraints.make({ candidateModels: ["nobody"] }))]
      }))
      assert.deepInclude(failure, { _tag: "NoCandidateModels", stepId: "stuck" })
    }).pipe(Effect.provide(engine())))

  it.effect("is answered while memory or ledger are out", () =>
    Effect.gen(function*() {
      const answer = yield* run({ steps: [step("one"), step("two")] })
      for (const { recommendation } of answer.steps) {
        assert.include(warningsOf(recommendation), "memory_unavailable")
      }
    }).pipe(Effect.provide(engine({ ledger: ledgerOf() }))))
})

it.effect("a memory that fails only sometimes warms up again by itself", () => {
  let isOut = true
  const flaky = memoryOver(localMemory(), (real) => ({
    recall: (query) => isOut ? Effect.fail(new MemoryUnavailable({ reason: new Reason.Unreachable({ cause: "flaky" }) })) : real.recall(query)
  }))
  return Effect.gen(function*() {
    yield* teach(3)
    assert.include(warningsOf(yield* recommend()), "memory_unavailable")
    isOut = false
    assert.include(bases(yield* recommend()), "memory")
  }).pipe(Effect.provide(engine({ memory: flaky })))
})

describe("a look-up that fails", () => {
  const out = Effect.fail(new LedgerUnavailable({ reason: new Reason.Unreachable({}) }))
  const noted = { outcomes: 300, localShare: 0.9, spreadEvidence: [] }
  const lanesOf = (read: Effect.Effect<LaneNumbers | null, LedgerUnavailable>) =>
    Layer.succeed(LaneCalibrations, { read: () => read, remember: () => Effect.void })
  const predictions = ({ ranked }: RecommendResponse) => ranked.map((each) => [each.modelId, each.predictedSuccess])
  const answers = (lanes: Layer.Layer<LaneCalibrations>) =>
    Effect.gen(function*() {
      yield* teach(3)
      return yield* recommend()
    }).pipe(Effect.provide(engine({ lanes })))

  it.effect("leaves the lane with the numbers of a new one, and a warning", () =>
    Effect.gen(function*() {
      const coarse = yield* answers(lanesOf(out))
      const fresh = yield* answers(lanesOf(Effect.succeed(null)))
      assert.deepStrictEqual(predictions(coarse), predictions(fresh))
      assert.deepStrictEqual(coarse.warnings, ["lane_numbers_unavailable", ...fresh.warnings])
      assert.notDeepEqual(predictions(yield* answers(lanesOf(Effect.succeed(noted)))), predictions(fresh))
    }))

  it.effect("leaves the account with the service's selection policy, and says so", () =>
    Effect.gen(function*() {
      const answer = yield* recommend()
      const coarse = yield* recommend().pipe(
        Effect.provideService(AccountSettings, { read: () => out, write: () => Effect.void })
      )
      assert.strictEqual(coarse.selectionPolicy, "argmin")
      assert.deepStrictEqual(coarse.warnings, ["account_settings_unavailable", ...answer.warnings])
    }).pipe(Effect.provide(engine())))

  it.effect("leaves a redacted task without vectors, and no warning", () =>
    Effect.gen(function*() {
      const kept: Array<Decision> = []
      const ledger = ledgerOf({ record: (decisions) => Effect.sync(() => { kept.push(...decisions) }) })
      const memory = memoryOver(localMemory(), () => ({
        prepare: () => Effect.never
      }))
      const asking = yield* Effect.forkChild(recommend().pipe(
        Effect.provide(engine({ ledger, memory, settings: { taskText: "none" } }))
      ))
      yield* TestClock.adjust("250 millis")
      const answer = yield* Fiber.join(asking)
      assert.deepStrictEqual(kept.map(({ taskExcerpt, taskVectors }) => [taskExcerpt, taskVectors]), [["", []]])
      assert.deepStrictEqual(answer.warnings, (yield* recommend().pipe(Effect.provide(engine()))).warnings)
    }))
})
