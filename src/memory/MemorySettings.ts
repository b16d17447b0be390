/* Numbers of the memory drivers: decay, staleness, change detection, backfill and reflection. */
import { dayMs } from "../domain/Time.ts"
import type { SustainedRule } from "../stats/SustainedChange.ts"
import * as Weight from "../stats/WeightFactors.ts"

/** When a lane's outcomes are reflected on, and what is then worth a lesson. */
export interface ReflectionRule {
  /** Taught outcomes of a lane between two reflections. */
  readonly every: number
  /** How often a process looks for reflections that another one left, in milliseconds. */
  readonly pollMs: number
  /** Least time between an outcome that made one due, or the last pass, and the next, in milliseconds. */
  readonly pauseMs: number
  /** Most of the time that a process reflects, share. */
  readonly busyShareMax: number
  /** Longest that one lane's reflection may take, in milliseconds. */
  readonly laneMs: number
  /** Lanes reflected on in one pass. */
  readonly lanesPerPass: number
  /** How long a finished reflection is remembered, in days. */
  readonly keptDays: number
  /** Newest outcomes, and steps, of a lane that are looked at. */
  readonly outcomesMax: number
  /** Newest outcomes of a lane that are its session. */
  readonly sessionOutcomes: number
  /** Outcomes of one (cluster, model) from which a session, or the account, yields lessons. */
  readonly sessionSupportMin: number
  readonly accountSupportMin: number
  /** Success rate from which a model can be preferred, in [0, 1]. */
  readonly preferRateMin: number
  /** Success rates closer than this are alike, so that the price decides; probability. */
  readonly likeSuccess: number
  /** How many times dearer at like success is worth a lesson, ratio. */
  readonly dearerRatioMin: number
  /** Reports of a step from which it yields lessons, and the share of failures that is worth one. */
  readonly stepSupportMin: number
  readonly stepFailureShareMin: number
  /** Occurrences from which an error counts as recurring, and as the account's rather than a session's. */
  readonly errorRecurrencesMin: number
  readonly errorAccountMin: number
  /** Share of a (cluster, model)'s decayed evidence below which its lessons are superseded. */
  readonly supersededShareMax: number
  /** Most lessons that one reflection writes. */
  readonly lessonsMax: number
  /** Run lessons kept per type, and most if the older ones are about errors without a newer lesson. */
  readonly runLessonsKept: number
  readonly runLessonsMax: number
}

/** When a model's outcomes in a cluster count as changed, and the share that older ones then keep. */
export interface ChangeSettings extends SustainedRule {
  /** Share in [0, 1]. */
  readonly olderShare: number
}

/** How outcomes that were taught without a vector of the embeddings endpoint get one. */
export interface BackfillRule {
  /** Share of a lane's outcomes with such a vector from which recall uses them, in [0, 1]. */
  readonly embeddedShareMin: number
  /** Outcomes placed at once. */
  readonly pageRows: number
  /** Least time between a request for a lane's vectors and its pass, in milliseconds. */
  readonly pauseMs: number
  /** Pause of a lane after the endpoint failed, in milliseconds. */
  readonly retryMs: number
  /** Pause of a lane with outcomes that cannot get a vector, in milliseconds. */
  readonly fruitlessMs: number
  /** Lanes that wait or cannot get vectors, count. */
  readonly lanesMax: number
}

/** Numbers of the memory drivers. Callers may pass others; these are the defaults. */
export interface MemorySettings {
  /** Most observations kept in a lane's index; the ones of least decayed weight go first. */
  readonly laneObservationsMax: number
  /** Newest observations of a lane that are read when it is loaded. */
  readonly laneLoadMax: number
  /** Age at which an outcome counts for half, in days. */
  readonly decayHalfLifeDays: number
  /** Least share that age leaves to an outcome, in [0, 1]. */
  readonly decayFloor: number
  /** Highest weight of a sole other user's outcomes for a user, outcomes. */
  readonly loneActorMax: number
  /** Highest total weight of a model's weak labels, at each level and among its neighbours, outcomes. */
  readonly weakOutcomesMax: number
  readonly changes: ChangeSettings
  /** Age past which an outcome is called stale, in days. */
  readonly staleAfterDays: number
  /** How long decayed sums are used before they are summed again, in milliseconds. */
  readonly tallyRefreshMs: number
  /** How long a cached lane is used before it is checked for other processes' writes, in milliseconds. */
  readonly pollIntervalMs: number
  /** How long every recall looks for an own write that it has not yet read, in milliseconds. */
  readonly ownWriteWaitMs: number
  /** Most bytes of cached lanes in one process. */
  readonly cacheBytesMax: number
  /** Most entries that one feedback reinforces. */
  readonly reinforcedEntriesMax: number
  /** Most votes, up and down together, of one actor on one entry in one UTC day. */
  readonly votesPerDayMax: number
  /** Age in which an entry's reliability goes half of its way to 0.5, in days. */
  readonly reliabilityHalfLifeDays: number
  /** Rows read per page when a lane is loaded. */
  readonly loadPageRows: number
  /** Longest that such a page may take, in milliseconds. */
  readonly loadPageMs: number
  readonly backfill: BackfillRule
  readonly reflection: ReflectionRule
}

