import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { HttpServer } from "effect/http"
import { AccountModelsStore, noModels } from "../../src/accounts/AccountModels.ts"
import { AccountSettings } from "../../src/accounts/AccountSettings.ts"
import { EscalationReason } from "../../src/domain/Escalation.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { factsOver } from "../../src/domain/model/Facts.ts"
import { dayMs, dayOf } from "../../src/domain/Time.ts"
import type { FeedbackWarning, RecommendWarning } from "../../src/domain/Warning.ts"
import { embedderSettings } from "../../src/embedder/EmbedderSettings.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import * as EmbedderHttp from "../../src/embedder/remote/EmbedderHttp.ts"
import { GuaranteeEvidences } from "../../src/ledger/GuaranteeEvidence.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import { Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { ModelsHealth } from "../../src/ledger/ModelsHealth.ts"
import * as MemorySql from "../../src/memory/sql/MemorySql.ts"
import type { Neighbour } from "../../src/memory/Neighbour.ts"
import { ReasonerFailed } from "../../src/reasoner/Reasoner.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { fakeEmbeddings, say } from "../embedder/embeddings.ts"
import { catalog, localMemory, unclear } from "../engine/pipelines.ts"
import { decision, neighbours, recalled, snapshot, unknownFacts } from "../support/builders.ts"
import { embedded } from "../support/Databases.ts"
import { budgetOf } from "../support/budgets.ts"
import { catalogOf, memoryOf, memoryOver, memoryWithout, reasonerOf, withWrites } from "../support/fakes.ts"
import { account, feedback, type Ports, recommend, engineService, teach } from "./EngineService.ts"
import type { Answer } from "./FakeService.ts"

/*
 * Every warning that the service can utter, made to happen over real HTTP, the specification's table of degradations
 * among them. A warning that is added to
 * `domain/Warning.ts` and to no scenario here does not compile; one that a scenario no longer gets fails.
 */

/** A warning, its number or path aside: `candidates_capped:<n>`. */
type Kind<W extends string> = W extends `${infer Name}:${number}`
  ? `${Name}:<n>`
  : W extends `unknown_field:${string}` ? "unknown_field:<path>"
  : W extends `capability_unknown:${string}` ? "capability_unknown:<id>"
  : W extends `price_unknown:${string}` ? "price_unknown:<id>"
  : W extends `model_retired:${string}` ? "model_retired:<id>"
  : W extends `model_retiring:${string}` ? "model_retiring:<id>:<day>"
  : W extends `model_unhealthy:${string}` ? "model_unhealthy:<id>" : W

const kindOf = (warning: string): string =>
  warning.replace(/:\d+$/, ":<n>").replace(/^(unknown_field):.*$/, "$1:<path>")
    .replace(/^(capability_unknown|model_retired|model_unhealthy|price_unknown):.*$/, "$1:<id>")
    .replace(/^(model_retiring):.*$/, "$1:<id>:<day>")

interface Scenario {
  readonly ports?: Ports
  readonly run: Effect.Effect<Answer, never, HttpServer.HttpServer>
  /** All warnings of the last answer, in its order. */
  readonly warnings: ReadonlyArray<string>
  /** Whether the last answer decides what that of a cold lane does. */
  readonly isAsCold?: true
}

const without = (kind: "teach" | "reinforce" | "recordSteps" | "promote"): Ports => ({
  memory: memoryWithout(localMemory(), kind)
})

/** What a lane holds, whatever is asked. */
const recalling = (found: ReadonlyArray<Neighbour>): Ports => ({
  memory: memoryOf({ recall: () => Effect.succeed(recalled(found)) })
})

/** Enough of every model that nothing is thin, and of the cheap one what a scenario wants. */
const known = (
  cheap: Partial<Neighbour> | ((index: number) => Partial<Neighbour>),
  rest: Partial<Neighbour> = {}
): Ports =>
  recalling([
    ...neighbours(12, "cheap", typeof cheap === "function" ? cheap : () => cheap),
    ...neighbours(12, "middle", () => rest),
    ...neighbours(12, "dear", () => rest)
  ])

