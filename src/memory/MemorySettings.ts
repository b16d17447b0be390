/* Numbers of the memory drivers: decay, staleness, change detection, backfill and reflection. */
import { dayMs } from "../domain/Time.ts"
import * as Weight from "../stats/WeightFactors.ts"

/** Default settings of the memory drivers, each with its unit and reason. Tests pass other values. */
export const memorySettings = {
  /** Number of outcomes to which a lane's index is trimmed. A scan of 20,000 outcomes takes about 1 ms. */
  laneObservationsMax: 20_000,
  /**
   * Maximum number of taught outcomes, and of telemetry outcomes, that are read when a lane is loaded. Twice
   * `laneObservationsMax` is read, so that the index can choose by weight.
   */
  laneLoadMax: 40_000,
  /** Age at which an outcome has half of its weight, days. Models and prices change within months. */
  decayHalfLifeDays: 30,
  /** Minimum share of its weight that an old outcome keeps, because it still tells more than a prior. */
  decayFloor: 0.1,
  /**
   * Maximum weight of the outcomes of the only user besides the requesting one, in outcomes. If users'
   * success rates vary by 0.2 and one user in ten reports only failures, a weight of 2 predicts best
   * (test/simulation/Actors).
   */
  loneActorMax: 2,
  /**
   * Maximum total weight of a user's weak labels for a model, and of all other users' weak labels, in
   * outcomes. A weak label comes from neither a gate nor a person. If the errors of weak labels differ widely
   * between models, a maximum weight of 8 leads to worse picks than no labels (test/simulation/WeakLabels).
   */
  weakOutcomesMax: 4,
  /** Settings that detect a lasting change of a model in a cluster, to reduce older outcomes' weight. */
  changes: {
    // `slack` is the same as in the detection of calibration drift (`stats/Drift.ts`). A `limit` of 2 would
    // find false changes if several kinds of task share a cluster. In workload w6, Sextant stops picking a
    // broken model after 19 outcomes with a `limit` of 3, and after 28 without change detection (npm run
    // bench:workloads, seeds 11-14).
    slack: 0.25,
    limit: 3,
    // Expected quality before the first outcome: nearly the engine's prior of 1.2 logit, which is 0.77.
    startMean: 0.75,
    startWeight: 2,
    /** Share of its weight that an outcome keeps if its model changed later, in [0, 1]. */
    olderShare: 0.2
  },
  /** Age from which an outcome is stale, days: three half-lives, which leave an eighth of its weight. */
  staleAfterDays: 90,
  /** Age at which decayed sums are calculated again, ms. Ten minutes of decay change a sum by 0.016 %. */
  tallyRefreshMs: 600_000,
  /** Age at which a cached lane is checked for other processes' writes, ms: they are seen within 1 s. */
  pollIntervalMs: 750,
  /** Time after a write for which its process makes sure that recalls see the write, ms. */
  ownWriteWaitMs: 30_000,
  /** Maximum size of the cached lanes in one process, bytes: about 300,000 outcomes of 256 dimensions. */
  cacheBytesMax: 256 * 1024 * 1024,
  /** Maximum number of entries that one feedback votes on. */
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
     * Minimum share of a lane's outcomes with the endpoint's vector for a recall to use these vectors. A
     * recall by the endpoint's vectors finds no outcomes that lack the endpoint's vector.
     */
    embeddedShareMin: 0.9,
    /** Number of outcomes in one request to the endpoint. */
    pageRows: 32,
    /** Pause before a lane's vectors are made, ms, so that several new outcomes share a request. */
    pauseMs: 250,
    /** Pause of all lanes after the endpoint failed, ms. */
    retryMs: 5_000,
    /** Pause of a lane whose remaining outcomes have no text, or a text that the endpoint refuses, ms. */
    fruitlessMs: 3_600_000,
    /** Maximum number of lanes that wait for vectors. */
    lanesMax: 1_000
  },
  /** Settings of reflection, which derives lessons from a lane's outcomes. */
  reflection: {
    /** Number of taught outcomes in a lane after which a reflection is due. Chosen. */
    every: 25,
    /** Pause between two searches for due reflections that a process left when it died, ms. */
    pollMs: 5_000,
    /** Pause before due reflections run, ms, so that several reflections of a lane run as one. */
    pauseMs: 1_000,
    /** Maximum share of time spent on reflection, because an embedded database answers nobody meanwhile. */
    busyShareMax: 0.1,
    /** Time limit of one lane's reflection, ms. */
    laneMs: 60_000,
    /** Maximum number of lanes whose due reflections are read at once. */
    lanesPerPass: 50,
    /** Number of days for which a finished reflection is remembered, so that no repeated write repeats it. */
    keptDays: 30,
    /** Number of newest outcomes that a reflection reads, and of newest step reports. */
    outcomesMax: 20_000,
    /** Number of a lane's newest outcomes that form its session: enough that one odd outcome hardly shows. */
    sessionOutcomes: 50,
    /**
     * Minimum number of outcomes of one cluster and model for a lesson of session scope, and for one of
     * account scope. Five successes of five give a 95 % interval from 0.57; eight of nine give the same.
     */
    sessionSupportMin: 5,
    accountSupportMin: 8,
    /**
     * Minimum success rate of a preferred model, in [0, 1]: near the middle of the thresholds, 0.55 to 0.92.
     */
    preferRateMin: 0.7,
    /** Difference below which two success rates count as equal, so that the price decides. */
    likeSuccess: 0.05,
    /** Minimum ratio of two models' costs for a lesson: a smaller one may come from varying token counts. */
    dearerRatioMin: 1.5,
    /** Minimum number of a step's reports for a lesson, and minimum share of failures among the reports. */
    stepSupportMin: 5,
    stepFailureShareMin: 0.5,
    /**
     * Minimum number of an error's occurrences for a lesson of session scope, and for one of account scope.
     * Two occurrences of an error may be one caller's retry.
     */
    errorRecurrencesMin: 3,
    errorAccountMin: 10,
    /**
     * If success and failure lessons contradict each other, the side with less than this share of the
     * outcomes' weight is superseded.
     */
    supersededShareMax: 0.4,
    /** Maximum number of lessons of one reflection: nearly three for each of 110 clusters. */
    lessonsMax: 300,
    /**
     * A lane keeps this many newest success lessons of run scope, and as many failure lessons. An older
     * lesson is kept if no newer lesson is about its error, up to `runLessonsMax` lessons.
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
