import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { Millis, Probability, Slider, Tokens, UsdSent } from "../../src/domain/Units.ts"
import { WorkflowRequest, WorkflowResponse } from "../../src/domain/Workflow.ts"
import { Recommender } from "../../src/engine/Recommender.ts"
import { defaults } from "../../src/engine/Settings.ts"
import type { Tallies } from "../../src/memory/Memory.ts"
import type { Neighbour } from "../../src/memory/Neighbour.ts"
import { costTieUsd } from "../../src/stats/PolicyRules.ts"
import { accountOf, measuredCard, neighbour, recalled, snapshot, task } from "../support/builders.ts"
import { catalogOf, memoryOf } from "../support/fakes.ts"
import { assertRounded } from "../support/digits.ts"
import { engine, learn, recommend } from "./pipelines.ts"

/*
 * Laws of the whole engine over histories that no test author thought of: the memory's answer is generated,
 * so every number that the port allows reaches every stage.
 */

const models = 6
// Equal capabilities and equal prices on purpose: ties must come up.
const catalog = snapshot(Array.from({ length: models }, (_, i) => ({
  ...measuredCard(`m${i}`, [0.5, 0.6, 0.6, 0.75, 0.75, 0.9][i] ?? 0.5, [0.1, 0.2, 0.2, 1, 0.5, 5][i] ?? 1),
  provider: `p${i % 3}`,
  supportsPromptCaching: i % 2 === 0,
  cacheReadCostPerMtok: i === 0 ? 0 : 0.05,
  contextWindow: (i + 1) * 1_000
})))

const Model = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: models - 1 }))
const Past = Schema.Struct({
  model: Model,
  isSameCluster: Schema.Boolean,
  similarity: Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 })),
  reliability: Probability,
  quality: Probability,
  ageDays: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
  isStale: Schema.Boolean,
  provenanceWeight: Probability,
  propensity: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 1e-6, maximum: 1 }))),
  outputTokens: Schema.NullOr(Tokens),
  costUsd: Schema.NullOr(UsdSent),
  latencyMs: Schema.NullOr(Millis)
})
const Count = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e5 }))
const Level = Schema.Struct({ weight: Count, share: Probability })
const History = Schema.Struct({
  /** Unless scattered, every outcome happened three times to every model, so that the cost tiers open. */
  shape: Schema.Literals(["scattered", "billed", "counted"]),
  past: Schema.Array(Past).check(Schema.isMaxLength(40)),
  tallies: Schema.Array(
    Schema.Struct({ model: Model, lane: Level, taskType: Level, cluster: Level, tags: Level })
  ).check(Schema.isMaxLength(models))
})
type History = typeof History.Type

const tallyOf = ({ share, weight }: typeof Level.Type) => ({ weight, success: weight * share })

const neighboursOf = ({ past, shape }: History): ReadonlyArray<Neighbour> =>
  past.flatMap(({ isSameCluster, model, ...rest }, i) =>
    Array.from({ length: shape === "scattered" ? 1 : 3 * models }, (_, step) =>
      neighbour(`m${(model + step) % models}`, {
        ...rest,
        entryId: `e${i}-${step}`,
        cluster: isSameCluster ? "code:medium" : "qa:easy",
        costUsd: shape === "billed" ? (rest.costUsd ?? 0) / (step + 1) : rest.costUsd,
        outputTokens: shape === "billed" ? null : rest.outputTokens
      })))

const recalledOf = (history: History) =>
  recalled(
    neighboursOf(history),
    history.tallies.map(({ cluster, lane, model, tags, taskType }): readonly [string, Tallies] => {
      const levels = {
        lane: tallyOf(lane), taskType: tallyOf(taskType), cluster: tallyOf(cluster), tags: tallyOf(tags)
      }
      return [`m${model}`, levels]
    })
  )

