/*
 * Changes of models in a lane: detected sustained changes and declared restarts, and the weight that older
 * outcomes keep.
 */
import { modelIdOf } from "../../domain/model/ModelVariant.ts"
import { type ModelRestarts, restartOf } from "../../domain/model/ModelIdentity.ts"
import { expectedOf, unseen, type Watch, watch } from "../../stats/SustainedChange.ts"
import type { ChangeSettings } from "../MemorySettings.ts"
import { agrees, type LaneEntry } from "./Entry.ts"

/** Actors of some outcomes: the only one ("" for outcomes without an actor), several, or none yet. */
type Reporters = { readonly only: string } | "several" | "none"

/** The outcomes of one model in one cluster, in the order in which they occurred. */
export interface Series {
  watch: Watch
  /** The actors of the stretches above and below expectation, and of the last change. */
  above: Reporters
  below: Reporters
  changedBy: Reporters
  /** The time of the newest outcome that was watched, ms since 1970. */
  lastAtMs: number
}

/** Restarts that are kept of a lane, count: twice as many as an account has. Callers name the models. */
const restartsMax = 512

const unwatched = (): Series =>
  ({ watch: unseen, above: "none", below: "none", changedBy: "none", lastAtMs: -Infinity })

const withReporter = (reporters: Reporters, actor: string): Reporters => {
  if (reporters === "none") return { only: actor }
  return reporters === "several" || reporters.only === actor ? reporters : "several"
}

/** The actors of a stretch after an outcome that left, began, shortened or lengthened it. */
const stretchReporters = (
  reporters: Reporters,
  before: Watch["above"],
  after: Watch["above"],
  actor: string
): Reporters => {
  if (after.sinceMs === null) return "none"
  return after.excess > before.excess ? withReporter(reporters, actor) : reporters
}

/**
 * How late an outcome may come without a new scan of its series, ms. Outcomes of one moment commit in any
 * order, and a new scan reads the whole lane.
 */
const toleranceMs = 5_000

/**
 * Sustained changes in a lane, by cluster and model. The result depends on the outcomes and not on the order
 * in which the process read them, except for outcomes of one moment: a series that gets an older outcome is
 * scanned again.
 */
export class ChangeDetection {
  readonly #settings: ChangeSettings
  readonly #series = new Map<string, Map<string, Series>>()
  readonly #disordered = new Set<Series>()
  readonly #restarts = new Map<string, number>()

  constructor(settings: ChangeSettings) {
    this.#settings = settings
  }

  seriesOf({ cluster, modelId }: LaneEntry): Series {
    let ofModel = this.#series.get(modelId)
    if (ofModel === undefined) this.#series.set(modelId, ofModel = new Map())
    let series = ofModel.get(cluster)
    if (series === undefined) ofModel.set(cluster, series = unwatched())
    return series
  }

  /** Takes note of restarts; the series of a model with a later one than before are watched anew. */
  restart(restarts: ModelRestarts): void {
    for (const [modelId, atMs] of restarts) {
      if (atMs <= (this.#restarts.get(modelId) ?? 0)) continue
      this.#restarts.set(modelId, atMs)
      for (const [id, ofModel] of this.#series) {
        if (modelIdOf(id) === modelId) for (const series of ofModel.values()) this.#disordered.add(series)
      }
    }
    for (const id of this.#restarts.keys()) {
      if (this.#restarts.size <= restartsMax) break
      this.#restarts.delete(id)
    }
  }

  /** Whether an outcome is of another model that its id stood for before. */
  isFormer({ modelId, occurredAtMs }: Pick<LaneEntry, "modelId" | "occurredAtMs">): boolean {
    return this.#restarts.size > 0 && occurredAtMs < restartOf(this.#restarts, modelId)
  }

  #step(series: Series, entry: LaneEntry): void {
    const { modelId, quality, provenanceWeight: weight, occurredAtMs: atMs } = entry
    if (this.isFormer({ modelId, occurredAtMs: series.lastAtMs }) && !this.isFormer(entry)) {
      Object.assign(series, unwatched())
    }
    const actor = entry.userId ?? ""
    const before = series.watch
    const expected = expectedOf(before, this.#settings)
    const after = series.watch = watch(before, { quality, weight, atMs }, this.#settings)
    series.lastAtMs = Math.max(series.lastAtMs, atMs)
    if (after.changedAtMs !== before.changedAtMs || after.weight < before.weight) {
      // The outcome that completes a change lengthened the stretch of its own side.
      const side = after.success < after.weight * expected ? series.below : series.above
      series.changedBy = withReporter(side, actor)
      series.above = series.below = "none"
      return
    }
    series.above = stretchReporters(series.above, before.above, after.above, actor)
    series.below = stretchReporters(series.below, before.below, after.below, actor)
    // Another actor who sees the same confirms the change for all.
    if (series.changedBy !== "none" && agrees(expected, quality)) {
      series.changedBy = withReporter(series.changedBy, actor)
    }
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
    const { changedBy, watch: { changedAtMs } } = series
    this.#step(series, entry)
    return series.watch.changedAtMs !== changedAtMs || series.changedBy !== changedBy
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
    for (const each of changed) Object.assign(each, unwatched())
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

  /**
   * The share of its weight that an outcome keeps after later changes of its series, in [0, 1]. A change that
   * a single actor reported reduces only that actor's outcomes; a restart reduces all.
   */
  currentShare(
    { changedBy, watch: { changedAtMs } }: Series,
    occurredAtMs: number,
    entry: Pick<LaneEntry, "modelId" | "userId">
  ): number {
    if (this.#restarts.size > 0 && this.isFormer({ modelId: entry.modelId, occurredAtMs })) {
      return this.#settings.olderShare
    }
    if (changedAtMs === null || occurredAtMs >= changedAtMs) return 1
    // The entry is read here and no earlier: it lies in another part of the heap than a row's numbers.
    const isOwn = typeof changedBy === "string" || changedBy.only === (entry.userId ?? "")
    return isOwn ? this.#settings.olderShare : 1
  }
}