export const memorySettings: MemorySettings = {
  // An exact scan of 20,000 x 256 stays near a millisecond; larger lanes gain nothing measurable.
  laneObservationsMax: 20_000,
  // Twice the cap, so that weight still decides among them; a lane's age must not decide how long it loads.
  laneLoadMax: 40_000,
  // Models and prices change within months; a month-old outcome is still worth half.
  decayHalfLifeDays: 30,
  // An old lane should not fall back to priors that know even less.
  decayFloor: 0.1,
  // Where actors differ by 0.2 and one in ten reports failures alone, 2 errs least (test/simulation/Actors).
  loneActorMax: 2,
  // Labels whose errors differ by e squared then pick hardly worse than no data; twice as much would pick
  // worse (test/simulation/WeakLabels).
  weakOutcomesMax: 4,
  changes: {
    // The drift report's k. Its h of 2 is passed too often where several kinds of task share a cluster: w5's
    // second half fell from 78 to 68 % right picks. At 3 nothing but broken models changes, and w6's is left
    // after 19 outcomes of its kind rather than 28 (npm run bench:workloads, seeds 11-14).
    slack: 0.25,
    limit: 3,
    // Where an unknown model starts in the engine, too (level 1.2 logit), and gone after a few outcomes.
    startMean: 0.75,
    startWeight: 2,
    // Enough that what was true before the change does not vanish, too little to outweigh five newer ones.
    olderShare: 0.2
  },
  // Three half-lives: an eighth of the weight is left.
  staleAfterDays: 90,
  // Ten minutes move a 30-day half-life by 0.02 %.
  tallyRefreshMs: 600_000,
  // Other processes' writes are visible within a second.
  // Of the second that other processes' outcomes may take, the rest is the poll's own and the writing's.
  pollIntervalMs: 750,
  // Longer than any transaction lives; bounds the polling after a rollback.
  ownWriteWaitMs: 30_000,
  // About 300,000 observations of 256 dimensions, each of another text; of few texts more.
  cacheBytesMax: 256 * 1024 * 1024,
  // Credit spread over more neighbours than this says nothing about any of them.
  reinforcedEntriesMax: 8,
  // Half of what the prior weighs: one actor's day moves a new entry by 0.3 at most, and no loop moves it on.
  votesPerDayMax: 5,
  // Two stale ages: models change under their names within months, and half a year says little either way.
  reliabilityHalfLifeDays: 180,
  // Keeps one page's decoding under about 10 ms, so that loading a lane blocks no request.
  loadPageRows: 1_000,
  // Eighty times what a page takes; a recall that waits on a dead connection is back within 5 s.
  loadPageMs: 4_000,
  backfill: {
    // Below it a tenth of what is near would be out of sight, and the words see all of it.
    embeddedShareMin: 0.9,
    // One question to the endpoint.
    pageRows: 32,
    // The transaction of the outcome that is to be placed commits meanwhile.
    pauseMs: 250,
    // An endpoint that is back has a lane of 20,000 placed within minutes; one that is out is asked rarely.
    retryMs: 5_000,
    // What has no text, or a refused one, gets none later.
    fruitlessMs: 3_600_000,
    // As many as ask within an hour on one process; what is forgotten is remembered by its next recall.
    lanesMax: 1_000
  },
  reflection: {
    // Chosen.
    every: 25,
    // A dead process's reflections wait this long at most; the look costs one index read.
    pollMs: 5_000,
    // The transaction that made it due commits meanwhile, and a storm of failures costs one pass a second.
    pauseMs: 1_000,
    // A pass over 20,000 outcomes took 0.1 s on PostgreSQL; on the embedded database requests wait for it.
    busyShareMax: 0.1,
    // A hundred times what a full lane takes: only a database that answers no more takes longer.
    laneMs: 60_000,
    // Bounds the time between two looks; what is left comes next.
    lanesPerPass: 50,
    // Longer than any service sends a write again, which asks whether its outcome had made one due.
    keptDays: 30,
    // As many as the lane's index keeps.
    outcomesMax: 20_000,
    // Two crossings: what changed lately shows, and one odd outcome does not.
    sessionOutcomes: 50,
    // Five of five leave an interval down to 0.57; eight of nine the same for a whole history.
    sessionSupportMin: 5,
    accountSupportMin: 8,
    // The middle of the threshold's range: below it most callers would not have the model.
    preferRateMin: 0.7,
    // The margin that a fallback must be above the threshold by.
    likeSuccess: 0.05,
    // Smaller differences drown in the spread of tokens.
    dearerRatioMin: 1.5,
    // Half of five is past chance for a step that usually holds.
    stepSupportMin: 5,
    stepFailureShareMin: 0.5,
    // Twice may be one caller's retry.
    errorRecurrencesMin: 3,
    errorAccountMin: 10,
    // Between 0.4 and 0.6 neither side has won, and both stay, doubted.
    supersededShareMax: 0.4,
    // Eleven task types of five difficulties, and a few lessons each.
    lessonsMax: 300,
    // What a read looks at; errors that came once are few, but a hostile caller's are not.
    runLessonsKept: 1_000,
    runLessonsMax: 5_000
  }
}

/** Quality from which a gate-verified success is worth a lesson, in [0, 1]: it is promoted, or promotable. */
export const lessonQualityMin = 0.8

/** Age in days, never negative: a clock that runs behind the writer's must not make an outcome weigh more. */
export const ageDaysOf = (occurredAtMs: number, nowMs: number): number =>
  Math.max(0, nowMs - occurredAtMs) / dayMs

/** max(floor, 2^(-age / half-life)), in [floor, 1]. */
export const decayOf = (ageDays: number, settings: MemorySettings): number =>
  Weight.decay(ageDays, settings.decayHalfLifeDays, settings.decayFloor)