type Ports = NonNullable<Parameters<typeof engine>[0]>
const over = (history: History, ports: Ports = {}) =>
  engine({
    catalog: catalogOf(catalog),
    memory: memoryOf({ recall: () => Effect.succeed(recalledOf(history)) }),
    ...ports
  })

const idsOf = ({ ranked }: RecommendResponse) => ranked.map((each) => each.modelId)

const assertUnbeaten = ({ ranked, recommendedModel: pick, thresholdUsed }: RecommendResponse) => {
  for (const other of ranked) {
    const isBeyondTie = other.estCostUsd < pick.estCostUsd - costTieUsd
    assert.isFalse(other.predictedSuccess >= thresholdUsed && isBeyondTie, `${other.modelId} clears for less`)
    assert.isFalse(
      other.predictedSuccess >= pick.predictedSuccess && other.estCostUsd < pick.estCostUsd,
      `${other.modelId} beats ${pick.modelId}`
    )
  }
}

const few = { arbitrary: { runs: 60 } }

it.effect.prop("no pick is dominated, whatever the history", {
  history: History, slider: Slider
}, ({ history, slider }) =>
  Effect.gen(function*() {
    assertUnbeaten(yield* recommend({ costQualityTradeoff: slider }))
    assertUnbeaten(yield* recommend({ costQualityTradeoff: slider, incumbentModelId: "m0" }))
  }).pipe(Effect.provide(over(history))), few)

it.effect.prop("every answer is finite, in range and valid on the wire, whatever the history", {
  history: History, slider: Slider, input: Schema.NullOr(Tokens), output: Schema.NullOr(Tokens),
  requirePromptCaching: Schema.Boolean
}, ({ history, input, output, requirePromptCaching, slider }) =>
  Effect.gen(function*() {
    const answer = yield* recommend({
      task: task({ expectedInputTokens: input, expectedOutputTokens: output }),
      costQualityTradeoff: slider,
      constraints: { requirePromptCaching }
    })
    assert.deepStrictEqual(
      Schema.decodeSync(RecommendResponse)(Schema.encodeSync(RecommendResponse)(answer)), answer
    )
    for (const each of answer.ranked) {
      assert.isAtLeast(each.successIntervalWidth!, 0)
      assert.isAtMost(each.successIntervalWidth!, 1)
      assert.isAtLeast(each.score!, -1)
      assert.isAtMost(each.score!, 1)
      assert.isAtMost(each.evidence!.length, 5)
      assert.isAtMost(each.estCostLow ?? 0, each.estCostUsd)
      assert.isAtLeast(each.estCostHigh ?? each.estCostUsd, each.estCostUsd)
      for (const number of Object.values(each.estCostBreakdown!)) assert.isAtLeast(number, 0)
      assert.notMatch(each.rationale, /NaN|Infinity|undefined/)
    }
  }).pipe(Effect.provide(over(history))), few)

/** The sum of amounts in decimals, as a caller would add them up. */
const addedUp = (amounts: ReadonlyArray<number>) =>
  Number(amounts.reduce((sum, amount) => sum + amount, 0).toFixed(12))

