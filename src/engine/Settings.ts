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
 * The numbers as shipped. "Specification" is the service's, which is not in the repository. "Chosen" numbers
 * are not measured; docs/running/measurements.md has the data and commands behind the others.
 */
export const defaults = {
  // -- Threshold (specification, cost/quality slider)
  /** tau at slider 0 (0.55) and 10 (0.92), probability; reports read both. Specification. */
  thresholdMin, thresholdMax,

  // -- Recall
  /** Hard budget of one recall, ms. Chosen; overridden by SEXTANT_RECALL_TIMEOUT_MS. */
  recallBudgetMs: 250,
  /** The same for a prediction that a report shows, ms. Chosen: many times a recall of a process that has
   * just started. */
  reportBudgetMs: 5_000,
  /** Neighbours recalled per candidate, count. A model that broke was left after 57 outcomes of its kind
   * with 64 (39 with what came since) and 103 with 32: the newest failures must be among them. 500 gained
   * no more. */
  recallPerModel: 64,

  // -- Ledger
  /** Longest wait for the decision's write before the answer leaves without it, ms. Chosen: many times a
   * healthy write, and callers still wait that long. */
  ledgerBudgetMs: 1_000,
  /** Time limit of a feedback, ms, with its wait in the queue; its caller then retries. Four waits for a
   * lock. A repeat counts once, whichever of the two is applied. Chosen. */
  feedbackBudgetMs: 8_000,

  // -- Priors (docs/running/decisions.md, "Predicted success")
  /** Prior of a model of reference ability, logit: a little high, so that cheap good models are tried. */
  priorLevelLogit: 1.2,
  /** Reference ability, logit: the mean of the bundled catalog's measured models. `training/priors.ts`. */
  priorReferenceLogit: 1.445,
  /** Off the prior of a model that no benchmark measured, logit: the 5 % quantile of the error that imputed
   * priors have in lanes beyond measured ones, 1.645 * sqrt(0.65^2 - 0.35^2). Measured. */
  imputedDiscountLogit: 0.9,
  /** K0: weight of a prior, outcomes, for models with benchmark rows and for others. With 2 for others a
   * good model is given up after two failures of another kind; with 10 two kinds are distinguished in every
   * lane (98 % right picks after 200 outcomes, 81 % with 2). */
  priorStrengthMeasured: 12, priorStrengthImputed: 10,
  /** Distance of such models from their prior in a lane, standard deviation, logit: measured. By one of it an
   * optimistic prediction starts higher; by two, calibration errors rise and good priors lose. */
  priorSpreadMeasured: 0.35, priorSpreadImputed: 0.65,
  /** Spread of lanes' levels around ours, standard deviation, logit: measured. And outcomes as expected
   * beside a model's own, without which two successes lift others much: of three orders -.000 +- .006 with
   * 1. Last, the outcomes from which a lane lifts models that have none: chosen, so that two make no new
   * default. */
  levelRule: { spread: 1.5, pull: 1, outcomesMin: 10 } satisfies LevelRule,
  /** Shift of the priors by difficulty, logit. Chosen: with 2.9 every current model does trivial tasks; with
   * -3.4, before outcomes, no model reaches tau of the middle slider for expert tasks. */
  difficultyShiftLogit: {
    trivial: 2.9, easy: 0.65, medium: 0, hard: -1, expert: -3.4
  } satisfies Record<Difficulty, number>,
  /** Share by which priors move of how hard a text reads that shows no difficulty surely. Measured on the six
   * recorded sets: 0.25 adds .002 of lift, 0.5 from their mean loses .006 of quality, and 1 loses .008. */
  readDifficultyShare: 0.25,

  // -- Aggregate
  /** K1, K2: pull of the lane on the task type's cell, of that on the cell of a difficulty that the caller
   * gave, and on the tags' cell, outcomes. Measured: K2 from 12 to 50 is alike; with tags, 25 gave a lift
   * of 0.014 and 12 one of 0.016. */
  clusterPull: 25, tagPull: 12,
  /** Pull of others on an actor's own outcomes, half there at so many; chosen (actors differ by 0.2). */
  actorRule: { pull: 4, othersHalf: 2 } satisfies ActorRule,
  /** kappa: pull of the cell on the local average, outcomes. */
  localPull: 2,
  /** Similarities up to which a neighbour weighs nothing, and from which it weighs whole. Measured. */
  kernelScale: { a: 0.19, b: 0.4 } satisfies KernelScale,
  /** Numbers of a lane that has learned nothing. Measured. */
  laneStart: {
    outcomes: 0, localShare: 0.5, spreadEvidence: noSpreadEvidence
  } satisfies LaneNumbers,
  /** Rate of its learning: 0.005 measured a calibration error of 0.020, 0.002 one of 0.017. */
  laneRule: { hedgeShare: 0.002 } satisfies LaneRule,
  /** When a model's outcomes near a task may have changed. Without it a model that broke is left after 122
   * outcomes of its kind; with it after 57, and lanes that do not change stay as they were. */
  changeRule: { prior: 0.2, splits: [8, 16, 32], olderMin: 6 } satisfies ChangeRule,
  /** Weight of a model's nearby outcomes that ends optimism, and weight of an optimistic prior, outcomes. */
  optimismOutcomesMax: 2, optimismPull: 1,
  /** Half-life of an outcome's influence, days, its least share, and a stale entry's highest. Chosen. */
  decayHalfLifeDays: 30, decayFloor: 0.1, staleShareMax: 0.5,
  /** Live outcomes of a model at which its seed weighs half. Chosen. */
  seedCrowdOutcomes: 10,
  /** Half-life of a seed from the day its benchmarks were read, and age from which it is stale, days.
   * Chosen: a model's abilities do not change after its release, only the models it is compared with do. */
  seedHalfLifeDays: 180, seedStaleDays: 365,
  /** Clip of inverse propensities, ratio. Chosen. */
  inversePropensityMin: 0.2, inversePropensityMax: 5,
  /** Sample size at which confidence is one half, outcomes. Chosen: a measured prior alone stays near 0.5. */
  confidenceHalfSampleSize: 10,
  /** Evidence shown per model, count. Chosen: what a person reads. */
  evidencePerModel: 5,

  // -- Short list (chosen)
  /** Outcomes of a lane from which its short list prefers known models, weight. */
  matureLaneOutcomes: 100,
  /**
   * Pools of allowed models that are kept, count, the most ids and providers that one may name, and how many
   * parts and short lists are kept of each.
   */
  poolsMax: 256, poolIdsMax: 128, restrictionsMax: 8,

  // -- Cost
  /** Observations per candidate that open the observed and rescaled tiers, count. Specification. */
  costObservationsMin: 3,
  /** Expected tokens per task type when the request gives none. Chosen. */
  tokensByTaskType: {
    code: { input: 1500, output: 900 }, summarization: { input: 4000, output: 350 },
    extraction: { input: 1500, output: 300 }, qa: { input: 400, output: 250 },
    reasoning: { input: 600, output: 900 }, classification: { input: 500, output: 60 },
    translation: { input: 800, output: 800 }, creative: { input: 400, output: 1100 },
    rag: { input: 6000, output: 400 }, tool_use: { input: 3000, output: 500 },
    other: { input: 800, output: 500 }
  } satisfies Record<TaskType, { readonly input: number; readonly output: number }>,
  /** Expected tokens of a run of an agent: input read anew, input read from the cache, and output. Their
   * cost at list prices is fitted to the median bills of `code` runs of 25 models on SWE-bench Verified and
   * SWT-bench (OpenHands Index, MIT): half are within 1.6 times. List prices move together, so that the bills
   * do not say which of the three costs what; the split is chosen. No other type is recorded. */
  tokensByRun: { input: 40_000, cachedInput: 1_600_000, output: 10_000 },
  /** Multiplier of a call's output and of a run's tokens by difficulty, ratio. Chosen; recorded bills of
   * runs: easy 0.8, hard 1.4. */
  outputByDifficulty: {
    trivial: 0.5, easy: 0.7, medium: 1, hard: 1.6, expert: 2.5
  } satisfies Record<Difficulty, number>,
  /** Exponent and clip of the verbosity of a variant. Chosen. */
  verbosityExponent: 0.7, verbosityMin: 0.3, verbosityMax: 6,
  /** How fast what outcomes wrote, and runs were billed, moves what is expected of a model, and tokens that
   * are added to both. Measured: +.0055 +- .0010 of gap2 over five sets (bench:replay, seeds 41-52). No
   * outcome counts as more than 30 times: chosen, as reasoning models write as much. */
  lengthRule: { pull: 2, levelPull: 0.5, countHalf: 3, ratioMost: Math.log(30) } satisfies RatioRule,
  lengthSmoothingTokens: 5,
  /** Share of the input that is read from a warm prompt cache. Chosen. */
  cachedInputShare: 0.7,
  /** Prices that stand in where no source states a model's, so that no limit is judged by a price below the
   * real one: of input written to a prompt cache times that of input (Anthropic's price list), of all tokens
   * in a service tier times the usual (no discount for `flex`; 2.5 is OpenAI's highest for priority), and the
   * fee of a web search, USD (OpenAI's highest). A feedback then warns. */
  standInPrices: {
    cacheWritePriceRatio: { usual: 1.25, hour: 2 }, flexRatio: 1, otherTierRatio: 2.5, searchUsd: 0.05
  } satisfies StandInPrices,

  // -- Optimize
  /** An incumbent is kept where the pick is less than this many standard deviations of their difference
   * likelier, and saves less than this share of its cost. On the six sets, in conversations of five
   * tasks, .5 and 1 lose .007 of gap, and .25 nothing: much of two predictions' noise is the task's. */
  incumbentDeviations: 0.25,
  incumbentCostShare: 0.1,
  /** Latencies closer than this share of the lowest are a tie, which the likelier model wins. Chosen. */
  latencyTieShare: 0.05,
  /** When an answer names a cheaper candidate that was hardly tried: it costs less than the pick by at least
   * this share, has fewer outcomes of the task's type than this (issue 47), has by its prior at least this
   * chance to reach the bar, and is predicted at most so many standard deviations below it: all of five tries
   * may fail, not all of nine. The others chosen. */
  untriedRule: { savingMin: 0.5, outcomesMax: 10, chanceMin: 0.15, deviationsMax: 3 },
  /** lambda = base + slope * slider: weight of success against normalised cost. Chosen. */
  scoreSuccessBase: 0.3, scoreSuccessPerSlider: 0.07,
  /** Distance above the threshold that a fallback must have, probability. Chosen. */
  fallbackMargin: 0.05,
  /** Input from which a prompt cache is worth enabling, tokens. Chosen: providers cache from 1,024 tokens. */
  promptCacheInputTokens: 1_024,
  /** Share of a call's cost that a prompt cache must save to be mentioned. Chosen. */
  promptCacheSavedShare: 0.1,

  // -- Attempts (docs/running/decisions.md)
  /**
   * Prior of the spread of a task's hidden difficulty, logit, until a lane has learned its own. Measured on
   * recorded runs of agents, by worth less cost of whole plans.
   */
  difficultySpread: { mean: 2, deviation: 1.5 } satisfies SpreadRule,
  /**
   * Share of a model's repeated runs at a task that are independent of its first run there, in [0, 1]. The
   * others have the same result. Chosen: no recorded set has two runs of one model.
   */
  repeatShare: 1 / 3,
  /** How often a check passes a wrong result, and fails a right one, by its kind; a bare report counts as a
   * judge's. Probabilities, chosen; an agent's own check passed 307 of 318 recorded runs (issue 48). */
  checkErrors: {
    gate: { passWrong: 0.02, failRight: 0.02 }, human: { passWrong: 0.05, failRight: 0.05 },
    judge: { passWrong: 0.15, failRight: 0.1 }, assertion: { passWrong: 0.15, failRight: 0.1 },
    self_check: { passWrong: 0.9, failRight: 0.05 },
    none: { passWrong: 0.5, failRight: 0.5 }
  } satisfies Record<Provenance, GateErrors>,
  /** When Sextant warns of a lane's checks: after so many failed first attempts without a second one; or if
   * more than this share of so many gates' verdicts passed. If .9 pass in truth, the chance that over .95 of
   * 100 do is .02. Chosen; the share: issue 48. */
  checkHistoryRule: { failuresMin: 10, gateVerdictsMin: 100, gatePassShareMax: 0.95 },
  /** Candidates that a plan is made of, count. With 8 and three attempts a plan takes 100 µs. */
  planCandidatesMax: 8,

  // -- Health (chosen; the share, the calls and the times of window and quiet: issue 28)
  /** With this usual share of broken calls, 3 of 10 are too many and 2 are not. A model recovers after one
   * good call if all calls broke, and after 11 in a row if a quarter did. */
  healthRule: {
    windowMinutes: 5, callsMin: 10, shareMin: 0.2, usualShare: 0.02, usualCalls: 5, modelCallsMin: 3,
    ownRunMin: 3, recoveryChance: 0.05, quietMs: 600_000, probeAfterMs: 15_000
  } satisfies HealthRule,
  /** Longest time for which one try of an unhealthy model prevents others, ms, if no report ends it. */
  probeLeaseMs: 60_000,

  // -- Explore (opt-in)
  /** Share of picks that are sampled, and the temperature over predicted success. Chosen. */
  explorationShare: 0.03, explorationTemperature: 0.1,
  /** Policy of accounts without a setting of their own; overridden by SEXTANT_SELECTION_POLICY. */
  selectionPolicy: "argmin" as SelectionPolicy,

  // -- Budget (measured by test/simulation/budget)
  /** Steps, reserve and forecast of a budget's pacing: see `stats/BudgetPacing.ts`. With excessMax 5
   * in place of 50, 12 of 360 days were more than 5 % over their budget in place of 5. */
  pacing: {
    shiftMax: 25, stepScale: 6, stepMin: 0.05, stepMax: 4, excessMax: 50, reserveHours: 12, reserveMax: 0.1,
    unreadMax: 0.005, leastMemory: 200, levelPullHours: 6, surgeHours: 2, profilePullDays: 1,
    ratioPull: 0.02, ratioMin: 0.2, ratioMax: 5
  } satisfies PacingRule,
  /** Ratio of a decision's reserve to its estimate if outcomes give no upper quartile. A log-normal cost's
   * upper quartile is at most exp(0.6745^2 / 2) = 1.255 times its mean. */
  costHighRatio: 1.25,
  /** The ledger checks each decision while the budget's rest covers fewer than this many reserves. Four
   * processes make fewer decisions before they know of each other's. Chosen. */
  checkedPicks: 500,

  // -- Guarantee (chosen; results: `npm run bench:guarantee`)
  guaranteeRule: {
    /** Trials between two false alarms, on average at least, count, and tasks of a candidate's first rest. */
    alarmTrials: 5_000, restTasks: 2_000,
    /**
     * Evidence against a held candidate from which it and the baseline run evenly: log of a capital of 20.
     */
    doubt: 3,
    /** Trials of each model before a candidate gets more of the tasks than the loss, count. */
    cautiousTrials: 20,
    /** Age from which decisions are read, and from which they count without a report, ms. */
    writeWaitMs: 3_000, reportWaitMs: 24 * 3_600_000,
    /** Wait of a label by neither gate nor human for a better one, ms. */
    labelWaitMs: 10 * 60_000
  },

  // -- Escalate (chosen)
  /** Weight of the outcomes of pick and rivals, and models with any, under which evidence is thin. */
  thinEvidenceWeight: 10, thinEvidenceModels: 3,
  /** Expected share of the pick's cost, and expected points of success, from which a rival matters. */
  rivalSavingMin: 0.4, rivalGainMin: 0.03,
  /** Confidence of the pick under which it is low, in [0, 1], and score gap of the top two that is a tie. */
  lowConfidence: 0.45, tieScoreGap: 0.05,
  /** Neighbours, count, and range of their weighted success in which they conflict. */
  conflictNeighbours: 4, conflictLow: 0.35, conflictHigh: 0.7,
  /** Interval width of the pick beyond which it is wide, probability. */
  wideInterval: 0.5,
  /** Mean similarity of the neighbours under which the recall itself is doubtful. The embedder's floor +
   * 0.1; memory brings other embedders' similarities onto the built-in one's scale, whose floor is 0.1. */
  lowRecallSimilarity: 0.2,
  /** Blend weight on the reasoner: clamp(factor * (1 - confidence), min, max). */
  reasonerBlendFactor: 0.8, reasonerBlendMin: 0.1, reasonerBlendMax: 0.9,
  /** Longest that one recommendation waits for the reasoner in all, ms. SEXTANT_REASONER_TIMEOUT_MS. */
  reasonerBudgetMs: 8_000,
  /** Least rest of that time for which a second question is asked, ms. Chosen: faster answers are rare. */
  reasonerLeftMsMin: 100,
  /** Candidates that the reasoner is asked about, count. Chosen: 16 entries are written within 8 s. */
  reasonerCandidatesMax: 16,
  /** Cost over the cheapest's up to which the reasoner sees a price as low, and as middle, ratio. Chosen. */
  lowPriceRatioMax: 3, middlePriceRatioMax: 15,

  // -- Retirement (issue 44)
  /** Time before a model's last day from which answers say that it is near, days. */
  retirementNoticeDays: 60,

  // -- Privacy
  /** What is kept of a task: an excerpt, or no word; an account may be stricter. `SEXTANT_TASK_TEXT`. */
  taskText: "excerpt" as TaskText,

  // -- Repeats (chosen)
  /** Cosine from which two tasks are near-identical. */
  repeatSimilarityMin: 0.95,
  /** How many near-identical tasks of a lane form a pattern, and within how many days. */
  repeatsMin: 5, repeatWindowDays: 7,
  /** Recommendations of a cluster in a row that may recall the same entries, count. */
  sameRecallsMax: 5,

  // -- Workflow
  /** Steps scored at once, count. Chosen: recall is the only waiting part. */
  workflowConcurrency: 8,

  // -- Learn (chosen, unless a line says otherwise)
  /** Quality recorded for an outcome without a score, which teaches 1, 0.5 or 0. Specification. */
  qualityByOutcome: { success: 0.9, partial: 0.5, failure: 0.1 },
  /** Bands that a score must agree with; outside it is clamped and warned about. */
  qualityBand: { success: [0.6, 1], partial: [0.1, 0.95], failure: [0, 0.4] } as const,
  /** Weight of a label by its provenance, in [0, 1]. An agent's own check was no evidence in 318 recorded
   * runs: .77 were right if it passed, and .73 if it failed (issue 48). */
  provenanceWeight: { gate: 1, human: 0.9, assertion: 0.6, judge: 0.6, self_check: 0, none: 0 },
  /** Age of a decision after which a feedback still teaches but credits no neighbour, days. Specification. */
  attributionDays: 7,
  /** Neighbours credited per feedback, count. */
  creditedNeighboursMax: 8,
  /** Models whose outcomes one decision takes, count. Chosen: a retry or two, and an ensemble's members. */
  modelsPerDecisionMax: 16,
  /** Reward of a step without a signal, in [-1, 1]. */
  signalByOutcome: { success: 1, partial: 0, failure: -1 },
  /** Change of the quality of an outcome without a score, per unit of reward of its steps. Chosen: a
   * success whose steps all failed teaches the middle, not a failure. */
  stepInfluence: 0.2,
  /** Confidence and importance of a new gate-verified lesson, in [0, 1]. Chosen. */
  lessonConfidence: 0.8, lessonImportance: 0.7,
  /** Importance of a failure with an error's text, in [0, 1]. Chosen: above a success, which is common. */
  failureImportance: 0.8,
  /** Longest error text that is compared, characters. Chosen: a long stack trace. */
  errorTextMax: textLimits.notes,
  /** Longest quotation of an error text in a lesson, characters. Chosen: what a person reads. */
  failureQuotationMax: 320
}

/** All numbers. A function names those that it uses: `Pick<EngineSettings, "clusterPull">`. */
export type EngineSettings = typeof defaults

/** The numbers of this process; tests and configuration lay theirs over {@link defaults}. */
export class Settings extends Context.Service<Settings, EngineSettings>()("sextant/engine/Settings") {
  static readonly layer = (overrides: Partial<EngineSettings> = {}) =>
    Layer.succeed(Settings, { ...defaults, ...overrides })
}
