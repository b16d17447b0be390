/* Detects sustained changes of models in a lane, and what such a change leaves of older outcomes. */
import { unseen, type Watch, watch } from "../../stats/Sustained.ts"
import type { ChangeSettings } from "../MemorySettings.ts"
import type { LaneEntry } from "./Entry.ts"

/** The outcomes of one model in one cluster, in the order in which they occurred. */
export interface Series {
  watch: Watch
  /** The time of the newest outcome that was watched, ms since 1970. */
  lastAtMs: number
}

/**
 * Longest time by which an outcome may come late without a new look at its series, ms: outcomes of one moment
 * commit in any order, and watching a series anew reads the whole lane.
 */
const toleranceMs = 5_000

/**
 * Sustained changes in a lane, by cluster and model. The result depends on the outcomes and not on the order
 * in which the process learned of them, except for outcomes of one moment: a series that gets an older
 * outcome is watched anew.
 */
export class ChangeDetection {
  readonly #settings: ChangeSettings
  readonly #series = new Map<string, Map<string, Series>>()
  readonly #disordered = new Set<Series>()

  constructor(settings: ChangeSettings) {
    this.#settings = settings
  }

  seriesOf({ cluster, modelId }: LaneEntry): Series {
    let ofModel = this.#series.get(modelId)
    if (ofModel === undefined) this.#series.set(modelId, ofModel = new Map())
    let series = ofModel.get(cluster)
    if (series === undefined) ofModel.set(cluster, series = { watch: unseen, lastAtMs: -Infinity })
    return series
  }

  #step(series: Series, entry: LaneEntry): void {
    series.watch = watch(series.watch, {
      quality: entry.quality,
      weight: entry.provenanceWeight,
      atMs: entry.occurredAtMs
    }, this.#settings)
    series.lastAtMs = Math.max(series.lastAtMs, entry.occurredAtMs)
  }

  /** How many pairs of cluster and model are watched. */
  get size(): number {
    return [...this.#series.values()].reduce((sum, ofModel) => sum + ofModel.size, 0)
  }

  /** Drops all series but these. Callers name models, so the number of series has no bound otherwise. */
  keep(series: ReadonlySet<Series>): void {
    for (const [modelId, ofModel] of this.#series) {
      for (const [cluster, each] of ofModel) {
        if (series.has(each)) continue
        ofModel.delete(cluster)
        this.#disordered.delete(each)
      }
      if (ofModel.size === 0) this.#series.delete(modelId)
    }
  }

  /** Watches a new outcome; yields whether the series changed with it. */
  add(series: Series, entry: LaneEntry): boolean {
    if (this.#disordered.has(series)) return false
    if (entry.occurredAtMs < series.lastAtMs - toleranceMs) {
      this.#disordered.add(series)
      return false
    }
    const before = series.watch.changedAtMs
    this.#step(series, entry)
    return series.watch.changedAtMs !== before
  }

  /** Marks a series in which an outcome was replaced, so that it is watched anew. */
  revise(series: Series): void {
    this.#disordered.add(series)
  }

  /**
   * Watches anew the series that got an older or a replaced outcome; yields them. `series[i]` is that of
   * entry i.
   */
  settle(entries: ReadonlyArray<LaneEntry>, series: ReadonlyArray<Series>): ReadonlySet<Series> {
    if (this.#disordered.size === 0) return this.#disordered
    const changed = new Set(this.#disordered)
    for (const each of changed) {
      each.watch = unseen
      each.lastAtMs = -Infinity
    }
    const inOrder = entries
      .map((entry, row) => ({ entry, own: series[row]! }))
      .filter(({ own }) => changed.has(own))
      .sort((one, other) =>
        one.entry.occurredAtMs - other.entry.occurredAtMs
        || (one.entry.observationId < other.entry.observationId ? -1 : 1))
    for (const { entry, own } of inOrder) this.#step(own, entry)
    this.#disordered.clear()
    return changed
  }

  /** The share of an outcome that later changes of its series leave, in [0, 1]. */
  currentShare(
    { watch: { changedAtMs } }: Series,
    { occurredAtMs }: Pick<LaneEntry, "occurredAtMs">
  ): number {
    return changedAtMs !== null && occurredAtMs < changedAtMs ? this.#settings.olderShare : 1
  }
}