it.effect.prop("every answer has few digits, whose sums and thresholds hold as they are printed", {
  history: History, slider: Slider, floor: Schema.NullOr(Probability), steps: Slider
}, ({ floor, history, slider, steps }) =>
  Effect.gen(function*() {
    const constraints = { minQuality: floor }
    const answer = yield* recommend({ costQualityTradeoff: slider, constraints })
    assertRounded(Schema.encodeSync(RecommendResponse)(answer))
    const { ranked, recommendedModel: pick, thresholdUsed } = answer
    assert.isAtLeast(thresholdUsed, floor ?? 0)
    const clears = ranked.filter((each) => each.predictedSuccess >= thresholdUsed)
    assert.strictEqual(answer.warnings.includes("no_model_meets_threshold"), clears.length === 0)
    if (clears.length > 0) assert.include(clears.map((each) => each.modelId), pick.modelId)
    for (const { estCostBreakdown, estCostUsd } of ranked) {
      const { learned_ratio: _ratio, obs_output_tokens: _tokens, ...parts } = estCostBreakdown!
      // From a thousand dollars on an amount has nine decimals.
      assert.closeTo(addedUp(Object.values(parts)), estCostUsd, estCostUsd * 1e-12)
      if (estCostUsd < 1_000) assert.strictEqual(addedUp(Object.values(parts)), estCostUsd)
    }
    const workflow = yield* Effect.flatMap(Recommender, (recommender) =>
      recommender.recommendWorkflow(accountOf("acme"), WorkflowRequest.make({
        steps: Array.from({ length: 1 + Math.floor(steps) }, (_, i) => ({
          stepId: `s${i}`, task: task({ expectedOutputTokens: 7 * i + 1 })
        })),
        costQualityTradeoff: slider
      })))
    assertRounded(Schema.encodeSync(WorkflowResponse)(workflow))
    const picks = workflow.steps.map(({ recommendation }) => recommendation.recommendedModel.estCostUsd)
    assert.closeTo(addedUp(picks), workflow.totalEstCostUsd, workflow.totalEstCostUsd * 1e-12)
    if (workflow.totalEstCostUsd < 1_000) assert.strictEqual(addedUp(picks), workflow.totalEstCostUsd)
    const dearest = workflow.steps.map(({ recommendation }) =>
      Math.max(...recommendation.ranked.map((each) => each.estCostUsd)))
    assert.closeTo(
      addedUp(dearest), workflow.totalEstCostIfAllPremium, workflow.totalEstCostIfAllPremium * 1e-12
    )
  }).pipe(Effect.provide(over(history))), few)

it.effect.prop("raising the slider or the quality floor lowers neither tau nor the pick's chance", {
  history: History, low: Slider, high: Slider, floor: Probability, other: Probability
}, ({ floor, high, history, low, other }) =>
  Effect.gen(function*() {
    const [from, to] = [Math.min(low, high), Math.max(low, high)]
    const [lax, strict] = [Math.min(floor, other), Math.max(floor, other)]
    const answers = yield* Effect.all([
      recommend({ costQualityTradeoff: from, constraints: { minQuality: lax } }),
      recommend({ costQualityTradeoff: to, constraints: { minQuality: lax } }),
      recommend({ costQualityTradeoff: to, constraints: { minQuality: strict } })
    ])
    for (const [before, after] of [[answers[0], answers[1]], [answers[1], answers[2]]] as const) {
      assert.isAtLeast(after.thresholdUsed, before.thresholdUsed)
      assert.isAtLeast(after.recommendedModel.predictedSuccess, before.recommendedModel.predictedSuccess)
    }
  }).pipe(Effect.provide(over(history))), few)

describe("constraints", () => {
  const Tight = Schema.Union([
    Schema.Struct({ excludedModels: Schema.Tuple([Model]) }),
    Schema.Struct({ candidateModels: Schema.Array(Model).check(Schema.isMinLength(1)) }),
    Schema.Struct({ provider: Model }),
    Schema.Struct({ maxCostPerCall: UsdSent }),
    Schema.Struct({ maxLatencyMs: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1e12 })) }),
    Schema.Struct({
      requireContextWindow: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6_000 }))
    }),
    Schema.Struct({ requirePromptCaching: Schema.Literal(true) })
  ])
  const constraintsOf = (tight: typeof Tight.Type) =>
    "excludedModels" in tight ? { excludedModels: tight.excludedModels.map((i) => `m${i}`) }
    : "candidateModels" in tight ? { candidateModels: tight.candidateModels.map((i) => `m${i}`) }
    : "provider" in tight ? { allowedProviders: [`p${tight.provider % 3}`] }
    : tight

  // Past the cap an exclusion frees a place; here all candidates fit.
  it.effect.prop("tightening one adds no candidate to a list that fits the cap, and none that hold is broken", {
    history: History, tight: Tight
  }, ({ history, tight }) =>
    Effect.gen(function*() {
      const constraints = constraintsOf(tight)
      // Every model has room for a task without tokens, so that constraints alone decide.
      const small = { task: task({ expectedInputTokens: 0, expectedOutputTokens: 0 }) }
      const before = yield* recommend(small)
      const after = yield* recommend({ ...small, constraints })
      assert.includeMembers(idsOf(before), idsOf(after))
      const isRelaxed = after.warnings.some((warning) => warning.startsWith("no_model_within_"))
      if (isRelaxed) return assert.sameMembers(idsOf(after), idsOf(before))
      for (const each of after.ranked) {
        if ("maxCostPerCall" in tight) assert.isAtMost(each.estCostUsd, tight.maxCostPerCall)
        if ("maxLatencyMs" in tight) assert.isAtMost(each.estLatencyMs ?? 0, tight.maxLatencyMs)
        if ("requireContextWindow" in tight) assert.isAtLeast(each.contextWindow!, tight.requireContextWindow)
      }
    }).pipe(Effect.provide(over(history))), few)
})