const asking = recommend({ allow_llm_escalation: true })
const steps = (count: number) => Array.from({ length: count }, (_, i) => ({ step_id: `s${i}`, outcome: "success" }))
const ranking = (predictedSuccess: number) => reasonerOf({
  rank: (_account, _task, candidates) =>
    Effect.succeed(candidates.map(({ modelId }) => ({ modelId, predictedSuccess, rationale: "" })))
})

const unseen = (i: number) => ({
  task: { task: `${["Sort", "Parse", "Render", "Encrypt", "Upload", "Delete", "Merge"][i]} it`, task_type: "code", difficulty: "medium" }
})

/** Of a lane without outcomes, where each of the three candidates may be the right one. */
const coldDoubts: ReadonlyArray<EscalationReason> = ["thin_evidence", "low_confidence", "tie", "wide_interval"]

const accountModelsOut = Layer.succeed(AccountModelsStore, {
  read: () => Effect.fail(LedgerUnavailable.timedOut(1)),
  write: () => Effect.fail(LedgerUnavailable.timedOut(1))
})

const settingsOut = Layer.succeed(AccountSettings, {
  read: () => Effect.fail(LedgerUnavailable.timedOut(1)),
  write: () => Effect.fail(LedgerUnavailable.timedOut(1))
})

const lanesOut = Layer.succeed(LaneCalibrations, { read: () => Effect.never, remember: () => Effect.void })

const guaranteesOut = Layer.succeed(GuaranteeEvidences, {
  read: () => Effect.fail(LedgerUnavailable.timedOut(1)),
  list: () => Effect.fail(LedgerUnavailable.timedOut(1))
})

const today = dayOf(Date.now())

/** The catalog with the last day of one model. */
const retiring = (modelId: string, retiresOn: string) =>
  catalogOf(snapshot(catalog.models.map((card) =>
    card.modelId === modelId ? { ...card, ...factsOver(undefined, { ...unknownFacts, retiresOn }, "docs") } : card)))

/** An id that no recommendation has. */
const noRecommendation = "01920000-0000-7000-8000-000000000000"

/** A ledger that takes decisions and finds none. */
const blindLedger = Layer.effect(Ledger, Effect.map(Ledger, (ledger) =>
  Ledger.of({ ...ledger, find: () => Effect.fail(LedgerUnavailable.timedOut(1)) })
)).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))

