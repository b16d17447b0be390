/* Numbers of the memory drivers: decay, staleness, change detection, backfill and reflection. */
import { dayMs } from "../domain/Time.ts"
import * as Weight from "../stats/WeightFactors.ts"

/** Default settings of the memory drivers, each with its unit and reason. Tests pass other values. */
export const memorySettings = {
  /**
   * Most outcomes in a lane's index. Outcomes of least decayed weight are dropped first. An exact scan of
   * 20,000 x 256 takes about a millisecond, and larger lanes gain nothing measurable.
   */
  laneObservationsMax: 20_000,
  /**
   * Most outcomes read when a lane is loaded, the newest first. The limit keeps the loading of old lanes
   * short. Twice the index's limit leaves a choice by weight.
   */
  laneLoadMax: 40_000,
  /** Age at which an outcome weighs half, days. Models and prices change within months. */
  decayHalfLifeDays: 30,
  /** Least share of weight that age leaves. Even old outcomes tell more than a prior. */
  decayFloor: 0.1,
  /**
   * Highest weight of a sole other user's outcomes, in outcomes. With 2 the error is least if actors differ
   * by 0.2 and one in ten reports only failures (test/simulation/Actors).
   */
  loneActorMax: 2,
  /**
   * Highest total weight of a model's weak labels, in outcomes. The limit applies to each tally and to the
   * neighbours. With 4, labels whose error odds differ by e squared pick hardly worse than no data. With 8,
   * such labels pick worse (test/simulation/WeakLabels).
   */
  weakOutcomesMax: 4,
  /** Detection of a sustained change of a model in a cluster, and the weight of older outcomes after it. */
  changes: {
    // `slack` is k of the drift report. A limit of 2, as there, finds false changes if several kinds of task
    // share a cluster. The share of right picks of workload w5 then fell from 78 to 68 %. At 3 only broken
    // models change. The broken model of w6 is left after 19 outcomes instead of 28 (npm run bench:workloads,
    // seeds 11-14).
    slack: 0.25,
    limit: 3,
    // The engine's start for unknown models (1.2 logit). A few outcomes outweigh this start.
    startMean: 0.75,
    startWeight: 2,
    /**
     * Share of weight that outcomes from before a change keep, in [0, 1]. Five older outcomes then weigh as
     * much as a new one.
     */
    olderShare: 0.2
  },
  /** Age from which an outcome is stale, days. After three half-lives an eighth of the weight is left. */
  staleAfterDays: 90,
  /** Age at which decayed sums are calculated again, ms. Decay changes the sums by 0.02 % in this time. */
  tallyRefreshMs: 600_000,
  /**
   * Age at which a cached lane is checked for other processes' writes, ms. Writes must be visible within a
   * second, so 250 ms remain for the check itself.
   */
  pollIntervalMs: 750,
  /**
   * How long recalls look for a write of their own process, ms. No transaction lives longer, so this only
   * limits the search after a rollback.
   */
  ownWriteWaitMs: 30_000,
  /**
   * Most bytes of cached lanes in one process: about 300,000 outcomes of different texts with 256 dimensions.
   */
  cacheBytesMax: 256 * 1024 * 1024,
  /** Most entries that one feedback votes on. Credit spread over more entries tells nothing about each. */
  reinforcedEntriesMax: 8,
  /**
   * Most votes of one actor on one entry in one UTC day, count. Five votes are half of the prior's weight. So
   * an actor moves a new entry's reliability by at most 0.3 a day.
   */
  votesPerDayMax: 5,
  /**
   * Age at which an entry's reliability has moved half of its way to 0.5, days: twice `staleAfterDays`.
   * Models change under the same name within months.
   */
  reliabilityHalfLifeDays: 180,
  /** Rows read per page when a lane is loaded. Decoding a page takes about 10 ms, so requests hardly wait. */
  loadPageRows: 1_000,
  /** Time limit of a page, ms: eighty times its usual time. A recall on a dead connection ends within 5 s. */
  loadPageMs: 4_000,
  /** Adding missing vectors of the embeddings endpoint to taught outcomes. */
  backfill: {
    /**
     * Least share of a lane's outcomes with a vector, in [0, 1]. With a lower share, recall uses the built-in
     * embedder, because the endpoint's vectors would miss too many near outcomes.
     */
    embeddedShareMin: 0.9,
    /** Outcomes per request to the endpoint, count. */
    pageRows: 32,
    /** Wait before a lane's vectors are made, ms. The transaction of its new outcome commits meanwhile. */
    pauseMs: 250,
    /**
     * Pause after the endpoint failed, ms. A failed endpoint is asked rarely. When the endpoint works again,
     * a lane of 20,000 outcomes gets its vectors within minutes.
     */
    retryMs: 5_000,
    /** Pause of a lane whose remaining outcomes have no text or a refused text, ms. */
    fruitlessMs: 3_600_000,
    /**
     * Most lanes remembered that lack vectors, count. A forgotten lane is remembered again at its next
     * recall.
     */
    lanesMax: 1_000
  },
  /** Reflection: when Sextant derives lessons from a lane's outcomes, and which ones. */
  reflection: {
    /** Taught outcomes of a lane between two reflections, count. Chosen. */
    every: 25,
    /** Pause between two searches for reflections that another process left, ms. A search reads one index. */
    pollMs: 5_000,
    /**
     * Wait before a pass over the due reflections, ms. The outcome's transaction commits meanwhile, and many
     * failures at once cost one pass a second.
     */
    pauseMs: 1_000,
    /**
     * Highest share of time spent on reflection, in (0, 1]. A pass over 20,000 outcomes took 0.1 s on
     * PostgreSQL. With the embedded database, requests wait for a pass.
     */
    busyShareMax: 0.1,
    /** Time limit of one lane's reflection, ms. A full lane takes far less. */
    laneMs: 60_000,
    /** Most lanes in one pass, count. The other lanes wait for the next pass. */
    lanesPerPass: 50,
    /**
     * How long a finished reflection is remembered, days. The answer to a repeated write says whether its
     * outcome caused a reflection. No service repeats a write after 30 days.
     */
    keptDays: 30,
    /** Newest outcomes, and newest steps, that a reflection reads: as many as a lane's index keeps. */
    outcomesMax: 20_000,
    /**
     * Newest outcomes of a lane that form its session, count: twice `every`. In a session of 50, recent
     * changes show, but a single odd outcome does not.
     */
    sessionOutcomes: 50,
    /**
     * Least outcomes of one cluster and model for a lesson of session scope, and of account scope. Five
     * successes of five give a 95 % interval from 0.57; eight of nine give the same.
     */
    sessionSupportMin: 5,
    accountSupportMin: 8,
    /** Least success rate of a preferred model, in [0, 1]: the middle of the range of thresholds. */
    preferRateMin: 0.7,
    /**
     * Success rates that differ by less are alike, so the price decides. The engine uses the same margin for
     * a fallback above the threshold.
     */
    likeSuccess: 0.05,
    /**
     * Least ratio of costs at like success for a lesson. Smaller ratios are lost in the variation of tokens.
     */
    dearerRatioMin: 1.5,
    /**
     * Least reports of a step for a lesson, and the least share of failures among them. Half of five failures
     * is more than chance for a step that usually succeeds.
     */
    stepSupportMin: 5,
    stepFailureShareMin: 0.5,
    /**
     * Least occurrences of an error for a lesson of session scope, and of account scope. Two occurrences may
     * be one caller's retry.
     */
    errorRecurrencesMin: 3,
    errorAccountMin: 10,
    /**
     * Success and failure lessons of a model contradict each other. A side with a lower share of the decayed
     * outcomes is superseded. If both sides have a share of 0.4 to 0.6, both stay with less confidence.
     */
    supersededShareMax: 0.4,
    /** Most lessons of one reflection, count: a few for each of 55 clusters. */
    lessonsMax: 300,
    /**
     * Lessons of run scope kept per type, count. Up to `runLessonsMax` lessons are kept if the older ones are
     * about errors without a newer lesson. The limit holds even if a hostile caller reports many different
     * errors.
     */
    runLessonsKept: 1_000,
    runLessonsMax: 5_000
  }
}

export type MemorySettings = Readonly<typeof memorySettings>
export type ReflectionRule = MemorySettings["reflection"]
export type ChangeSettings = MemorySettings["changes"]
export type BackfillRule = MemorySettings["backfill"]

/** Least quality of a gate-verified success that is worth a lesson, in [0, 1]. */
export const lessonQualityMin = 0.8

/**
 * Calculates an age in days. The age is never negative, because a slow clock must not make an outcome
 * heavier.
 */
export const ageDaysOf = (occurredAtMs: number, nowMs: number): number =>
  Math.max(0, nowMs - occurredAtMs) / dayMs

/** Calculates the weight that age leaves: max(floor, 2^(-age / half-life)), in [floor, 1]. */
export const decayOf = (ageDays: number, settings: MemorySettings): number =>
  Weight.decay(ageDays, settings.decayHalfLifeDays, settings.decayFloor)
