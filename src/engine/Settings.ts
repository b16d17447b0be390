/** Tunable numbers of the engine, without those of its classifier. */
import { Context, Layer } from "effect"
import type { Provenance } from "../domain/feedback/Feedback.ts"
import type { SelectionPolicy } from "../domain/Recommendation.ts"
import type { StandInPrices } from "../domain/model/Cost.ts"
import { thresholdMax, thresholdMin } from "../domain/SliderThreshold.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"
import type { TaskText } from "../domain/text/TaskText.ts"
import { textLimits } from "../domain/text/TextLimits.ts"
import type { ActorRule } from "../stats/Actors.ts"
import type { ChangeRule } from "../stats/ChangePoint.ts"
import { noSpreadEvidence, type SpreadRule } from "../stats/DifficultySpread.ts"
import type { LaneNumbers, LaneRule } from "../stats/LaneNumbers.ts"
import type { RatioRule } from "../stats/LearnedRatio.ts"
import type { LevelRule } from "../stats/LaneLevel.ts"
import type { HealthRule } from "../stats/ModelHealth.ts"
import type { PacingRule } from "../stats/BudgetPacing.ts"
import type { GateErrors } from "../stats/TaskDifficulty.ts"
import type { KernelScale } from "../stats/WeightFactors.ts"

/** The default numbers. "Specification" is the service's specification, which is not in the repository.
 * "Chosen" numbers are not measured. */
