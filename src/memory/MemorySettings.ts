/* Numbers of the memory drivers: decay, staleness, change detection, backfill and reflection. */
import { dayMs } from "../domain/Time.ts"
import * as Weight from "../stats/WeightFactors.ts"

/** Numbers of the memory drivers, each with its unit and what it was chosen by. Callers may pass others. */
export const memorySettings = {
  /**
   * Most observations kept in a lane's index; the ones of least decayed weight go first. An exact scan of
   * 20,000 x 256 stays near a millisecond; larger lanes gain nothing measurable.
   */
  laneObservationsMax: 20_000,
  /**
   * Newest observations of a lane that are read when it is loaded. Twice the cap, so that weight still
   * decides among them; a lane's age must not decide how long it loads.
   */
  laneLoadMax: 40_000,
  /**
   * Age at which an outcome counts for half, days. Models and prices change within months; a month-old
   * outcome is still worth half.
   */
  decayHalfLifeDays: 30,
  /** Least share that age leaves to an outcome. An old lane should not fall back to priors that know less. */
  decayFloor: 0.1,
  /**
   * Highest weight of a sole other user's outcomes for a user, outcomes. Where
   * actors differ by 0.2 and one in ten reports failures alone, 2 errs least (test/simulation/Actors).
   */
  loneActorMax: 2,
  /**
   * Highest total weight of a model's weak labels, at each level and among its neighbours, outcomes. Labels
   * whose errors differ by e squared then pick hardly worse than no data; twice as much would pick worse
   * (test/simulation/WeakLabels).
   */
  weakOutcomesMax: 4,
  /** When a model's outcomes in a cluster count as changed, and the share that older ones then keep. */
  changes: {
    // The drift report's k. Its h of 2 is passed too often where several kinds of task share a cluster: w5's
    // second half fell from 78 to 68 % right picks. At 3 nothing but broken models changes, and w6's is left
    // after 19 outcomes of its kind rather than 28 (npm run bench:workloads, seeds 11-14).
    slack: 0.25,
    limit: 3,
    // Where an unknown model starts in the engine, too (level 1.2 logit), and gone after a few outcomes.
    startMean: 0.75,
    startWeight: 2,
    /**
     * Share in [0, 1] of older outcomes. Enough that what was true before the change does not vanish, too
     * little to outweigh five newer ones.
     */
    olderShare: 0.2
  },
  /** Age past which an outcome is called stale, days. Three half-lives: an eighth of the weight is left. */
  staleAfterDays: 90,
  /** How long decayed sums are used before they are summed again, ms: they move by 0.02 %. */
  tallyRefreshMs: 600_000,
  /**
   * How long a cached lane is used before it is checked for other processes' writes, ms. They are visible
   * within a second, of which the rest is the poll's own and the writing's.
   */
  pollIntervalMs: 750,
  /**
   * How long every recall looks for an own write that it has not yet read, ms. Longer than any transaction
   * lives; bounds the polling after a rollback.
   */
  ownWriteWaitMs: 30_000,
  /**
   * Most bytes of cached lanes in one process: about 300,000 observations of 256 dimensions, each of another
   * text; of few texts more.
   */
  cacheBytesMax: 256 * 1024 * 1024,
  /** Most entries that one feedback reinforces. Credit spread over more says nothing about any of them. */
  reinforcedEntriesMax: 8,
  /**
   * Most votes, up and down together, of one actor on one entry in one UTC day. Half of what the prior
   * weighs: one actor's day moves a new entry by 0.3 at most, and no loop moves it on.
   */
  votesPerDayMax: 5,
  /**
   * Age in which an entry's reliability goes half of its way to 0.5, days. Two stale ages: models change
   * under their names within months, and half a year says little either way.
   */
  reliabilityHalfLifeDays: 180,
  /**
   * Rows read per page when a lane is loaded. Keeps one page's decoding under about 10 ms, so that loading a
   * lane blocks no request.
   */
  loadPageRows: 1_000,
  /**
   * Time limit of such a page, ms. Eighty times its usual time. A recall that waits on a dead connection
   * returns within 5 s.
   */
  loadPageMs: 4_000,
  /** How outcomes that were taught without a vector of the embeddings endpoint get one. */
  backfill: {
    /**
     * Share of a lane's outcomes that must have such a vector before recall uses vectors, in [0, 1]. Below
     * it, vectors would miss a tenth of the near outcomes; words find all of them.
     */
    embeddedShareMin: 0.9,
    /** Outcomes placed at once: one question to the endpoint. */
    pageRows: 32,
    /** Least time between a request for a lane's vectors and its pass, ms: the outcome commits meanwhile. */
    pauseMs: 250,
    /**
     * Pause of a lane after the endpoint failed, ms. One that is back has a lane of 20,000 placed within
     * minutes; one that is out is asked rarely.
     */
    retryMs: 5_000,
    /** Pause of a lane with outcomes that cannot get a vector, ms: without a text, or with a refused one. */
    fruitlessMs: 3_600_000,
    /**
     * Lanes that wait or cannot get vectors, count. As many as ask within an hour on one process; what
     * is forgotten is remembered by its next recall.
     */
    lanesMax: 1_000
  },
  /** When Sextant reflects on a lane's outcomes, and which results become lessons. */
  reflection: {
    /** Taught outcomes of a lane between two reflections. Chosen. */
    every: 25,
    /** How often a process looks for reflections that another one left, ms. The look costs one index read. */
    pollMs: 5_000,
    /**
     * Least time between an outcome that made one due, or the last pass, and the next, ms. Its transaction
     * commits meanwhile, and a storm of failures costs one pass a second.
     */
    pauseMs: 1_000,
    /**
     * Largest share of a process's time spent on reflection. A pass over 20,000 outcomes took 0.1 s on
     * PostgreSQL; on the embedded database, requests wait for it.
     */
    busyShareMax: 0.1,
    /** Time limit of one lane's reflection, ms: a hundred times that of a full lane. */
    laneMs: 60_000,
    /** Lanes reflected on in one pass; the others wait for the next. */
    lanesPerPass: 50,
    /**
     * How long a finished reflection is remembered, days. Longer than any service sends a write again, which
     * asks whether its outcome had made one due.
     */
    keptDays: 30,
    /** Newest outcomes, and steps, of a lane that are looked at: as many as the lane's index keeps. */
    outcomesMax: 20_000,
    /**
     * Newest outcomes of a lane that are its session. Two crossings: what changed lately shows, and one odd
     * outcome does not.
     */
    sessionOutcomes: 50,
    /**
     * Least outcomes of one (cluster, model) for a lesson of the session, and of the account. Five of five
     * leave an interval down to 0.57; eight of nine the same for a whole history.
     */
    sessionSupportMin: 5,
    accountSupportMin: 8,
    /**
     * Success rate from which a model can be preferred, in [0, 1]. The middle of the threshold's range: below
     * it most callers would not have the model.
     */
    preferRateMin: 0.7,
    /**
     * Success rates closer than this are alike, so that the price decides; probability. The margin that a
     * fallback must be above the threshold by.
     */
    likeSuccess: 0.05,
    /** How many times dearer at like success is worth a lesson. Less drowns in the spread of tokens. */
    dearerRatioMin: 1.5,
    /**
     * Reports of a step from which it yields lessons, and the share of failures that is worth one. Half of
     * five is past chance for a step that usually holds.
     */
    stepSupportMin: 5,
    stepFailureShareMin: 0.5,
    /**
     * Occurrences from which an error counts as recurring, and as the account's rather than a session's.
     * Twice may be one caller's retry.
     */
    errorRecurrencesMin: 3,
    errorAccountMin: 10,
    /**
     * Where lessons of success and of failure contradict each other: the share of the (cluster, model)'s
     * decayed outcomes below which a side's lessons are superseded. If each side has 0.4 to 0.6, neither has
     * won: both stay, with less confidence.
     */
    supersededShareMax: 0.4,
    /** Most lessons that one reflection writes: eleven task types of five difficulties, a few each. */
    lessonsMax: 300,
    /**
     * Run lessons kept per type, which a read looks at, and most if the older ones are about errors without a
     * newer lesson: errors that came once are few, but a hostile caller's are not.
     */
    runLessonsKept: 1_000,
    runLessonsMax: 5_000
  }
}

export type MemorySettings = Readonly<typeof memorySettings>
export type ReflectionRule = MemorySettings["reflection"]
export type ChangeSettings = MemorySettings["changes"]
export type BackfillRule = MemorySettings["backfill"]

/** Quality from which a gate-verified success is worth a lesson, in [0, 1]: it is promoted, or promotable. */
export const lessonQualityMin = 0.8

/** Age in days, never negative: a clock that runs behind the writer's must not make an outcome weigh more. */
export const ageDaysOf = (occurredAtMs: number, nowMs: number): number =>
  Math.max(0, nowMs - occurredAtMs) / dayMs

/** max(floor, 2^(-age / half-life)), in [floor, 1]. */
export const decayOf = (ageDays: number, settings: MemorySettings): number =>
  Weight.decay(ageDays, settings.decayHalfLifeDays, settings.decayFloor)
