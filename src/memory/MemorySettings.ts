import * as Weight from "../stats/Weight.ts"

/** Numbers of the memory drivers. Callers may pass others; these are the design's. */
export interface MemorySettings {
  /** Most observations kept in a lane's index; the ones of least decayed weight go first. */
  readonly laneObservationsMax: number
  /** Age at which an outcome counts for half, in days. */
  readonly decayHalfLifeDays: number
  /** Least share that age leaves to an outcome, in [0, 1]. */
  readonly decayFloor: number
  /** Age past which an outcome is called stale, in days. */
  readonly staleAfterDays: number
  /** How long decayed sums are used before they are summed again, in milliseconds. */
  readonly tallyRefreshMs: number
  /** How long a cached lane is trusted before other processes' writes are polled for, in milliseconds. */
  readonly pollIntervalMs: number
  /** How long an own write that has not shown up is looked for on every recall, in milliseconds. */
  readonly ownWriteWaitMs: number
  /** Most bytes of cached lanes in one process. */
  readonly cacheBytesMax: number
  /** Most entries that one feedback reinforces. */
  readonly reinforcedEntriesMax: number
  /** Rows read per page when a lane is loaded. */
  readonly loadPageRows: number
}

export const memorySettings: MemorySettings = {
  // An exact scan of 20,000 x 256 stays near a millisecond; larger lanes gain nothing measurable.
  laneObservationsMax: 20_000,
  // Models and prices change within months; a month-old outcome is still worth half.
  decayHalfLifeDays: 30,
  // An old lane should not fall back to priors that know even less.
  decayFloor: 0.1,
  // Three half-lives: an eighth of the weight is left.
  staleAfterDays: 90,
  // Ten minutes move a 30-day half-life by 0.02 %.
  tallyRefreshMs: 600_000,
  // Other processes' writes are visible within a second.
  pollIntervalMs: 1_000,
  // Longer than any transaction lives; bounds the polling after a rollback.
  ownWriteWaitMs: 30_000,
  // About 350,000 observations of 256 dimensions.
  cacheBytesMax: 256 * 1024 * 1024,
  // Credit spread over more neighbours than this says nothing about any of them.
  reinforcedEntriesMax: 8,
  // Keeps one page's decoding under about 10 ms, so that loading a lane blocks no request.
  loadPageRows: 1_000
}

const dayMs = 86_400_000

/** Age in days, never negative: a clock that runs behind the writer's must not make an outcome weigh more. */
export const ageDaysOf = (occurredAtMs: number, nowMs: number): number =>
  Math.max(0, nowMs - occurredAtMs) / dayMs

/** max(floor, 2^(-age / half-life)), in [floor, 1]. */
export const decayOf = (ageDays: number, settings: MemorySettings): number =>
  Weight.decay(ageDays, settings.decayHalfLifeDays, settings.decayFloor)