export const defaults = {
  // -- Threshold (specification, cost/quality slider)
  /** Success threshold tau at slider 0 and at slider 10, probability. Specification. */
  thresholdMin, thresholdMax,

  // -- Recall
  /** Time limit of a look-up, such as a recall from memory, ms. SEXTANT_RECALL_TIMEOUT_MS overrides it.
   * Chosen. */
  recallBudgetMs: 250,
  /** Minimum time limit of a look-up for predictions in reports, ms. Chosen. */
  reportBudgetMs: 5_000,
  /** Maximum number of neighbours (similar past outcomes) per candidate. Measured: with only 32 neighbours,
   * Sextant leaves a broken model later. */
  recallPerModel: 64,

  // -- Ledger
  /** Time limit of one write of decisions before their answers leave, ms. Chosen. */
  ledgerBudgetMs: 1_000,
  /** Time limit of a feedback, ms. Chosen. */
  feedbackBudgetMs: 8_000,

  // -- Priors (docs/running/decisions.md, "Predicted success")
  /** Prior success at the reference ability, logit, a little high so that cheap good models are tried. */
  priorLevelLogit: 1.2,
  /** Reference ability, logit: mean of the catalog's measured models, by `scripts/training/priors.ts`. */
  priorReferenceLogit: 1.445,
  /** Discount on a prior that is inferred from a model's family, price or date, logit. The discount, 1.645 *
   * sqrt(0.65^2 - 0.35^2), is the 95 % quantile of the error that inferred priors add. */
  imputedDiscountLogit: 0.9,
  /** K0, the number of outcomes that a prior counts as: for a measured prior, and for any other prior. */
  priorStrengthMeasured: 12, priorStrengthImputed: 10,
  /** Standard deviation of models' success around measured priors and other priors, logit. Measured. */
  priorSpreadMeasured: 0.35, priorSpreadImputed: 0.65,
  /** A lane's level says how much easier its tasks are than the priors expect. `spread`: standard deviation
   * of lanes' levels, logit, measured. `pull`: this many outcomes with the expected success are added to
   * each model's own. `outcomesMin`: outcomes that a lane needs to raise the priors of models without
   * outcomes. Chosen. */
  levelRule: { spread: 1.5, pull: 1, outcomesMin: 10 } satisfies LevelRule,
  /** Change of every prior by a known difficulty of the task, logit. Chosen. */
  difficultyShiftLogit: {
    trivial: 2.9, easy: 0.65, medium: 0, hard: -1, expert: -3.4
  } satisfies Record<Difficulty, number>,
  /** Factor by which a difficulty that the classifier is unsure of moves the priors. Measured. */
  readDifficultyShare: 0.25,

  // -- Aggregate
  /** Success in a broader group of tasks counts as `clusterPull` outcomes in the estimate for a task type or
   * a difficulty, and as `tagPull` outcomes in the estimate for tags. Measured. */
  clusterPull: 25, tagPull: 12,
  /** `pull`: very many outcomes of other actors together count as this many own outcomes. `othersHalf`:
   * number of other actors' outcomes that moves a group's usual pull halfway to `pull`. Chosen. */
  actorRule: { pull: 4, othersHalf: 2 } satisfies ActorRule,
  /** kappa: weight of the back-off estimate in the average over similar tasks, outcomes. */
  localPull: 2,
  /** Similarities up to which a neighbour has no weight, and from which it has full weight. Measured. */
  kernelScale: { a: 0.19, b: 0.4 } satisfies KernelScale,
  /** Calibration numbers of a lane that has learned nothing. Measured. */
  laneStart: {
    outcomes: 0, localShare: 0.5, spreadEvidence: noSpreadEvidence
  } satisfies LaneNumbers,
  /** Share by which the weight of similar tasks moves back toward one half at each outcome. Measured. */
  laneRule: { hedgeShare: 0.002 } satisfies LaneRule,
  /** Rule that detects a change of a model's success on similar tasks. Measured: without `changeRule`,
   * Sextant leaves a broken model later. */
  changeRule: { prior: 0.2, splits: [8, 16, 32], olderMin: 6 } satisfies ChangeRule,
  /** Similar outcomes must weigh less than `optimismOutcomesMax` for `optimisticSuccess` to exceed a
   * prediction. The prior or back-off in `optimisticSuccess` counts as `optimismPull` outcomes. */
  optimismOutcomesMax: 2, optimismPull: 1,
  /** Half-life of an outcome's weight in days, minimum of its decay factor, and maximum of that factor for
   * a stale outcome. Chosen. */
  decayHalfLifeDays: 30, decayFloor: 0.1, staleShareMax: 0.5,
  /** Weight of outcomes at which a seed (a benchmark shown as evidence) has half its weight. Chosen. */
  seedCrowdOutcomes: 10,
  /** Half-life of a seed from its benchmarks' date, and age above which a seed is stale, days. Chosen. */
  seedHalfLifeDays: 180, seedStaleDays: 365,
  /** Minimum and maximum of inverse propensities, ratio. Chosen. */
  inversePropensityMin: 0.2, inversePropensityMax: 5,
  /** Sample size at which confidence is 0.5, outcomes. Chosen. */
  confidenceHalfSampleSize: 10,
  /** Maximum number of past outcomes shown as evidence per model. Chosen. */
  evidencePerModel: 5,

  // -- Short list (chosen)
  /** Weight of allowed models' outcomes from which a short list prefers models tried on the task's type. */
  matureLaneOutcomes: 100,
  /** Limits of the caches of pools and of short lists. */
  poolsMax: 256, poolIdsMax: 128, restrictionsMax: 8,

  // -- Cost
  /** Number of outcomes per candidate from which bills or output lengths replace estimates. Specification. */
  costObservationsMin: 3,
  /** Usual tokens of a call of medium difficulty, by task type. Chosen. */
  tokensByTaskType: {
    code: { input: 1500, output: 900 }, summarization: { input: 4000, output: 350 },
    extraction: { input: 1500, output: 300 }, qa: { input: 400, output: 250 },
    reasoning: { input: 600, output: 900 }, classification: { input: 500, output: 60 },
    translation: { input: 800, output: 800 }, creative: { input: 400, output: 1100 },
    rag: { input: 6000, output: 400 }, tool_use: { input: 3000, output: 500 },
    other: { input: 800, output: 500 }
  } satisfies Record<TaskType, { readonly input: number; readonly output: number }>,
  /** Usual tokens of an agent's run of medium difficulty. At list prices, `tokensByRun` costs about as much
   * as the median bills of `code` runs of 25 models in the OpenHands Index (MIT). */
  tokensByRun: { input: 40_000, cachedInput: 1_600_000, output: 10_000 },
  /** Factor of difficulty on a call's output or a run's tokens. Chosen. */
  outputByDifficulty: {
    trivial: 0.5, easy: 0.7, medium: 1, hard: 1.6, expert: 2.5
  } satisfies Record<Difficulty, number>,
  /** Exponent of a variant's verbosity (its output as a ratio), and limits of the result. Chosen. */
  verbosityExponent: 0.7, verbosityMin: 0.3, verbosityMax: 6,
  /** Rule that learns a model's ratio of actual to expected output or bill. `ratioMost`, chosen, limits an
   * outcome's ratio to between 1/30 and 30. `lengthSmoothingTokens` are added to a ratio's actual and
   * expected output. Measured. */
  lengthRule: { pull: 2, levelPull: 0.5, countHalf: 3, ratioMost: Math.log(30) } satisfies RatioRule,
  lengthSmoothingTokens: 5,
  /** Share of the input that a call reads from a warm prompt cache. Chosen. */
  cachedInputShare: 0.7,
  /** Prices that are assumed, with a warning, if no source states them. A cache write costs a multiple of the
   * input's price (Anthropic's list). A service tier costs a multiple of the usual price (`otherTierRatio`
   * is OpenAI's highest). A web search costs OpenAI's highest fee, USD. */
  standInPrices: {
    cacheWritePriceRatio: { usual: 1.25, hour: 2 }, flexRatio: 1, otherTierRatio: 2.5, searchUsd: 0.05
  } satisfies StandInPrices,

  // -- Optimize
  /** Standard deviations by which a conversation's model that misses the threshold may be less likely to
   * succeed than the pick, and still be kept. Measured. */
  incumbentDeviations: 0.25,
  /** A conversation's model may be kept if its cost or latency, less this share, is at most the pick's. */
  incumbentCostShare: 0.1,
  /** Two latencies tie up to this difference, a share of the lowest latency. Success decides ties. Chosen. */
  latencyTieShare: 0.05,
  /** Rule for naming a cheaper candidate that has hardly run. Chosen. `savingMin`: minimum saving, share of
   * the pick's cost. `outcomesMax`: outcomes of the task's type from which a candidate counts as tried.
   * `chanceMin`: minimum probability that the cheaper candidate is good enough to be the pick.
   * `deviationsMax`: standard deviations by which the cheaper candidate's prediction may miss the success
   * that it needs. */
  untriedRule: { savingMin: 0.5, outcomesMax: 10, chanceMin: 0.15, deviationsMax: 3 },
  /** lambda = base + slope * slider: weight of predicted success relative to normalised cost. Chosen. */
  scoreSuccessBase: 0.3, scoreSuccessPerSlider: 0.07,
  /** Distance above the threshold that a fallback's success should have, probability. Chosen. */
  fallbackMargin: 0.05,
  /** Minimum input for advice on a prompt cache, tokens. Chosen. */
  promptCacheInputTokens: 1_024,
  /** Minimum share of a call's cost that a recommended prompt cache saves. Chosen. */
  promptCacheSavedShare: 0.1,

  // -- Attempts (docs/running/decisions.md)
  /** Spread of the hidden difficulty of a lane's tasks before it has learned its own, logit. Measured. */
  difficultySpread: { mean: 2, deviation: 1.5 } satisfies SpreadRule,
  /** Share of repeated runs whose result is independent of the first run's result, in [0, 1]. Chosen. */
  repeatShare: 1 / 3,
  /** Probabilities that a check passes a wrong result, and fails a right result. Chosen. An agent's own check
   * passed 307 of 318 recorded runs (issue 48). */
  checkErrors: {
    gate: { passWrong: 0.02, failRight: 0.02 }, human: { passWrong: 0.05, failRight: 0.05 },
    judge: { passWrong: 0.15, failRight: 0.1 }, assertion: { passWrong: 0.15, failRight: 0.1 },
    self_check: { passWrong: 0.9, failRight: 0.05 },
    none: { passWrong: 0.5, failRight: 0.5 }
  } satisfies Record<Provenance, GateErrors>,
  /** Sextant may warn of missing retries after `failuresMin` failed first attempts without a second attempt.
   * Sextant warns of a gate (an automatic check) if more than the share `gatePassShareMax` of at least
   * `gateVerdictsMin` verdicts passed. Chosen. */
  checkHistoryRule: { failuresMin: 10, gateVerdictsMin: 100, gatePassShareMax: 0.95 },
  /** Maximum number of candidates among which a plan chooses its attempts. Chosen. */
  planCandidatesMax: 8,

  // -- Health (chosen; see issue 28)
  /** Decides whether a model's calls break too often: 3 of 10 broken calls are too many, and 2 are not. A
   * model is healthy again after 3 good calls if 12 of 12 broke, but only after 9 if just 30 of 100 broke. */
  healthRule: {
    windowMinutes: 5, callsMin: 10, shareMin: 0.2, usualShare: 0.02, usualCalls: 5, modelCallsMin: 3,
    ownRunMin: 3, recoveryChance: 0.05, quietMs: 600_000, probeAfterMs: 15_000
  } satisfies HealthRule,
  /** Longest time in which one trial call to an unhealthy model prevents other trial calls, ms. */
  probeLeaseMs: 60_000,

  // -- Explore (opt-in)
  /** Share of decisions for which a model is sampled at random, and temperature of the sampling. Chosen. */
  explorationShare: 0.03, explorationTemperature: 0.1,
  /** Selection policy of accounts that set none themselves. SEXTANT_SELECTION_POLICY overrides it. */
  selectionPolicy: "argmin" as SelectionPolicy,

  // -- Budget (measured by test/simulation/budget)
  /** Pacing, explained in `stats/BudgetPacing.ts`. */
  pacing: {
    shiftMax: 25, stepScale: 6, stepMin: 0.05, stepMax: 4, excessMax: 50, reserveHours: 12, reserveMax: 0.1,
    unreadMax: 0.005, leastMemory: 200, levelPullHours: 6, surgeHours: 2, profilePullDays: 1,
    ratioPull: 0.02, ratioMin: 0.2, ratioMax: 5
  } satisfies PacingRule,
  /** Reserve per estimated cost if outcomes give no upper quartile, ratio. The quartile of a log-normal cost
   * is at most exp(0.6745^2 / 2) = 1.255 times its mean. */
  costHighRatio: 1.25,
  /** If a soft budget has less left than `checkedPicks` decisions reserve, the ledger may check each
   * decision. Chosen. */
  checkedPicks: 500,

  // -- Guarantee (chosen; results: `npm run bench:guarantee`)
  guaranteeRule: {
    /** Minimum mean number of trials between two false alarms that a candidate is too bad. */
    alarmTrials: 5_000,
    /** Number of tasks of one type during which a candidate rests after its first withdrawal. */
    restTasks: 2_000,
    /** ln(evidence against a proven candidate) from which the baseline runs on half of the tasks. */
    doubt: 3,
    /** Trials of each model before a candidate's share of the tasks may exceed the allowed loss. */
    cautiousTrials: 20,
    /** Age at which a guarantee first reads a decision, and age until which it awaits the report, ms. */
    writeWaitMs: 3_000, reportWaitMs: 24 * 3_600_000,
    /** Time for which a label from neither a gate nor a human waits for a better label, ms. */
    labelWaitMs: 10 * 60_000
  },

  // -- Escalate (chosen)
  /** Limits of outcomes, and of models with outcomes, below which evidence may count as thin. */
  thinEvidenceWeight: 10, thinEvidenceModels: 3,
  /** Minimum expected saving, share of the pick's cost, and minimum expected gain of success, probability,
   * that can make a rival live. */
  rivalSavingMin: 0.4, rivalGainMin: 0.03,
  /** Confidence below which a recommended model is doubtful, and difference of scores below which two tie. */
  lowConfidence: 0.45, tieScoreGap: 0.05,
  /** `conflictNeighbours` or more neighbours conflict at a mean success in [conflictLow, conflictHigh]. */
  conflictNeighbours: 4, conflictLow: 0.35, conflictHigh: 0.7,
  /** Width of the prediction's interval above which the recommended model is doubtful, probability. */
  wideInterval: 0.5,
  /** Mean similarity of the neighbours below which a recall is doubtful. */
  lowRecallSimilarity: 0.2,
  /** Weight of the reasoner's opinion in a prediction: clamp(factor * (1 - confidence), min, max). */
  reasonerBlendFactor: 0.8, reasonerBlendMin: 0.1, reasonerBlendMax: 0.9,
  /** Longest wait of one recommendation for the reasoner, ms. SEXTANT_REASONER_TIMEOUT_MS overrides it. */
  reasonerBudgetMs: 8_000,
  /** Minimum time left for a second question to the reasoner, ms. */
  reasonerLeftMsMin: 100,
  /** Maximum number of candidates in a question to the reasoner. */
  reasonerCandidatesMax: 16,
  /** Ratios to the cheapest cost up to which the reasoner sees a low or a middle price. Chosen. */
  lowPriceRatioMax: 3, middlePriceRatioMax: 15,

  // -- Retirement (issue 44)
  /** Number of days before a model's retirement from which answers warn of the retirement. */
  retirementNoticeDays: 60,

  // -- Privacy
  /** Stores an excerpt of a task's text or none. Accounts may set none. `SEXTANT_TASK_TEXT` overrides it. */
  taskText: "excerpt" as TaskText,

  // -- Repeats (chosen)
  /** Cosine similarity from which two tasks count as nearly identical. */
  repeatSimilarityMin: 0.95,
  /** Number of nearly identical tasks of a lane that form a pattern, within this number of days. */
  repeatsMin: 5, repeatWindowDays: 7,
  /** Number of recommendations of a cluster in a row that may recall the same entries without a warning. */
  sameRecallsMax: 5,

  // -- Workflow
  /** Maximum number of a workflow's steps that run at the same time. Chosen. */
  workflowConcurrency: 8,

  // -- Learn (chosen, unless a line says otherwise)
  /** Recorded quality of an outcome without a score. Specification. */
  qualityByOutcome: { success: 0.9, partial: 0.5, failure: 0.1 },
  /** Range of scores that agree with each outcome. A score outside the range is clamped, with a warning. */
  qualityBand: { success: [0.6, 1], partial: [0.1, 0.95], failure: [0, 0.4] } as const,
  /** Weight of a label by its provenance (who judged the result), in [0, 1]. An agent's own check was no
   * evidence in 318 runs: .77 of the results that passed it and .73 of those that failed it were right. */
  provenanceWeight: { gate: 1, human: 0.9, assertion: 0.6, judge: 0.6, self_check: 0, none: 0 },
  /** Maximum age in days of a decision whose feedback rates the recalled outcomes. Specification. */
  attributionDays: 7,
  /** Maximum number of recalled outcomes that one feedback rates. */
  creditedNeighboursMax: 8,
  /** Maximum number of models to which the reports on one decision give outcomes. Chosen. */
  modelsPerDecisionMax: 16,
  /** Reward of a step of an agent's run that reports no signal, in [-1, 1]. */
  signalByOutcome: { success: 1, partial: 0, failure: -1 },
  /** Change of quality per unit of the steps' reward. Chosen. */
  stepInfluence: 0.2,
  /** Confidence of a lesson from a gate, and importance of a success's lesson, in [0, 1]. Chosen. */
  lessonConfidence: 0.8, lessonImportance: 0.7,
  /** Importance of a failure with an error text, in [0, 1]. Chosen. */
  failureImportance: 0.8,
  /** Longest error text that is compared with others, characters. Chosen. */
  errorTextMax: textLimits.notes,
  /** Longest quotation of an error text in a lesson, characters. Chosen. */
  failureQuotationMax: 320
}

export type EngineSettings = typeof defaults

/** The engine's numbers in this process. Tests and configuration override {@link defaults}. */
export class Settings extends Context.Service<Settings, EngineSettings>()("sextant/engine/Settings") {
  static readonly layer = (overrides: Partial<EngineSettings> = {}) =>
    Layer.succeed(Settings, { ...defaults, ...overrides })
}
