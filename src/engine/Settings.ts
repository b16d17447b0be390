/** Every tunable number of the engine but the classifier's, with unit, default and source. */
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

/**
 * The numbers as shipped.
 * "Specification" is the service's specification, which is not in the repository.
 * "Chosen" numbers are not measured.
 * docs/running/measurements.md has the data and the commands behind the other numbers.
 */
export const defaults = {
  // -- Threshold (specification, cost/quality slider)
  /** tau at slider 0 and at slider 10, probability. Reports read both. Specification. */
  thresholdMin, thresholdMax,

  // -- Recall
  /** Time limit of one recall, ms. SEXTANT_RECALL_TIMEOUT_MS overrides it. Chosen. */
  recallBudgetMs: 250,
  /** Time limit of a recall for a report, ms. It suffices for a process that has just started. Chosen. */
  reportBudgetMs: 5_000,
  /** Neighbours recalled per candidate, count.
   * With 64, a model that broke was left after 57 outcomes of its kind, and with 32 after 103.
   * Later changes reduced the 57 to 39.
   * 500 neighbours gained nothing more. */
  recallPerModel: 64,

  // -- Ledger
  /** Longest wait for the write of a decision, ms. The answer then leaves without it. Chosen. */
  ledgerBudgetMs: 1_000,
  /** Time limit of a feedback with its wait in the queue, ms. Four waits for a lock fit into it. Chosen. */
  feedbackBudgetMs: 8_000,

  // -- Priors (docs/running/decisions.md, "Predicted success")
  /** Prior at reference ability, logit. It is a little high, so that cheap good models are tried. */
  priorLevelLogit: 1.2,
  /** Reference ability, logit: the mean of the catalog's measured models, by `training/priors.ts`. */
  priorReferenceLogit: 1.445,
  /** Discount on the prior of a model without a benchmark, logit. Measured.
   * It is the 5 % quantile of the additional error of imputed priors: 1.645 * sqrt(0.65^2 - 0.35^2). */
  imputedDiscountLogit: 0.9,
  /** K0: weight of a prior, outcomes, for models with benchmark rows and for others.
   * With 2 for the others, a good model is given up after two failures of another kind of task.
   * With 10, lanes distinguish two kinds of task: 98 % right picks after 200 outcomes, before 81 %. */
  priorStrengthMeasured: 12, priorStrengthImputed: 10,
  /** Standard deviation of a lane's success around such priors, logit. Measured.
   * An optimistic prediction adds it once. Added twice, calibration errors rise and good priors lose. */
  priorSpreadMeasured: 0.35, priorSpreadImputed: 0.65,
  /** `spread`: standard deviation of lanes' levels, logit. Measured.
   * `pull`: expected outcomes that are added to a model's own. Without it, two successes lift others much.
   * `outcomesMin`: outcomes from which a lane lifts models without any. Two change no default. Chosen. */
  levelRule: { spread: 1.5, pull: 1, outcomesMin: 10 } satisfies LevelRule,
  /** Shift of the priors by difficulty, logit. Chosen.
   * With 2.9, every current model does trivial tasks.
   * With -3.4 and no outcomes, no model reaches tau of the middle slider for expert tasks. */
  difficultyShiftLogit: {
    trivial: 2.9, easy: 0.65, medium: 0, hard: -1, expert: -3.4
  } satisfies Record<Difficulty, number>,
  /** Share of a text's apparent difficulty that moves the priors, if the text does not surely show one.
   * Measured on the six recorded sets: 0.25 adds .002 of lift, and 1 loses .008 of quality. */
  readDifficultyShare: 0.25,

  // -- Aggregate
  /** K1 and K2: pull of the level above on the task type, on a known difficulty, and on the tags, outcomes.
   * Measured: 12 to 50 differ little for K2. For tags, 12 gave a lift of 0.016, and 25 one of 0.014. */
  clusterPull: 25, tagPull: 12,
  /** `pull`: weight of many others' outcomes against an actor's own, outcomes. Chosen.
   * `othersHalf`: outcomes of other actors at which the weight is halfway to `pull`. Chosen. */
  actorRule: { pull: 4, othersHalf: 2 } satisfies ActorRule,
  /** kappa: pull of the cell on the local average, outcomes. */
  localPull: 2,
  /** Similarity up to which a neighbour has no weight, and from which it has full weight. Measured. */
  kernelScale: { a: 0.19, b: 0.4 } satisfies KernelScale,
  /** Numbers of a lane that has learned nothing. Measured. */
  laneStart: {
    outcomes: 0, localShare: 0.5, spreadEvidence: noSpreadEvidence
  } satisfies LaneNumbers,
  /** Learning rate of a lane's numbers. The calibration error is 0.017 with 0.002, and 0.020 with 0.005. */
  laneRule: { hedgeShare: 0.002 } satisfies LaneRule,
  /** Rule for a change of a model's success near a task.
   * Without it, a model that broke is left after 122 outcomes of its kind, and with it after 57. */
  changeRule: { prior: 0.2, splits: [8, 16, 32], olderMin: 6 } satisfies ChangeRule,
  /** Weight of a model's nearby outcomes that ends optimism, and weight of an optimistic prior, outcomes. */
  optimismOutcomesMax: 2, optimismPull: 1,
  /** Half-life of an outcome's weight, days, its least weight, and the most of a stale one. Chosen. */
  decayHalfLifeDays: 30, decayFloor: 0.1, staleShareMax: 0.5,
  /** Live outcomes of a model at which its seed weighs half. Chosen. */
  seedCrowdOutcomes: 10,
  /** Half-life of a seed from the date of its benchmarks, and age from which it is stale, days. Chosen.
   * A model's abilities do not change after its release, but its rivals do. */
  seedHalfLifeDays: 180, seedStaleDays: 365,
  /** Limits of inverse propensities, ratio. Chosen. */
  inversePropensityMin: 0.2, inversePropensityMax: 5,
  /** Sample size at which confidence is 0.5, outcomes. Chosen: a measured prior alone stays near 0.5. */
  confidenceHalfSampleSize: 10,
  /** Evidence shown per model, count. Chosen: a person reads as much. */
  evidencePerModel: 5,

  // -- Short list (chosen)
  /** Weight of a lane's outcomes from which its short list prefers known models. */
  matureLaneOutcomes: 100,
  /** Cached pools, ids and providers that a cached pool may name, and cached parts of a pool, count. */
  poolsMax: 256, poolIdsMax: 128, restrictionsMax: 8,

  // -- Cost
  /** Observations per candidate that open the observed and rescaled tiers, count. Specification. */
  costObservationsMin: 3,
  /** Expected tokens per task type if the request gives none. Chosen. */
  tokensByTaskType: {
    code: { input: 1500, output: 900 }, summarization: { input: 4000, output: 350 },
    extraction: { input: 1500, output: 300 }, qa: { input: 400, output: 250 },
    reasoning: { input: 600, output: 900 }, classification: { input: 500, output: 60 },
    translation: { input: 800, output: 800 }, creative: { input: 400, output: 1100 },
    rag: { input: 6000, output: 400 }, tool_use: { input: 3000, output: 500 },
    other: { input: 800, output: 500 }
  } satisfies Record<TaskType, { readonly input: number; readonly output: number }>,
  /** Expected tokens of an agent's run: new input, input from the cache, and output.
   * Their cost fits the median bills of `code` runs of 25 models (SWE-bench Verified, SWT-bench).
   * The bills are from the OpenHands Index (MIT). Half of them are within a factor of 1.6.
   * The split between the three is chosen, because bills do not show it. */
  tokensByRun: { input: 40_000, cachedInput: 1_600_000, output: 10_000 },
  /** Factor of difficulty on a call's output and a run's tokens. Chosen. Recorded: easy 0.8, hard 1.4. */
  outputByDifficulty: {
    trivial: 0.5, easy: 0.7, medium: 1, hard: 1.6, expert: 2.5
  } satisfies Record<Difficulty, number>,
  /** Exponent and limits of a variant's verbosity. Chosen. */
  verbosityExponent: 0.7, verbosityMin: 0.3, verbosityMax: 6,
  /** Rule of the learned ratio of output and bills, and tokens that are added to both sides of a ratio.
   * Measured: +.0055 +- .0010 of gap2 over five sets (bench:replay, seeds 41-52).
   * A ratio counts as 30 at most, because reasoning models write 30 times as much. Chosen. */
  lengthRule: { pull: 2, levelPull: 0.5, countHalf: 3, ratioMost: Math.log(30) } satisfies RatioRule,
  lengthSmoothingTokens: 5,
  /** Share of the input that is read from a warm prompt cache. Chosen. */
  cachedInputShare: 0.7,
  /** Prices that no source states, so that limits do not rest on too low prices. A feedback then warns.
   * Writing to a prompt cache costs these multiples of the input's price (Anthropic's price list).
   * A service tier costs these multiples of the usual price (no `flex` discount, OpenAI's highest priority).
   * The fee of a web search is OpenAI's highest, USD. */
  standInPrices: {
    cacheWritePriceRatio: { usual: 1.25, hour: 2 }, flexRatio: 1, otherTierRatio: 2.5, searchUsd: 0.05
  } satisfies StandInPrices,

  // -- Optimize
  /** An incumbent is kept if the pick is likelier by fewer standard deviations of their difference than this.
   * The pick must also save less than this share of the incumbent's cost.
   * On the six sets, in conversations of five tasks, .5 and 1 lose .007 of gap, and .25 nothing. */
  incumbentDeviations: 0.25,
  incumbentCostShare: 0.1,
  /** Latencies closer than this share of the lowest are a tie, which the likelier model wins. Chosen. */
  latencyTieShare: 0.05,
  /** Rule for naming a cheaper candidate that hardly ran. Chosen, except outcomesMax (issue 47).
   * `savingMin`: least saving, as a share of the pick's cost.
   * `outcomesMax`: outcomes of the task's type from which the candidate counts as tried.
   * `chanceMin`: least chance to reach the bar by the prior.
   * `deviationsMax`: most standard deviations below the bar. Five failed tries pass, and nine do not. */
  untriedRule: { savingMin: 0.5, outcomesMax: 10, chanceMin: 0.15, deviationsMax: 3 },
  /** lambda = base + slope * slider: weight of success against normalised cost. Chosen. */
  scoreSuccessBase: 0.3, scoreSuccessPerSlider: 0.07,
  /** Distance above the threshold that a fallback should have, probability. Chosen. */
  fallbackMargin: 0.05,
  /** Input from which a prompt cache is worth enabling, tokens. Chosen: providers cache from 1,024 tokens. */
  promptCacheInputTokens: 1_024,
  /** Share of a call's cost that a prompt cache must save to be recommended. Chosen. */
  promptCacheSavedShare: 0.1,

  // -- Attempts (docs/running/decisions.md)
  /** Prior of the spread of a task's hidden difficulty, logit, until a lane has learned its own.
   * Measured on recorded runs of agents by the worth of whole plans less their cost. */
  difficultySpread: { mean: 2, deviation: 1.5 } satisfies SpreadRule,
  /** Share of a model's repeated runs that are independent of its first run at the task, in [0, 1].
   * The other repeats have the result of the first run. Chosen: no recorded set repeats runs. */
  repeatShare: 1 / 3,
  /** Probability that a check passes a wrong result, and that it fails a right one, by its kind. Chosen.
   * An agent's own check passed 307 of 318 recorded runs (issue 48). */
  checkErrors: {
    gate: { passWrong: 0.02, failRight: 0.02 }, human: { passWrong: 0.05, failRight: 0.05 },
    judge: { passWrong: 0.15, failRight: 0.1 }, assertion: { passWrong: 0.15, failRight: 0.1 },
    self_check: { passWrong: 0.9, failRight: 0.05 },
    none: { passWrong: 0.5, failRight: 0.5 }
  } satisfies Record<Provenance, GateErrors>,
  /** Sextant warns after so many failed first attempts of a lane without a second attempt. Chosen.
   * It warns also if more than this share of so many verdicts of gates passed (issue 48).
   * At a true share of .9, the chance that over .95 of 100 pass is .02. */
  checkHistoryRule: { failuresMin: 10, gateVerdictsMin: 100, gatePassShareMax: 0.95 },
  /** Candidates of a plan, count. With 8 candidates and three attempts, a plan takes 100 µs. */
  planCandidatesMax: 8,

  // -- Health (chosen; the share, the calls and the times of window and quiet: issue 28)
  /** With this usual share of broken calls, 3 of 10 are too many and 2 are not.
   * If all calls broke, a model recovers after one good call.
   * If a quarter broke, it recovers after 11 good calls in a row. */
  healthRule: {
    windowMinutes: 5, callsMin: 10, shareMin: 0.2, usualShare: 0.02, usualCalls: 5, modelCallsMin: 3,
    ownRunMin: 3, recoveryChance: 0.05, quietMs: 600_000, probeAfterMs: 15_000
  } satisfies HealthRule,
  /** Longest time for which one try of an unhealthy model prevents others, ms. A report ends it earlier. */
  probeLeaseMs: 60_000,

  // -- Explore (opt-in)
  /** Share of sampled picks, and the temperature over predicted success. Chosen. */
  explorationShare: 0.03, explorationTemperature: 0.1,
  /** Policy of accounts without their own setting. SEXTANT_SELECTION_POLICY overrides it. */
  selectionPolicy: "argmin" as SelectionPolicy,

  // -- Budget (measured by test/simulation/budget)
  /** Steps, reserve and forecast of a budget's pacing, see `stats/BudgetPacing.ts`.
   * With excessMax 5, 12 of 360 days exceeded their budget by more than 5 %. With 50, 5 days did. */
  pacing: {
    shiftMax: 25, stepScale: 6, stepMin: 0.05, stepMax: 4, excessMax: 50, reserveHours: 12, reserveMax: 0.1,
    unreadMax: 0.005, leastMemory: 200, levelPullHours: 6, surgeHours: 2, profilePullDays: 1,
    ratioPull: 0.02, ratioMin: 0.2, ratioMax: 5
  } satisfies PacingRule,
  /** Ratio of a decision's reserve to its estimate if outcomes give no upper quartile.
   * The upper quartile of a log-normal cost is at most exp(0.6745^2 / 2) = 1.255 times its mean. */
  costHighRatio: 1.25,
  /** The ledger checks each decision while a budget's rest covers fewer reserves than this. Chosen.
   * Four processes make fewer decisions before they know of each other's. */
  checkedPicks: 500,

  // -- Guarantee (chosen; results: `npm run bench:guarantee`)
  guaranteeRule: {
    /** Least mean number of trials between two false alarms, and tasks of a candidate's first rest, count. */
    alarmTrials: 5_000, restTasks: 2_000,
    /** Log of the evidence against a held candidate from which it and the baseline run equally often. */
    doubt: 3,
    /** Trials of each model before a candidate gets more tasks than the allowed loss, count. */
    cautiousTrials: 20,
    /** Age from which decisions are read, and age from which they count without a report, ms. */
    writeWaitMs: 3_000, reportWaitMs: 24 * 3_600_000,
    /** Wait of a label from neither gate nor human for a better label, ms. */
    labelWaitMs: 10 * 60_000
  },

  // -- Escalate (chosen)
  /** Evidence is thin below this weight of outcomes, and below this number of models with any. */
  thinEvidenceWeight: 10, thinEvidenceModels: 3,
  /** Expected saving (share of the pick's cost) and expected gain of success from which a rival matters. */
  rivalSavingMin: 0.4, rivalGainMin: 0.03,
  /** Confidence below which a pick is doubtful, in [0, 1], and score gap below which two models tie. */
  lowConfidence: 0.45, tieScoreGap: 0.05,
  /** Least neighbours of a conflict, count, and the range of their success in which they conflict. */
  conflictNeighbours: 4, conflictLow: 0.35, conflictHigh: 0.7,
  /** Interval width from which a pick is doubtful, probability. */
  wideInterval: 0.5,
  /** Mean similarity of the neighbours below which a recall is doubtful.
   * It is the built-in embedder's floor of 0.1 plus 0.1. Memory rescales other embedders to that floor. */
  lowRecallSimilarity: 0.2,
  /** Weight of the reasoner's opinion: clamp(factor * (1 - confidence), min, max). */
  reasonerBlendFactor: 0.8, reasonerBlendMin: 0.1, reasonerBlendMax: 0.9,
  /** Longest wait of one recommendation for the reasoner, ms. SEXTANT_REASONER_TIMEOUT_MS overrides it. */
  reasonerBudgetMs: 8_000,
  /** Least remaining time for a second question to the reasoner, ms. Chosen: faster answers are rare. */
  reasonerLeftMsMin: 100,
  /** Candidates in a question to the reasoner, count. Chosen: 16 entries are written within 8 s. */
  reasonerCandidatesMax: 16,
  /** Ratio to the cheapest cost up to which the reasoner sees a price as low, and as middle. Chosen. */
  lowPriceRatioMax: 3, middlePriceRatioMax: 15,

  // -- Retirement (issue 44)
  /** Days before a model's last day from which answers warn of it. */
  retirementNoticeDays: 60,

  // -- Privacy
  /** The stored part of a task's text. An account may store less. `SEXTANT_TASK_TEXT` overrides it. */
  taskText: "excerpt" as TaskText,

  // -- Repeats (chosen)
  /** Cosine from which two tasks are nearly identical. */
  repeatSimilarityMin: 0.95,
  /** Nearly identical tasks of a lane that form a pattern, count, and the days within which they count. */
  repeatsMin: 5, repeatWindowDays: 7,
  /** Recommendations of a cluster in a row that may recall the same entries, count. */
  sameRecallsMax: 5,

  // -- Workflow
  /** Steps of a workflow that run at once, count. Chosen: only their recalls wait. */
  workflowConcurrency: 8,

  // -- Learn (chosen, unless a line says otherwise)
  /** Recorded quality of an outcome without a score. Such an outcome teaches 1, 0.5 or 0. Specification. */
  qualityByOutcome: { success: 0.9, partial: 0.5, failure: 0.1 },
  /** Range of scores that agree with each outcome. Scores outside it are clamped, with a warning. */
  qualityBand: { success: [0.6, 1], partial: [0.1, 0.95], failure: [0, 0.4] } as const,
  /** Weight of a label by its provenance, in [0, 1].
   * An agent's own check was no evidence in 318 recorded runs (issue 48).
   * Of these, .77 were right if the check passed, and .73 if it failed. */
  provenanceWeight: { gate: 1, human: 0.9, assertion: 0.6, judge: 0.6, self_check: 0, none: 0 },
  /** Age of a decision from which a feedback credits no neighbours but still teaches, days. Specification. */
  attributionDays: 7,
  /** Neighbours credited per feedback, count. */
  creditedNeighboursMax: 8,
  /** Models whose outcomes one decision takes, count. Chosen for retries and the members of an ensemble. */
  modelsPerDecisionMax: 16,
  /** Reward of a step without a signal, in [-1, 1]. */
  signalByOutcome: { success: 1, partial: 0, failure: -1 },
  /** Change of the quality of an outcome without a score, per unit of its steps' reward. Chosen.
   * A success whose steps all failed then teaches a middle quality, not a failure. */
  stepInfluence: 0.2,
  /** Confidence and importance of a new lesson that a gate verified, in [0, 1]. Chosen. */
  lessonConfidence: 0.8, lessonImportance: 0.7,
  /** Importance of a failure with an error text, in [0, 1]. Chosen: more than a success, which is common. */
  failureImportance: 0.8,
  /** Longest error text that is compared, characters. Chosen: a long stack trace. */
  errorTextMax: textLimits.notes,
  /** Longest quotation of an error text in a lesson, characters. Chosen: a person reads as much. */
  failureQuotationMax: 320
}

/** All numbers. A function takes only the numbers that it uses: `Pick<EngineSettings, "clusterPull">`. */
export type EngineSettings = typeof defaults

/** The numbers of this process. Tests and configuration override {@link defaults}. */
export class Settings extends Context.Service<Settings, EngineSettings>()("sextant/engine/Settings") {
  static readonly layer = (overrides: Partial<EngineSettings> = {}) =>
    Layer.succeed(Settings, { ...defaults, ...overrides })
}