const ofRecommend: { readonly [K in Kind<RecommendWarning>]: Scenario } = {
  account_models_unavailable: {
    ports: { accountModels: accountModelsOut },
    run: recommend(),
    warnings: ["account_models_unavailable", "cold_start"]
  },
  account_settings_unavailable: {
    ports: { budget: settingsOut },
    run: recommend(),
    warnings: ["account_settings_unavailable", "cold_start"]
  },
  budget_unavailable: {
    ports: {
      budget: budgetOf({ usd: 0, period: "day", isHard: true }, Effect.fail(LedgerUnavailable.timedOut(1)))
    },
    run: recommend(),
    warnings: ["budget_unavailable", "cold_start"]
  },
  lane_numbers_unavailable: {
    ports: { ...known({}), lanes: lanesOut, settings: { recallBudgetMs: 50 } },
    run: recommend(),
    warnings: ["lane_numbers_unavailable"]
  },
  budget_paced: {
    ports: { budget: budgetOf({ usd: 0, period: "day", isHard: false }) },
    run: recommend({ cost_quality_tradeoff: 10 }),
    warnings: ["budget_paced", "cold_start"]
  },
  "model_unhealthy:<id>": {
    ports: { ...known({}), health: Layer.succeed(ModelsHealth, {
      read: () => Effect.succeed({ known: [{
        provider: "acme-ai", modelId: "cheap", isHealthy: false, hasFailed: true, calls: 10, failures: 10, rateLimits: 0,
        failedAtMs: 0, probeAtMs: Infinity, triedUntilMs: 0
      }] }),
      tryOut: () => Effect.succeed(false)
    }) },
    run: recommend(),
    warnings: ["model_unhealthy:cheap"]
  },
  guarantee_unavailable: {
    ports: { ...known({}), guarantees: guaranteesOut },
    run: recommend({ guarantee: { baseline_model_id: "dear", trial_share: 0.1 } }),
    warnings: ["guarantee_unavailable"]
  },
  guarantee_baseline_unavailable: {
    ports: known({}),
    run: recommend({ guarantee: { baseline_model_id: "dear" }, constraints: { candidate_models: ["cheap", "middle"] } }),
    warnings: ["guarantee_baseline_unavailable"]
  },
  guarantee_needs_trials: {
    ports: known({}),
    run: recommend({ guarantee: { baseline_model_id: "dear", trial_share: 0 } }),
    warnings: ["guarantee_needs_trials"]
  },
  cold_start: { run: recommend(), warnings: ["cold_start"] },
  recall_timeout: {
    ports: { memory: memoryOver(localMemory(), () => ({ recall: () => Effect.never })), settings: { recallBudgetMs: 50 } },
    // Whatever the lane contains.
    run: Effect.andThen(teach(3), recommend()),
    warnings: ["recall_timeout"],
    isAsCold: true
  },
  memory_unavailable: {
    ports: { memory: memoryOf() },
    run: recommend(),
    warnings: ["memory_unavailable"],
    isAsCold: true
  },
  prices_stale: {
    ports: { catalog: catalogOf(snapshot(catalog.models, { stale: true })) },
    run: recommend(),
    warnings: ["prices_stale", "cold_start"],
    isAsCold: true
  },
  no_model_meets_threshold: {
    run: recommend({ constraints: { min_quality: 1 } }),
    warnings: ["no_model_meets_threshold", "cold_start"]
  },
  no_model_worth_its_cost: {
    run: recommend({ success_value_usd: 0 }),
    warnings: ["no_model_worth_its_cost", "cold_start"]
  },
  no_model_within_capacity: {
    run: recommend({ task: { task: "Translate the contract.", expected_input_tokens: 3_000_000 } }),
    warnings: ["no_model_within_capacity", "cold_start"]
  },
  no_model_within_cost_budget: {
    run: recommend({ constraints: { max_cost_per_call: 0 } }),
    warnings: ["no_model_within_cost_budget", "cold_start"]
  },
  no_model_within_latency_budget: {
    run: Effect.andThen(teach(1, { latency_ms: 900 }), recommend({ constraints: { max_latency_ms: 1 } })),
    warnings: ["no_model_within_latency_budget"]
  },
  no_latency_history: {
    run: recommend({ optimize_for: "latency" }),
    warnings: ["no_latency_history", "cold_start"]
  },
  "memory_drift:repeated": {
    run: Effect.andThen(Effect.forEach([1, 2, 3, 4], () => recommend()), recommend()),
    warnings: ["cold_start", "memory_drift:repeated"]
  },
  "memory_drift:stagnant": {
    ports: known({}),
    run: Effect.flatMap(
      Effect.forEach([0, 1, 2, 3, 4], (i) => recommend(unseen(i))),
      () => recommend(unseen(5))
    ),
    warnings: ["memory_drift:stagnant"]
  },
  exploration_pick: {
    ports: { ...known({}), settings: { selectionPolicy: "epsilon_softmax", explorationShare: 1, explorationTemperature: 10 } },
    // Two of three picks differ from the deterministic one. A task that is asked again would be a repeated one.
    run: Effect.suspend(() => {
      let asked = 0
      return Effect.suspend(() => recommend(unseen(asked++))).pipe(Effect.repeat({
        until: ({ text }) => text.includes("exploration_pick"),
        times: 6
      }))
    }),
    warnings: ["exploration_pick"]
  },
  reasoner_consulted: {
    ports: { reasoner: ranking(1) },
    run: asking,
    warnings: ["cold_start", "reasoner_consulted"]
  },
  reasoner_failed: {
    ports: { reasoner: reasonerOf({ rank: () => Effect.fail(new ReasonerFailed({ reason: new Reason.Unreachable({ cause: "not JSON" }) })) }) },
    run: asking,
    warnings: ["reasoner_failed", "cold_start"],
    isAsCold: true
  },
  reasoner_disabled: { run: asking, warnings: ["cold_start", "reasoner_disabled"], isAsCold: true },
  llm_classified: {
    ports: {
      ...known({}, { quality: 0 }),
      reasoner: reasonerOf({ classify: () => Effect.succeed({ taskType: "translation", difficulty: "easy" }) })
    },
    run: recommend({ task: { task: unclear }, allow_llm_escalation: true }),
    warnings: ["llm_classified"]
  },
  embedder_failed: {
    ports: {
      // Its ledger is in this process, so the memory is elsewhere.
      memory: memoryOver(MemorySql.layer({ endpoint: "embedded" }), (real) => withWrites(real, (_, writing) => writing)).pipe(
        Layer.provide([
          EmbedderLexical.layer,
          Layer.unwrap(Effect.map(fakeEmbeddings, ({ options, state }) => {
            state.trouble = (response) => say(response, { error: "out for this test" }, 500)
            return Layer.fresh(EmbedderHttp.layer(options, embedderSettings))
          })),
          Layer.fresh(embedded)
        ])
      )
    },
    run: Effect.andThen(teach(3), recommend()),
    warnings: ["embedder_failed"]
  },
  "candidates_capped:<n>": {
    run: recommend({ constraints: { candidate_models: ["cheap", "middle", "dear"] }, max_candidates: 2 }),
    warnings: ["candidates_capped:1", "cold_start"]
  },
  "models_changed:<n>": {
    ports: {
      ...known({ ageDays: 2, currentShare: 0.2 }),
      accountModels: Layer.succeed(AccountModelsStore, {
        read: () => Effect.succeed({ ...noModels, restarts: new Map([["cheap", Date.now() - dayMs]]) }),
        write: () => Effect.succeed(noModels)
      })
    },
    run: recommend(),
    warnings: ["models_changed:1"]
  },
  "model_retired:<id>": {
    ports: { catalog: retiring("dear", "2000-01-01") },
    run: recommend({ baseline_model_id: "dear" }),
    warnings: ["model_retired:dear", "cold_start"]
  },
  "model_retiring:<id>:<day>": {
    ports: { catalog: retiring("dear", today) },
    run: recommend({ baseline_model_id: "dear" }),
    warnings: [`model_retiring:dear:${today}`, "cold_start"]
  },
  "capability_unknown:<id>": {
    run: recommend({ constraints: { candidate_models: ["cheap"] }, inferred_requirements: { tools: true } }),
    warnings: ["no_model_meets_threshold", "cold_start", "capability_unknown:cheap"]
  },
  "price_unknown:<id>": {
    run: recommend({ constraints: { candidate_models: ["cheap:online", "middle"], max_cost_per_call: 100 } }),
    warnings: ["price_unknown:cheap", "cold_start"]
  },
  attempts_unavailable: {
    ports: { ledger: blindLedger },
    run: recommend({ attempts: [{ recommendation_id: noRecommendation, model_id: "cheap", outcome: "failure" }] }),
    warnings: ["attempts_unavailable", "cold_start"]
  },
  "unknown_attempts:<n>": {
    run: recommend({ attempts: [{ recommendation_id: noRecommendation }, { recommendation_id: "none" }] }),
    warnings: ["unknown_attempts:2", "cold_start"]
  },
  verification_without_retry: {
    run: Effect.andThen(
      teach(10, { outcome: "failure" }, { verification: { kind: "judge" } }), recommend({ verification: { kind: "judge" } })
    ),
    warnings: ["no_model_meets_threshold", "verification_without_retry"]
  },
  gate_seldom_fails: {
    run: Effect.andThen(teach(100, {}, { verification: { kind: "gate" } }), recommend({ verification: { kind: "gate" } })),
    warnings: ["gate_seldom_fails"]
  },
  "unknown_models:<n>": {
    run: recommend({
      constraints: { candidate_models: ["cheap", "cheep", "dear", "cheep"], excluded_models: ["nobody"] },
      baseline_model_id: "anthropic/cheap"
    }),
    warnings: ["unknown_models:3", "cold_start"]
  },
  "unknown_field:<path>": {
    run: recommend({ colour: "red" }),
    warnings: ["unknown_field:colour", "cold_start"]
  }
}

