/* Numbers of the memory drivers: decay, staleness, change detection, backfill and reflection. */
import { dayMs } from "../domain/Time.ts"
import * as Weight from "../stats/WeightFactors.ts"

/** Default settings of the memory drivers, each with its unit and reason. Tests pass other values. */
export const memorySettings = {
  /**
   * Maximum number of outcomes in a lane's index. Outcomes of the lowest decayed weight are dropped first. An
   * exact scan of 20,000 x 256 numbers takes about a millisecond, and larger lanes gain nothing measurable.
   */
  laneObservationsMax: 20_000,
  /**
   * Maximum number of outcomes that are read when a lane is loaded, the newest first. The limit keeps the
   * loading of old lanes short. Twice the index's limit is read, so that the index can choose by weight.
   */
  laneLoadMax: 40_000,
  /** Age at which an outcome has half of its weight, days. Models and prices change within months. */
  decayHalfLifeDays: 30,
  /**
   * Minimum share of its weight that an old outcome keeps, because even old outcomes tell more than a prior.
   */
  decayFloor: 0.1,
  /**
   * Maximum weight of another user's outcomes if there is only one other user, in outcomes. With 2 the error
   * is lowest if actors differ by 0.2 and one in ten reports only failures (test/simulation/Actors).
   */
  loneActorMax: 2,
  /**
   * Maximum total weight of a model's weak labels (from neither a gate nor a person), in outcomes. The limit
   * applies to each tally and to the neighbours. With a weight of 4, labels whose error odds differ by a
   * factor of e squared lead to picks hardly worse than no data. With a weight of 8, such labels lead to
   * worse picks (test/simulation/WeakLabels).
   */
  weakOutcomesMax: 4,
  /**
   * Settings that detect a lasting change of a model in a cluster, and that reduce the weight of older
   * outcomes.
   */
  changes: {
    // `slack` is the slack k of the report on drift. With a limit of 2, as in that report, false changes are
    // found if several kinds of task share a cluster. With a limit of 2, the share of right picks in workload
    // w5 fell from 78 to 68 %. With a limit of 3, a change is found only for broken models. Sextant stops
    // picking the broken model of workload w6 after 19 outcomes instead of 28 (npm run bench:workloads, seeds
    // 11-14).
    slack: 0.25,
    limit: 3,
    // The expected quality with which the engine starts for unknown models (1.2 logit). A few outcomes
    // outweigh this expectation.
    startMean: 0.75,
    startWeight: 2,
    /**
     * Share of its weight that an outcome from before a change keeps, in [0, 1]. With this share, five older
     * outcomes weigh as much as one new outcome.
     */
    olderShare: 0.2
  },
  /**
   * Age from which an outcome is stale, days. After three half-lives, an eighth of an outcome's weight is
   * left.
   */
  staleAfterDays: 90,
  /** Age at which decayed sums are calculated again, ms. Decay changes the sums by 0.02 % within this age. */
  tallyRefreshMs: 600_000,
  /**
   * Age at which a cached lane is checked for other processes' writes, ms. Writes must be visible within a
   * second, so 250 ms remain for the check.
   */
  pollIntervalMs: 750,
  /**
   * Time for which recalls wait for a write of their own process, ms. No transaction lives longer, so the
   * limit only ends the wait after a rollback.
   */
  ownWriteWaitMs: 30_000,
  /**
   * Maximum size of the cached lanes in one process, bytes: about 300,000 outcomes of different texts with
   * 256 dimensions.
   */
  cacheBytesMax: 256 * 1024 * 1024,
  /**
   * Maximum number of entries that one feedback votes on. If more entries shared the credit, their votes
   * would tell nothing about each entry.
   */
  reinforcedEntriesMax: 8,
  /**
   * Maximum number of votes of one actor on one entry in one UTC day. Five votes have half of the weight of
   * the prior on an entry's reliability. An actor can therefore move a new entry's reliability by at most 0.3
   * a day.
   */
  votesPerDayMax: 5,
  /**
   * Age at which an entry's reliability has moved half of its way to 0.5, days: twice `staleAfterDays`.
   * Models change under the same name within months.
   */
  reliabilityHalfLifeDays: 180,
  /**
   * Number of rows that are read per page when a lane is loaded. Decoding a page takes about 10 ms, so that
   * requests hardly wait meanwhile.
   */
  loadPageRows: 1_000,
  /**
   * Time limit of reading one page, ms: eighty times its usual time. A recall on a dead connection then ends
   * within 5 s.
   */
  loadPageMs: 4_000,
  /** Settings for making the missing vectors of outcomes with the embeddings endpoint. */
  backfill: {
    /**
     * Minimum share of a lane's outcomes that have a vector of the endpoint, in [0, 1]. With a lower share,
     * recall uses the built-in embedder, because the endpoint's vectors would miss too many near outcomes.
     */
    embeddedShareMin: 0.9,
    /** Number of outcomes in one request to the endpoint. */
    pageRows: 32,
    /**
     * Wait before a lane's vectors are made, ms. During this wait, the transaction of a new outcome commits.
     */
    pauseMs: 250,
    /**
     * Pause after the endpoint failed, ms. An endpoint that has failed is asked rarely. Once the endpoint
     * works again, a lane of 20,000 outcomes gets its vectors within minutes.
     */
    retryMs: 5_000,
    /** Pause of a lane whose remaining outcomes have no text, or a text that the endpoint refuses, ms. */
    fruitlessMs: 3_600_000,
    /**
     * Maximum number of lanes without vectors that are remembered. A lane that was forgotten is remembered
     * again at its next recall.
     */
    lanesMax: 1_000
  },
  /**
   * Settings of reflection, which derives lessons from a lane's outcomes: when it runs, and which lessons it
   * makes.
   */
  reflection: {
    /** Number of outcomes taught in a lane between two reflections. Chosen. */
    every: 25,
    /**
     * Pause between two searches for reflections that another process left, ms. Such a search reads one
     * database index.
     */
    pollMs: 5_000,
    /**
     * Wait before a pass over the due reflections, ms. During this time the outcome's transaction commits,
     * and many failures at once cost only one pass a second.
     */
    pauseMs: 1_000,
    /**
     * Maximum share of time that is spent on reflection, in (0, 1]. A pass over 20,000 outcomes took 0.1 s on
     * PostgreSQL. With the embedded database, requests wait while a pass runs.
     */
    busyShareMax: 0.1,
    /** Time limit of one lane's reflection, ms. The reflection of a full lane takes far less time. */
    laneMs: 60_000,
    /** Maximum number of lanes in one pass. Lanes above this number wait for the next pass. */
    lanesPerPass: 50,
    /**
     * Number of days for which a finished reflection is remembered. The answer to a repeated write says
     * whether its outcome caused a reflection. No service repeats a write after 30 days.
     */
    keptDays: 30,
    /**
     * Number of newest outcomes, and of newest steps, that a reflection reads: as many as a lane's index
     * keeps.
     */
    outcomesMax: 20_000,
    /**
     * Number of a lane's newest outcomes that form its session, which is twice `every`. A session of 50
     * outcomes shows recent changes, but hides a single odd outcome.
     */
    sessionOutcomes: 50,
    /**
     * Minimum number of outcomes of one cluster and model for a lesson of session scope, and for one of
     * account scope. Five successes of five give a 95 % interval from 0.57; eight of nine give the same.
     */
    sessionSupportMin: 5,
    accountSupportMin: 8,
    /** Minimum success rate of a preferred model, in [0, 1]: the middle of the range of thresholds. */
    preferRateMin: 0.7,
    /**
     * Difference below which two success rates count as equal, so that the price decides. The engine uses the
     * same margin for the predicted success of a fallback above the threshold.
     */
    likeSuccess: 0.05,
    /**
     * Minimum ratio of two models' costs for a lesson about models that succeed equally often. Smaller ratios
     * cannot be told from the variation of token counts.
     */
    dearerRatioMin: 1.5,
    /**
     * Minimum number of a step's reports for a lesson, and minimum share of failures among these reports.
     * Half of five reports is more failures than chance explains for a step that usually succeeds.
     */
    stepSupportMin: 5,
    stepFailureShareMin: 0.5,
    /**
     * Minimum number of occurrences of an error for a lesson of session scope, and for one of account scope.
     * Two occurrences may be one caller's retry.
     */
    errorRecurrencesMin: 3,
    errorAccountMin: 10,
    /**
     * Share of the decayed outcomes below which one side of a contradiction between success and failure
     * lessons is superseded. The contradicting lessons concern the same cluster and model. If both sides have
     * a share of 0.4 to 0.6, both stay with a lower confidence.
     */
    supersededShareMax: 0.4,
    /** Maximum number of lessons of one reflection: a few for each of 55 clusters. */
    lessonsMax: 300,
    /**
     * Number of lessons of run scope that are kept for each type. Up to `runLessonsMax` lessons are kept if
     * the older ones are about errors without a newer lesson. The limit of lessons holds even if a hostile
     * caller reports many different errors.
     */
    runLessonsKept: 1_000,
    runLessonsMax: 5_000
  }
}

export type MemorySettings = Readonly<typeof memorySettings>
export type ReflectionRule = MemorySettings["reflection"]
export type ChangeSettings = MemorySettings["changes"]
export type BackfillRule = MemorySettings["backfill"]

/** Minimum quality of a gate-verified success from which memory makes a lesson, in [0, 1]. */
export const lessonQualityMin = 0.8

/**
 * Calculates the age of an outcome in days. The age is never negative, because a slow clock must not make an
 * outcome heavier.
 */
export const ageDaysOf = (occurredAtMs: number, nowMs: number): number =>
  Math.max(0, nowMs - occurredAtMs) / dayMs

/** Calculates the weight that age leaves: max(floor, 2^(-age / half-life)), in [floor, 1]. */
export const decayOf = (ageDays: number, settings: MemorySettings): number =>
  Weight.decay(ageDays, settings.decayHalfLifeDays, settings.decayFloor)
