/* Numbers of the memory drivers: decay, staleness, change detection, backfill and reflection. */
import { dayMs } from "../domain/Time.ts"
import * as Weight from "../stats/WeightFactors.ts"

/** Default settings of the memory drivers. */
export const memorySettings = {
  /** Number of outcomes to which a lane's index is trimmed. */
  laneObservationsMax: 20_000,
  /**
   * Maximum number of taught outcomes, and of telemetry outcomes, that are read when a lane is loaded. Twice
   * `laneObservationsMax` is read, so that the index can choose by weight.
   */
  laneLoadMax: 40_000,
  /** Age at which an outcome has half of its weight, days. */
  decayHalfLifeDays: 30,
  /** Minimum share of its weight that an old outcome keeps, because it still tells more than a prior. */
  decayFloor: 0.1,
  /**
   * Maximum weight of the only user besides the requesting one, in outcomes, if both users are known. If
   * users' success rates vary by 0.2 and one user in ten reports only failures, a weight of 2 predicts best
   * (test/simulation/Actors).
   */
  loneActorMax: 2,
  /**
   * Maximum total weight of a user's weak labels for a model, and of all other users' weak labels, in
   * outcomes. A weak label comes from neither a gate nor a person. If the errors of weak labels differ widely
   * between models, a maximum weight of 8 leads to worse picks than no labels (test/simulation/WeakLabels).
   */
  weakOutcomesMax: 4,
  /** Settings for detecting a lasting change of a model in a cluster. */
  changes: {
    // `slack` is the same as in the detection of calibration drift (`stats/Drift.ts`). A `limit` of 2 would
    // find false changes if several kinds of task share a cluster.
    slack: 0.25,
    limit: 3,
    // Expected quality before the first outcome: nearly the engine's prior of 1.2 logit, which is 0.77.
    startMean: 0.75,
    startWeight: 2,
    /** Share of its weight that an outcome keeps if its model changed later, in [0, 1]. */
    olderShare: 0.2
  },
  /** Age above which an outcome is stale, days: three half-lives, which leave an eighth of its weight. */
  staleAfterDays: 90,
  /**
   * Age at which decayed sums are calculated again, ms. Ten minutes of decay change a sum by at most 0.016 %.
   */
  tallyRefreshMs: 600_000,
  /** Age at which a recall checks a cached lane for other processes' writes, ms. */
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
  /** Number of rows per page when a lane is loaded. */
  loadPageRows: 1_000,
  /** Time limit of one read of the database while a lane is loaded, ms. */
  loadPageMs: 4_000,
  /** Settings for making the missing vectors of outcomes with the embeddings endpoint. */
  backfill: {
    /**
     * Minimum share of a lane's outcomes with the endpoint's vector for a recall to use these vectors. A
     * recall by the endpoint's vectors finds no neighbours that lack the endpoint's vector.
     */
    embeddedShareMin: 0.9,
    /** Maximum number of outcomes that one request to the endpoint embeds. */
    pageRows: 32,
    /** Pause before a lane's vectors are made, ms, so that several new outcomes share a request. */
    pauseMs: 250,
    /** Pause of all lanes after making the vectors of one lane failed, ms. */
    retryMs: 5_000,
    /** Pause of a lane in which some outcomes can get no vector, ms; a new outcome ends the pause. */
    fruitlessMs: 3_600_000,
    /** Maximum number of lanes that wait for vectors. */
    lanesMax: 1_000
  },
  /** Settings of reflection, which derives lessons from a lane's outcomes. */
  reflection: {
    /** A reflection is due each time that a lane has this many more taught outcomes. Chosen. */
    every: 25,
    /** Time after which a process searches for due reflections even if its own writes caused none, ms. */
    pollMs: 5_000,
    /** Pause before due reflections run, ms, so that several reflections of a lane run as one. */
    pauseMs: 1_000,
    /** Maximum share of time spent on reflection, because an embedded database answers no one meanwhile. */
    busyShareMax: 0.1,
    /** Time limit of one lane's reflection, ms. */
    laneMs: 60_000,
    /** Maximum number of lanes in one pass over due reflections. */
    lanesPerPass: 50,
    /**
     * Minimum number of days for which a finished reflection is remembered, so that a repeated write does not
     * repeat it.
     */
    keptDays: 30,
    /** Maximum number of newest outcomes that a reflection reads, and of newest step reports. */
    outcomesMax: 20_000,
    /** Number of a lane's newest outcomes that form its session. */
    sessionOutcomes: 50,
    /**
     * Minimum number of outcomes of one cluster and model for a lesson of session scope, and for one of
     * account scope.
     */
    sessionSupportMin: 5,
    accountSupportMin: 8,
    /**
     * Minimum success rate of a preferred model, in [0, 1]: near the middle of the thresholds, 0.55 to 0.92.
     */
    preferRateMin: 0.7,
    /** Maximum difference of two success rates that count as equal, so that the price decides. */
    likeSuccess: 0.05,
    /** Minimum ratio of two models' costs for a lesson about cost. */
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
     * If success and failure lessons contradict each other, the side with less than this share of the weight
     * is superseded.
     */
    supersededShareMax: 0.4,
    /** Maximum number of lessons of one reflection. */
    lessonsMax: 300,
    /**
     * A reflection keeps this many newest success lessons of run scope, and as many failure lessons. Of
     * older lessons, a reflection keeps those that no newer lesson repeats, up to `runLessonsMax` per type.
     */
    runLessonsKept: 1_000,
    runLessonsMax: 5_000
  }
}

export type MemorySettings = Readonly<typeof memorySettings>
export type ReflectionRule = MemorySettings["reflection"]
export type ChangeSettings = MemorySettings["changes"]
export type BackfillRule = MemorySettings["backfill"]

/** Minimum quality at which a success verified by a gate becomes a lesson, in [0, 1]. */
export const lessonQualityMin = 0.8

/** Calculates an outcome's age in days, never negative: a slow clock must not make an outcome heavier. */
export const ageDaysOf = (occurredAtMs: number, nowMs: number): number =>
  Math.max(0, nowMs - occurredAtMs) / dayMs

/** Calculates the weight that age leaves: max(floor, 2^(-age / half-life)), in [floor, 1]. */
export const decayOf = (ageDays: number, settings: MemorySettings): number =>
  Weight.decay(ageDays, settings.decayHalfLifeDays, settings.decayFloor)