/** A decision that was made eight days ago. */
const oldId = RecommendationId.make(Date.now() - 8 * dayMs)
const withOldDecision = Layer.effect(Ledger, Effect.tap(Ledger, (ledger) => ledger.record([
  decision({ recommendationId: oldId, accountId: account, createdAt: new Date(Date.now() - 8 * dayMs) })
]))).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)), Layer.orDie)

const ofFeedback: { readonly [K in Kind<FeedbackWarning>]: Scenario } = {
  unknown_recommendation: { run: feedback("nonsense"), warnings: ["unknown_recommendation"] },
  memory_write_failed: { ports: without("teach"), run: teach(1), warnings: ["memory_write_failed"] },
  reinforcement_failed: { ports: without("reinforce"), run: teach(2), warnings: ["reinforcement_failed"] },
  lesson_promotion_failed: { ports: without("promote"), run: teach(1), warnings: ["lesson_promotion_failed"] },
  quality_outcome_mismatch: {
    run: teach(1, { outcome: "failure", quality_score: 0.9 }),
    warnings: ["quality_outcome_mismatch"]
  },
  late_feedback_no_attribution: {
    ports: { ledger: withOldDecision },
    run: feedback(oldId),
    warnings: ["late_feedback_no_attribution"]
  },
  step_outcomes_partial: {
    ports: without("recordSteps"),
    run: teach(1, { step_outcomes: steps(2) }),
    warnings: ["step_outcomes_partial"]
  },
  idempotency_key_reused: {
    run: Effect.flatMap(recommend(), ({ body }) =>
      Effect.andThen(
        feedback(body["recommendation_id"]),
        feedback(body["recommendation_id"], { outcome: "failure" })
      )),
    warnings: ["idempotency_key_reused"]
  },
  outcome_replaced: {
    run: Effect.flatMap(recommend(), ({ body }) =>
      Effect.andThen(
        feedback(body["recommendation_id"], { evidence_source: "judge" }),
        feedback(body["recommendation_id"], { idempotency_key: "other", outcome: "failure" })
      )),
    warnings: ["outcome_replaced"]
  },
  outcome_outranked: {
    run: Effect.flatMap(recommend(), ({ body }) =>
      Effect.andThen(
        feedback(body["recommendation_id"], { evidence_source: "gate" }),
        feedback(body["recommendation_id"], { idempotency_key: "other", evidence_source: "judge" })
      )),
    warnings: ["outcome_outranked"]
  },
  chosen_models_capped: {
    ports: { settings: { modelsPerDecisionMax: 1 } },
    run: Effect.flatMap(recommend(), ({ body }) =>
      Effect.andThen(
        feedback(body["recommendation_id"]),
        feedback(body["recommendation_id"], { chosen_model_id: "another" })
      )),
    warnings: ["chosen_models_capped", "unknown_models:1"]
  },
  unknown_effort: {
    ports: { catalog: catalogOf(snapshot(catalog.models.map((card) => ({
      ...card, effortLevels: [{ effort: "low", verbosity: 1 }]
    })))) },
    run: Effect.flatMap(recommend({ constraints: { candidate_models: ["cheap#low"] } }), ({ body }) =>
      feedback(body["recommendation_id"], { chosen_effort: "lowest" })),
    warnings: ["unknown_effort"]
  },
  other_task: {
    run: Effect.flatMap(recommend({ task_id: "T-1" }), ({ body }) =>
      Effect.andThen(
        feedback(body["recommendation_id"], { task_id: "T-1" }),
        feedback(body["recommendation_id"], { task_id: "T-2", idempotency_key: "other", evidence_source: "gate" })
      )),
    warnings: ["other_task", "outcome_replaced"]
  },
  cost_outlier: { run: teach(1, { actual_cost_usd: 1_000 }), warnings: ["cost_outlier"] },
  "tokens_added:cached_input_tokens": {
    run: teach(1, { input_tokens: 12, cached_input_tokens: 20_000 }),
    warnings: ["tokens_added:cached_input_tokens"]
  },
  "tokens_added:reasoning_tokens": {
    run: teach(1, { output_tokens: 100, reasoning_tokens: 900 }),
    warnings: ["tokens_added:reasoning_tokens"]
  },
  "price_assumed:cache_write": {
    run: teach(1, { input_tokens: 100, cache_write_input_tokens: 50, output_tokens: 100 }),
    warnings: ["price_assumed:cache_write"]
  },
  "price_assumed:service_tier": {
    run: teach(1, { input_tokens: 100, output_tokens: 100, service_tier: "priority" }),
    warnings: ["price_assumed:service_tier"]
  },
  "price_assumed:web_search": {
    run: teach(1, { input_tokens: 100, output_tokens: 100, web_searches: 1 }),
    warnings: ["price_assumed:web_search"]
  },
  "step_outcomes_capped:<n>": {
    run: teach(1, { step_outcomes: steps(35) }),
    warnings: ["step_outcomes_capped:3"]
  },
  "unknown_models:<n>": { run: teach(1, { chosen_model_id: "cheep" }), warnings: ["unknown_models:1"] },
  "unknown_field:<path>": { run: teach(1, { cost_usd: 0 }), warnings: ["unknown_field:cost_usd"] }
}

