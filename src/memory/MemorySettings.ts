/* Numbers of the memory drivers: decay, staleness, change detection, backfill and reflection. */
import { dayMs } from "../domain/Time.ts"
import * as Weight from "../stats/WeightFactors.ts"

/** Default settings of the memory drivers, each with its unit and reason. Tests pass other values. */
export const memorySettings = {
  /** Maximum number of outcomes in a lane's index. An exact scan of 20,000 outcomes takes about 1 ms. */
  laneObservationsMax: 20_000,
  /**
   * Maximum number of outcomes read when a lane is loaded, newest first. Twice `laneObservationsMax` is read,
   * so that the index can choose by weight.
   */
  laneLoadMax: 40_000,
  /** Age at which an outcome has half of its weight, days. Models and prices change within months. */
  decayHalfLifeDays: 30,
  /** Minimum share of its weight that an old outcome keeps. Old outcomes still tell more than a prior. */
  decayFloor: 0.1,
  /**
   * Maximum weight of another user's outcomes if there is only one other user, in outcomes. With 2 the error
   * is lowest if actors differ by 0.2 and one in ten reports only failures (test/simulation/Actors).
   */
  loneActorMax: 2,
  /**
   * Maximum total weight of a model's weak labels (from neither a gate nor a person), in outcomes. With a
   * weight of 4, labels whose error odds differ by a factor of e squared lead to picks hardly worse than no
   * data. With a weight of 8, such labels lead to worse picks (test/simulation/WeakLabels).
   */
  weakOutcomesMax: 4,
  /** Settings that detect a lasting change of a model in a cluster, to reduce older outcomes' weight. */
  changes: {
    // `slack` is the slack k of the report on drift. With a limit of 2, as in that report, false changes are
    // found if several kinds of task share a cluster. With a limit of 3, a change is found only for broken
    // models. Sextant stops picking the broken model of workload w6 after 19 outcomes instead of 28 (npm run
    // bench:workloads, seeds 11-14).
    slack: 0.25,
    limit: 3,
    // The expected quality with which the engine starts for unknown models (1.2 logit).
    startMean: 0.75,
    startWeight: 2,
    /**
     * Share of its weight that an outcome from before a change keeps, in [0, 1]. With this share, five older
     * outcomes weigh as much as one new outcome.
     */
    olderShare: 0.2
  },
  /** Age from which an outcome is stale, days. Three half-lives leave an eighth of an outcome's weight. */
  staleAfterDays: 90,
  /** Age at which decayed sums are calculated again, ms. Decay changes the sums by 0.02 % within this age. */
  tallyRefreshMs: 600_000,
  /** Age at which a cached lane is checked for other processes' writes, ms. Writes show within 1 s. */
  pollIntervalMs: 750,
  /** Time for which recalls wait for a write of their own process, ms. No transaction lives longer. */
  ownWriteWaitMs: 30_000,
  /** Maximum size of the cached lanes in one process, bytes: about 300,000 outcomes of 256 dimensions. */
  cacheBytesMax: 256 * 1024 * 1024,
  /** Maximum number of entries that one feedback votes on. More votes would say little about each entry. */
  reinforcedEntriesMax: 8,
  /** Maximum votes of one actor on one entry in a UTC day, which move a reliability by at most 0.3. */
  votesPerDayMax: 5,
  /** Age at which a reliability has moved half of its way to 0.5, days: twice `staleAfterDays`. */
  reliabilityHalfLifeDays: 180,
  /** Number of rows per page when a lane is loaded. Decoding a page takes about 10 ms. */
  loadPageRows: 1_000,
  /** Time limit of reading one page, ms: eighty times its usual time. */
  loadPageMs: 4_000,
  /** Settings for making the missing vectors of outcomes with the embeddings endpoint. */
  backfill: {
    /**
     * Minimum share of outcomes with an endpoint's vector. Below this share, recall uses the built-in
     * embedder, because the endpoint's vectors would miss too many near outcomes.
     */
    embeddedShareMin: 0.9,
    /** Number of outcomes in one request to the endpoint. */
    pageRows: 32,
    /** Wait before a lane's vectors are made, ms. During this wait, a new outcome's transaction commits. */
    pauseMs: 250,
    /** Pause after the endpoint failed, ms. A lane of 20,000 outcomes still gets its vectors in minutes. */
    retryMs: 5_000,
    /** Pause of a lane whose remaining outcomes have no text, or a text that the endpoint refuses, ms. */
    fruitlessMs: 3_600_000,
    /** Maximum number of lanes without vectors that are remembered. */
    lanesMax: 1_000
  },
  /** Settings of reflection, which derives lessons from a lane's outcomes. */
  reflection: {
    /** Number of outcomes taught in a lane between two reflections. Chosen. */
    every: 25,
    /** Pause between two searches for reflections that another process left, ms. */
    pollMs: 5_000,
    /**
     * Wait before a pass over the due reflections, ms. During this wait, the outcome's transaction commits.
     */
    pauseMs: 1_000,
    /** Maximum share of time spent on reflection. Requests of an embedded database wait during a pass. */
    busyShareMax: 0.1,
    /** Time limit of one lane's reflection, ms. The reflection of a full lane takes far less time. */
    laneMs: 60_000,
    /** Maximum number of lanes in one pass. Lanes above this number wait for the next pass. */
    lanesPerPass: 50,
    /** Number of days for which a finished reflection is remembered. Services repeat writes no longer. */
    keptDays: 30,
    /** Number of newest outcomes, and of newest steps, that a reflection reads: as many as an index keeps. */
    outcomesMax: 20_000,
    /**
     * Number of a lane's newest outcomes that form its session. A single odd outcome hardly shows among 50.
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
    /** Difference below which two success rates count as equal, so that the price decides. */
    likeSuccess: 0.05,
    /** Minimum ratio of two costs for a lesson. Smaller ratios may be the variation of token counts. */
    dearerRatioMin: 1.5,
    /** Minimum number of a step's reports for a lesson, and minimum share of failures among the reports. */
    stepSupportMin: 5,
    stepFailureShareMin: 0.5,
    /**
     * Minimum number of an error's occurrences for a lesson of session scope, and for one of account scope.
     * Two occurrences may be one caller's retry.
     */
    errorRecurrencesMin: 3,
    errorAccountMin: 10,
    /** Share of the decayed outcomes below which one side of contradicting lessons is superseded. */
    supersededShareMax: 0.4,
    /** Maximum number of lessons of one reflection: a few for each of 55 clusters. */
    lessonsMax: 300,
    /**
     * Number of lessons of run scope that are kept for each type. Up to `runLessonsMax` are kept if the older
     * ones are about errors without a newer lesson.
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

/** Calculates an outcome's age in days, never negative: a slow clock must not make an outcome heavier. */
export const ageDaysOf = (occurredAtMs: number, nowMs: number): number =>
  Math.max(0, nowMs - occurredAtMs) / dayMs

/** Calculates the weight that age leaves: max(floor, 2^(-age / half-life)), in [floor, 1]. */
export const decayOf = (ageDays: number, settings: MemorySettings): number =>
  Weight.decay(ageDays, settings.decayHalfLifeDays, settings.decayFloor)