it.effect.prop("the catalog's order changes nothing", {
  history: History, slider: Slider, turn: Model
}, ({ history, slider, turn }) =>
  Effect.gen(function*() {
    const turned = [...catalog.models.slice(turn), ...catalog.models.slice(0, turn)].reverse()
    const of = (models: typeof catalog.models) =>
      recommend({ costQualityTradeoff: slider }).pipe(
        Effect.provide(over(history, { catalog: catalogOf(snapshot(models)) })),
        Effect.map((answer) => ({
          ids: [answer.recommendedModel.modelId, answer.fallbackModel?.modelId, ...idsOf(answer)],
          warnings: answer.warnings
        }))
      )
    assert.deepStrictEqual(yield* of(turned), yield* of(catalog.models))
  }), few)

const Lesson = Schema.Struct({
  model: Model,
  outcome: Schema.Literals(["success", "partial", "failure"]),
  text: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  outputTokens: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))),
  actualCostUsd: Schema.NullOr(Schema.Literals([0, 0.001, 0.02, 1]))
})

it.effect.prop("no pick is dominated after any history that was really taught", {
  lessons: Schema.Array(Lesson).check(Schema.isMaxLength(30)), slider: Slider
}, ({ lessons, slider }) =>
  Effect.gen(function*() {
    const texts = ["Sum a list", "Sum a list of numbers in Rust", "Parse this log", "Write a haiku parser"]
    const ask = (text: number) =>
      recommend({ task: task({ task: texts[text] ?? "" }), costQualityTradeoff: slider })
    for (const { model, text, ...said } of lessons) {
      const answer = yield* ask(text)
      assertUnbeaten(answer)
      yield* learn(answer, { ...said, chosenModelId: `m${model}` })
    }
    for (const text of texts.keys()) assertUnbeaten(yield* ask(text))
  }).pipe(Effect.provide(engine({ catalog: catalogOf(catalog) }))), { arbitrary: { runs: 20 } })

it.effect.prop("re-asking at the tau that the rationale names gives the model that it names", {
  history: History, slider: Slider
}, ({ history, slider }) =>
  Effect.gen(function*() {
    const { recommendedModel: { rationale } } = yield* recommend({ costQualityTradeoff: slider })
    const [, modelId, tau] = /Sextant picks (\S+) if tau is at (?:most|least) (\S+)\.$/.exec(rationale!) ?? []
    if (tau === undefined) return
    // Slider 0 is the least tau, which a quality floor then raises.
    const again = yield* recommend({ costQualityTradeoff: 0, constraints: { minQuality: Number(tau) } })
    assert.strictEqual(again.thresholdUsed, Math.max(Number(tau), defaults.thresholdMin))
    assert.strictEqual(again.recommendedModel.modelId, modelId)
  }).pipe(Effect.provide(over(history))), few)