/** What an answer decided, without its id and time, and without what it says of the answer. */
const decided = ({ body }: Answer) => {
  const {
    catalog_stale: _stale, escalation_reasons: _reasons, latency_ms: _latency, recommendation_id: _id, warnings: _warnings,
    ...rest
  } = body
  return rest
}

/** By priors alone, with benchmarks for its evidence. */
const isCold = ({ body }: Answer): void => {
  assert.strictEqual(body["decision_basis"], "prior")
  const ranked = body["ranked"]
  assert.isTrue(Array.isArray(ranked) && ranked.length === 3
    && ranked.every(({ decision_basis: basis, evidence }) =>
      basis === "prior" && evidence.every(({ entry_id: id }: { entry_id: string }) => id.startsWith("seed:"))))
}

const outcomeOf = ({ ports = {}, run }: Pick<Scenario, "ports" | "run">) => run.pipe(Effect.provide(engineService(ports)), Effect.orDie)

/** What is known, and the reasons to escalate that it gives, each at least once. */
const ofEscalation: ReadonlyArray<readonly [EscalationReason, Ports, reasons: ReadonlyArray<EscalationReason>]> = [
  ["thin_evidence", recalling(neighbours(8, "cheap")), ["thin_evidence"]],
  ["low_confidence", {}, coldDoubts],
  ["tie", known({ quality: 0.9 }, { quality: 0.8 }), ["tie"]],
  ["conflict", known((i) => ({ quality: i % 2 }), { quality: 0 }), ["conflict", "wide_interval"]],
  ["wide_interval", recalling([
    ...neighbours(10, "cheap", () => ({ quality: 0.33 })),
    ...neighbours(10, "middle", () => ({ quality: 0 })),
    ...neighbours(10, "dear", () => ({ quality: 0 }))
  ]), ["wide_interval"]],
  ["low_recall_confidence", known({ similarity: 0.15 }, { similarity: 0.15 }), [...coldDoubts, "low_recall_confidence"]]
]

