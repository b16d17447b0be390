/** Every tunable number of the engine except those of the classifier, with unit, default and source. */
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

/** The default numbers. A source of "Specification" means the service's specification, which is not in the
 * repository. "Chosen" numbers are not measured. docs/running/measurements.md has the data and the
 * commands behind the other numbers. */
export const defaults = {
  // -- Threshold (specification, cost/quality slider)
  /** Success threshold tau at slider 0 and at slider 10, probability. Reports read both numbers too.
   * Specification. */
  thresholdMin, thresholdMax,

  // -- Recall
  /** Time limit of one recall from memory, ms. SEXTANT_RECALL_TIMEOUT_MS overrides it. Chosen. */
  recallBudgetMs: 250,
  /** Time limit of a recall whose result a report needs, ms. The limit is long enough for a process that
   * has just started. Chosen. */
  reportBudgetMs: 5_000,
  /** Neighbours (similar past outcomes) recalled per candidate, count. With 64, Sextant stopped picking a
   * broken model after 57 outcomes of its kind, and with 32 after 103. Later changes to Sextant reduced
   * the 57 outcomes to 39. 500 neighbours gained nothing more. */
  recallPerModel: 64,

  // -- Ledger
  /** Longest wait for the write of a decision, ms. After this time, the answer leaves before the decision
   * is written. Chosen. */
  ledgerBudgetMs: 1_000,
  /** Time limit of a feedback including its wait in the queue, ms. The time limit is long enough for four
   * waits for a database lock. Chosen. */
  feedbackBudgetMs: 8_000,

  // -- Priors (docs/running/decisions.md, "Predicted success")
  /** Prior success of a model with the reference ability, logit. The number is a little high, so that
   * cheap good models are tried. */
  priorLevelLogit: 1.2,
  /** Reference ability, logit: the mean of the catalog's measured models. `training/priors.ts` computes
   * it. */
  priorReferenceLogit: 1.445,
  /** Discount on the prior of a model without a benchmark, logit. Measured. The discount is the 5 %
   * quantile of the additional error of imputed priors: 1.645 * sqrt(0.65^2 - 0.35^2). */
  imputedDiscountLogit: 0.9,
  /** K0: weight of a prior, outcomes, for models with benchmark rows and for models without them. With a
   * weight of 2 for models without benchmarks, Sextant gives up a good model after two failures at
   * another kind of task. With 10, lanes distinguish two kinds of task: 98 % of the picks are right after
   * 200 outcomes, instead of 81 %. */
  priorStrengthMeasured: 12, priorStrengthImputed: 10,
  /** Standard deviation of a model's success in a lane around its prior, logit, for measured and for
   * imputed priors. Measured. An optimistic prediction adds the deviation once. If the deviation were
   * added twice, calibration errors would rise and good priors would be worth less. */
  priorSpreadMeasured: 0.35, priorSpreadImputed: 0.65,
  /** A lane's level says how much easier its tasks are than the priors expect. `spread`: standard
   * deviation of the levels of lanes, logit. Measured. `pull`: number of expected outcomes that are added
   * to a model's own outcomes. Without the pull, two successes would raise the predictions of other
   * models a lot. `outcomesMin`: number of outcomes from which a lane raises the predictions of models
   * without outcomes. With fewer outcomes, a lane may lower the predictions of models without outcomes,
   * but not raise them. Chosen. */
  levelRule: { spread: 1.5, pull: 1, outcomesMin: 10 } satisfies LevelRule,
  /** Change of every model's prior by the task's difficulty, logit. Chosen. With 2.9, every current model
   * is expected to do trivial tasks. With -3.4, no model without outcomes reaches the middle slider's
   * threshold for expert tasks. */
  difficultyShiftLogit: {
    trivial: 2.9, easy: 0.65, medium: 0, hard: -1, expert: -3.4
  } satisfies Record<Difficulty, number>,
  /** Share of a text's apparent difficulty that moves the priors, if the rules are not sure of the
   * difficulty. Measured on the six recorded sets: 0.25 adds .002 of lift, and 1 loses .008 of quality. */
  readDifficultyShare: 0.25,

  // -- Aggregate
  /** K1 and K2: weight, in outcomes, of the broader group's estimate in the estimate of a task type, of a
   * known difficulty, and of the tags. Measured: for K2, weights from 12 to 50 differ little. For tags,
   * 12 gave a lift of 0.016, and 25 a lift of 0.014. */
  clusterPull: 25, tagPull: 12,
  /** `pull`: weight of other actors' outcomes in an actor's estimate if the others have many, outcomes.
   * Chosen. `othersHalf`: number of outcomes of other actors at which the weight is halfway to `pull`.
   * Chosen. */
  actorRule: { pull: 4, othersHalf: 2 } satisfies ActorRule,
  /** kappa: weight, in outcomes, of the group's estimate in the average of similar tasks. */
  localPull: 2,
  /** Similarity up to which a neighbour has no weight, and similarity from which it has full weight.
   * Measured. */
  kernelScale: { a: 0.19, b: 0.4 } satisfies KernelScale,
  /** Calibration numbers of a lane that has learned nothing. Measured. */
  laneStart: {
    outcomes: 0, localShare: 0.5, spreadEvidence: noSpreadEvidence
  } satisfies LaneNumbers,
  /** Learning rate of a lane's calibration numbers. The calibration error is 0.017 with a rate of 0.002,
   * and 0.020 with 0.005. */
  laneRule: { hedgeShare: 0.002 } satisfies LaneRule,
  /** Rule that detects a change of a model's success near a task. Without the rule, Sextant stops picking
   * a broken model after 122 outcomes of its kind, and with the rule after 57. */
  changeRule: { prior: 0.2, splits: [8, 16, 32], olderMin: 6 } satisfies ChangeRule,
  /** Weight of a model's nearby outcomes from which its prediction is no longer optimistic, and weight of
   * an optimistic prior, both in outcomes. */
  optimismOutcomesMax: 2, optimismPull: 1,
  /** Half-life of an outcome's weight in days, minimum of its decay factor, and maximum of that factor for
   * a stale outcome. Chosen. */
  decayHalfLifeDays: 30, decayFloor: 0.1, staleShareMax: 0.5,
  /** Weight of a model's outcomes in the lane at which its seed (a benchmark shown as evidence) has half
   * its weight. Chosen. */
  seedCrowdOutcomes: 10,
  /** Half-life of a seed from the date of its benchmarks, and age from which a seed is stale, days.
   * Chosen. A model's abilities do not change after its release, but its rivals improve. */
  seedHalfLifeDays: 180, seedStaleDays: 365,
  /** Minimum and maximum of inverse propensities, ratio. Chosen. */
  inversePropensityMin: 0.2, inversePropensityMax: 5,
  /** Sample size at which a prediction's confidence is 0.5, outcomes. Chosen: the confidence of a measured
   * prior without outcomes stays near 0.5. */
  confidenceHalfSampleSize: 10,
  /** Number of past outcomes shown as evidence per model. Chosen: a person reads no more. */
  evidencePerModel: 5,

  // -- Short list (chosen)
  /** Weight of a lane's outcomes from which its short list prefers models with known results. */
  matureLaneOutcomes: 100,
  /** Maximum number of cached pools, of ids and providers that a cached pool may name, and of cached parts
   * of a pool. */
  poolsMax: 256, poolIdsMax: 128, restrictionsMax: 8,

  // -- Cost
  /** Number of observations per candidate from which its cost is estimated from observed or rescaled
   * bills. Specification. */
  costObservationsMin: 3,
  /** Expected tokens of a task of each type if the request gives no token counts. Chosen. */
  tokensByTaskType: {
    code: { input: 1500, output: 900 }, summarization: { input: 4000, output: 350 },
    extraction: { input: 1500, output: 300 }, qa: { input: 400, output: 250 },
    reasoning: { input: 600, output: 900 }, classification: { input: 500, output: 60 },
    translation: { input: 800, output: 800 }, creative: { input: 400, output: 1100 },
    rag: { input: 6000, output: 400 }, tool_use: { input: 3000, output: 500 },
    other: { input: 800, output: 500 }
  } satisfies Record<TaskType, { readonly input: number; readonly output: number }>,
  /** Expected tokens of an agent's run: new input, input from the cache, and output. The cost of these
   * tokens fits the median bills of `code` runs of 25 models (SWE-bench Verified, SWT-bench). The bills
   * are from the OpenHands Index (MIT). Half of the bills are within a factor of 1.6 of the fitted cost.
   * The split between the three token counts is chosen, because bills do not show it. */
  tokensByRun: { input: 40_000, cachedInput: 1_600_000, output: 10_000 },
  /** Factors by which a task's difficulty multiplies the output tokens of a call, or all tokens of a run.
   * Chosen. Recorded factors: easy 0.8, hard 1.4. */
  outputByDifficulty: {
    trivial: 0.5, easy: 0.7, medium: 1, hard: 1.6, expert: 2.5
  } satisfies Record<Difficulty, number>,
  /** Exponent, minimum and maximum of a variant's verbosity (its output length as a ratio). Chosen. */
  verbosityExponent: 0.7, verbosityMin: 0.3, verbosityMax: 6,
  /** Rule that learns the ratio of actual to expected output and bills, and tokens that are added to both
   * sides of a ratio. Measured: +.0055 +- .0010 of gap2 over five sets (bench:replay, seeds 41-52). A
   * learned ratio is limited to 30, because reasoning models write 30 times as much. Chosen. */
  lengthRule: { pull: 2, levelPull: 0.5, countHalf: 3, ratioMost: Math.log(30) } satisfies RatioRule,
  lengthSmoothingTokens: 5,
  /** Share of the input that a call reads from a warm prompt cache. Chosen. */
  cachedInputShare: 0.7,
  /** Prices that are assumed if no source states them, so that limits do not rest on prices that are too
   * low. A feedback then carries a warning. Writing to a prompt cache costs these multiples of the
   * input's price (Anthropic's price list). A service tier costs these multiples of the usual price (no
   * `flex` discount, OpenAI's highest priority). The fee of a web search is OpenAI's highest, USD. */
  standInPrices: {
    cacheWritePriceRatio: { usual: 1.25, hour: 2 }, flexRatio: 1, otherTierRatio: 2.5, searchUsd: 0.05
  } satisfies StandInPrices,

  // -- Optimize
  /** Limits within which a conversation's current model (the incumbent) is kept. The incumbent may be less
   * likely to succeed than the pick by this many standard deviations of their difference. The pick must
   * also save less than this share of the incumbent's cost. On the six recorded sets, in conversations of
   * five tasks, .5 and 1 deviations lose .007 of gap, and .25 loses nothing. */
  incumbentDeviations: 0.25,
  incumbentCostShare: 0.1,
  /** Latencies that differ by less than this share of the lowest latency are a tie, and the model with the
   * higher predicted success wins. Chosen. */
  latencyTieShare: 0.05,
  /** Rule for naming a cheaper candidate that has hardly run. Chosen, except outcomesMax (issue 47).
   * `savingMin`: minimum saving as a share of the pick's cost. `outcomesMax`: number of outcomes with
   * this type of task from which the candidate counts as tried. `chanceMin`: minimum probability that the
   * candidate reaches the bar, by its prior. `deviationsMax`: maximum distance of its prediction below
   * the bar, standard deviations. A candidate with five failed tries is still named, and a candidate with
   * nine is not named. */
  untriedRule: { savingMin: 0.5, outcomesMax: 10, chanceMin: 0.15, deviationsMax: 3 },
  /** lambda = base + slope * slider: weight of predicted success relative to normalised cost. Chosen. */
  scoreSuccessBase: 0.3, scoreSuccessPerSlider: 0.07,
  /** Distance of predicted success above the threshold that a fallback model should have, probability.
   * Chosen. */
  fallbackMargin: 0.05,
  /** Input length from which enabling a prompt cache is worthwhile, tokens. Chosen: providers cache from
   * 1,024 tokens. */
  promptCacheInputTokens: 1_024,
  /** Share of a call's cost that a prompt cache must save to be recommended. Chosen. */
  promptCacheSavedShare: 0.1,

  // -- Attempts (docs/running/decisions.md)
  /** Expected spread of the hidden difficulty of a lane's tasks, logit, until the lane has learned its
   * own. Measured on recorded runs of agents by the value of whole plans minus their cost. */
  difficultySpread: { mean: 2, deviation: 1.5 } satisfies SpreadRule,
  /** Share of a model's repeated runs that are independent of its first run at the task, in [0, 1]. The
   * other repeated runs have the same result as the first run. Chosen, because no recorded set has
   * repeated runs. */
  repeatShare: 1 / 3,
  /** Probability that a check of each kind passes a wrong result, and that the check fails a right result.
   * Chosen. An agent's own check passed 307 of 318 recorded runs (issue 48). */
  checkErrors: {
    gate: { passWrong: 0.02, failRight: 0.02 }, human: { passWrong: 0.05, failRight: 0.05 },
    judge: { passWrong: 0.15, failRight: 0.1 }, assertion: { passWrong: 0.15, failRight: 0.1 },
    self_check: { passWrong: 0.9, failRight: 0.05 },
    none: { passWrong: 0.5, failRight: 0.5 }
  } satisfies Record<Provenance, GateErrors>,
  /** `failuresMin`: number of a lane's failed first attempts after which Sextant warns if no second
   * attempt followed. Chosen. `gateVerdictsMin`, `gatePassShareMax`: Sextant also warns if gates passed
   * more than this share of at least this many verdicts (issue 48). If the true share is .9, more than
   * .95 of 100 verdicts pass with a probability of .02. */
  checkHistoryRule: { failuresMin: 10, gateVerdictsMin: 100, gatePassShareMax: 0.95 },
  /** Maximum number of candidates of a plan of attempts. Planning three attempts with 8 candidates takes
   * 100 µs. */
  planCandidatesMax: 8,

  // -- Health (chosen; the share, the calls and the times of window and quiet: issue 28)
  /** Rule that decides whether a model's calls break too often. With the usual share of broken calls set
   * here, 3 of 10 are too many and 2 are acceptable. A model whose calls all broke recovers after one
   * good call. A model of whose calls a quarter broke recovers after 11 good calls in a row. */
  healthRule: {
    windowMinutes: 5, callsMin: 10, shareMin: 0.2, usualShare: 0.02, usualCalls: 5, modelCallsMin: 3,
    ownRunMin: 3, recoveryChance: 0.05, quietMs: 600_000, probeAfterMs: 15_000
  } satisfies HealthRule,
  /** Longest time in which one trial call to an unhealthy model prevents other trial calls, ms. A report
   * on the trial call ends this time earlier. */
  probeLeaseMs: 60_000,

  // -- Explore (opt-in)
  /** Share of decisions whose model is sampled at random, and the temperature over predicted success.
   * Chosen. */
  explorationShare: 0.03, explorationTemperature: 0.1,
  /** Selection policy of accounts that set none themselves. SEXTANT_SELECTION_POLICY overrides it. */
  selectionPolicy: "argmin" as SelectionPolicy,

  // -- Budget (measured by test/simulation/budget)
  /** Numbers of a budget's pacing (adjusting thresholds to the money left), explained in
   * `stats/BudgetPacing.ts`. With an excessMax of 5, 12 of 360 days exceeded their budget by more than 5
   * %. With an excessMax of 50, 5 of 360 days did so. */
  pacing: {
    shiftMax: 25, stepScale: 6, stepMin: 0.05, stepMax: 4, excessMax: 50, reserveHours: 12, reserveMax: 0.1,
    unreadMax: 0.005, leastMemory: 200, levelPullHours: 6, surgeHours: 2, profilePullDays: 1,
    ratioPull: 0.02, ratioMin: 0.2, ratioMax: 5
  } satisfies PacingRule,
  /** Ratio of a decision's reserve to its estimated cost, used if outcomes give no upper quartile. The
   * upper quartile of a log-normal cost is at most exp(0.6745^2 / 2) = 1.255 times its mean. */
  costHighRatio: 1.25,
  /** Number of reserves: while a budget's rest covers fewer, the ledger checks each decision against the
   * budget. Chosen. Four processes make fewer decisions before they learn of the decisions of the other
   * processes. */
  checkedPicks: 500,

  // -- Guarantee (chosen; results: `npm run bench:guarantee`)
  guaranteeRule: {
    /** `alarmTrials`: minimum mean number of trials between two false alarms. `restTasks`: number of tasks
     * for which a withdrawn candidate rests the first time. */
    alarmTrials: 5_000, restTasks: 2_000,
    /** Log of the evidence against a held candidate from which the candidate and the baseline run equally
     * often. */
    doubt: 3,
    /** Number of trials of each model before a candidate may get a larger share of the tasks than the
     * allowed loss. */
    cautiousTrials: 20,
    /** Age from which the guarantee reads decisions, and age from which it counts decisions without a
     * report, ms. */
    writeWaitMs: 3_000, reportWaitMs: 24 * 3_600_000,
    /** Wait for a better label if a label comes from neither a gate nor a human, ms. */
    labelWaitMs: 10 * 60_000
  },

  // -- Escalate (chosen)
  /** Evidence is thin below this weight of outcomes, and if fewer models than this have any outcome. */
  thinEvidenceWeight: 10, thinEvidenceModels: 3,
  /** Minimum expected saving (share of the pick's cost) and minimum expected gain of success at which
   * another model is a serious rival of the pick. */
  rivalSavingMin: 0.4, rivalGainMin: 0.03,
  /** Confidence below which the recommended model is doubtful, in [0, 1], and difference of scores below
   * which two models tie. */
  lowConfidence: 0.45, tieScoreGap: 0.05,
  /** Minimum number of neighbours that can conflict, and the range of their success in which they
   * conflict. */
  conflictNeighbours: 4, conflictLow: 0.35, conflictHigh: 0.7,
  /** Width of the prediction's interval from which the recommended model is doubtful, probability. */
  wideInterval: 0.5,
  /** Mean similarity of the neighbours below which a recall is doubtful. The number is 0.1 above the built-in
   * embedder's floor of 0.1. Memory rescales the similarities of other embedders to the same floor. */
  lowRecallSimilarity: 0.2,
  /** Weight of the reasoner's opinion in a prediction: clamp(factor * (1 - confidence), min, max). */
  reasonerBlendFactor: 0.8, reasonerBlendMin: 0.1, reasonerBlendMax: 0.9,
  /** Longest wait of one recommendation for the reasoner, ms. SEXTANT_REASONER_TIMEOUT_MS overrides it. */
  reasonerBudgetMs: 8_000,
  /** Minimum remaining time for a second question to the reasoner, ms. Chosen, because few answers arrive
   * in a shorter time. */
  reasonerLeftMsMin: 100,
  /** Maximum number of candidates in a question to the reasoner. Chosen: a reasoner writes 16 entries
   * within 8 s. */
  reasonerCandidatesMax: 16,
  /** Ratio to the cheapest candidate's cost up to which the reasoner is told that a price is low, and up
   * to which it is middle. Chosen. */
  lowPriceRatioMax: 3, middlePriceRatioMax: 15,

  // -- Retirement (issue 44)
  /** Number of days before a model's retirement from which answers warn of the retirement. */
  retirementNoticeDays: 60,

  // -- Privacy
  /** How much of a task's text is stored. An account may decide to store less of the text.
   * `SEXTANT_TASK_TEXT` overrides it. */
  taskText: "excerpt" as TaskText,

  // -- Repeats (chosen)
  /** Cosine similarity from which two tasks count as nearly identical. */
  repeatSimilarityMin: 0.95,
  /** Number of nearly identical tasks of a lane that form a pattern, and number of days within which they
   * count. */
  repeatsMin: 5, repeatWindowDays: 7,
  /** Number of recommendations of a cluster in a row that may recall the same entries without a warning. */
  sameRecallsMax: 5,

  // -- Workflow
  /** Number of steps of a workflow that run at the same time. Chosen: only their recalls from memory take
   * waiting time. */
  workflowConcurrency: 8,

  // -- Learn (chosen, unless a line says otherwise)
  /** Recorded quality of an outcome without a score. Sextant learns 1, 0.5 or 0 from such an outcome.
   * Specification. */
  qualityByOutcome: { success: 0.9, partial: 0.5, failure: 0.1 },
  /** Range of scores that agree with each outcome. A score outside the range is clamped, with a warning. */
  qualityBand: { success: [0.6, 1], partial: [0.1, 0.95], failure: [0, 0.4] } as const,
  /** Weight of a label by its provenance (who judged the result), in [0, 1]. An agent's own check was no
   * evidence in 318 recorded runs (issue 48). When the agent's check passed, .77 of the results were
   * right, and when it failed, .73. */
  provenanceWeight: { gate: 1, human: 0.9, assertion: 0.6, judge: 0.6, self_check: 0, none: 0 },
  /** Age of a decision from which a feedback credits no neighbours but still teaches its outcome, days.
   * Specification. */
  attributionDays: 7,
  /** Maximum number of neighbours that one feedback credits. */
  creditedNeighboursMax: 8,
  /** Maximum number of models with an outcome in one decision. Chosen for retries and the members of an
   * ensemble. */
  modelsPerDecisionMax: 16,
  /** Reward of a workflow step that reports no signal, in [-1, 1]. */
  signalByOutcome: { success: 1, partial: 0, failure: -1 },
  /** Change of the quality of an outcome without a score, per unit of its steps' reward. Chosen. With this
   * change, a success whose steps all failed teaches a middle quality instead of a failure. */
  stepInfluence: 0.2,
  /** Confidence and importance of a new lesson whose result a gate verified, in [0, 1]. Chosen. */
  lessonConfidence: 0.8, lessonImportance: 0.7,
  /** Importance of a failure with an error text, in [0, 1]. Chosen: the number is higher than for a
   * success, because successes are common. */
  failureImportance: 0.8,
  /** Longest error text that is compared with others, characters. Chosen: a long stack trace fits. */
  errorTextMax: textLimits.notes,
  /** Longest quotation of an error text in a lesson, characters. Chosen: a person reads no more. */
  failureQuotationMax: 320
}

/** The type of all numbers; a function takes only the numbers that it uses, as in `Pick<EngineSettings,
 * "clusterPull">`. */
export type EngineSettings = typeof defaults

/** The engine's numbers in this process. Tests and configuration override {@link defaults}. */
export class Settings extends Context.Service<Settings, EngineSettings>()("sextant/engine/Settings") {
  static readonly layer = (overrides: Partial<EngineSettings> = {}) =>
    Layer.succeed(Settings, { ...defaults, ...overrides })
}