describe("over HTTP, a doubtful recommendation", () => {
  it.live.each(ofEscalation)("names %s among its reasons to escalate, and only then", ([, ports, reasons]) =>
    Effect.gen(function*() {
      const { body } = yield* outcomeOf({ ports, run: asking })
      assert.deepStrictEqual(body["escalation_reasons"], reasons)
      assert.include(body["warnings"], "reasoner_disabled")
      const unasked = yield* outcomeOf({ ports, run: recommend({ allow_llm_escalation: false }) })
      assert.deepStrictEqual(unasked.body["escalation_reasons"], [])
      assert.notInclude(unasked.body["warnings"], "reasoner_disabled")
    }), 120_000)

  it("is tried with every reason", () =>
    assert.sameMembers(ofEscalation.map(([reason]) => reason), [...EscalationReason.literals]))
})

describe.each([["recommendation", ofRecommend], ["feedback", ofFeedback]] as const)("over HTTP, a %s", (_, all) => {
  for (const [kind, scenario] of Object.entries<Scenario>(all)) {
    it.live(`carries ${kind} with the warnings that belong to it, and no other`, () =>
      Effect.gen(function*() {
        const answer = yield* outcomeOf(scenario)
        const { body, status } = answer
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body["warnings"], scenario.warnings)
        assert.include(scenario.warnings.map(kindOf), kind)
        if (scenario.isAsCold !== true) return
        const cold = yield* outcomeOf({ run: recommend() })
        isCold(answer)
        assert.deepStrictEqual(decided(answer), decided(cold))
        assert.deepStrictEqual([body["catalog_stale"], cold.body["catalog_stale"]], [kind === "prices_stale", false])
      }), 120_000)
  }
})
