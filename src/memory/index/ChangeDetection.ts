/* Finds when the models of a lane changed, and reduces the weight of outcomes from before a change. A change
   is detected from outcomes, or declared as a restart. */
import { modelIdOf } from "../../domain/model/ModelVariant.ts"
import { type ModelRestarts, restartOf } from "../../domain/model/ModelIdentity.ts"
import { expectedOf, unseen, type Watch, watch } from "../../stats/SustainedChange.ts"
import type { ChangeSettings } from "../MemorySettings.ts"
import { agrees, type LaneEntry } from "./Entry.ts"

/** The reporting actors: none, only one, or several. An outcome without an actor has the actor "". */
type Reporters = { readonly only: string } | "several" | "none"

/** A series: the state of change detection over the outcomes of one model in one cluster, by time. */
export interface Series {
  watch: Watch
  above: Reporters
  below: Reporters
  changedBy: Reporters
  /** Time of the newest outcome that was read, ms since 1970; -Infinity before the first. */
  lastAtMs: number
}

/** Maximum number of kept restarts (ids that began to name another model). */
const restartsMax = 512

const unwatched = (): Series =>
  ({ watch: unseen, above: "none", below: "none", changedBy: "none", lastAtMs: -Infinity })

const withReporter = (reporters: Reporters, actor: string): Reporters => {
  if (reporters === "none") return { only: actor }
  return reporters === "several" || reporters.only === actor ? reporters : "several"
}

/** Returns the actors who reported a stretch of outcomes above, or below, the expected quality. */
const stretchReporters = (
  reporters: Reporters,
  before: Watch["above"],
  after: Watch["above"],
  actor: string
): Reporters => {
  if (after.sinceMs === null) return "none"
  return after.excess > before.excess ? withReporter(reporters, actor) : reporters
}

/** Time by which a new outcome may be older than the newest outcome of its series without a new scan, ms. */
const toleranceMs = 5_000

/** A series that gets an older outcome is scanned again, so that the order of reading hardly matters. */
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

  /** If a model id's restart time is later than the known one, the id's series are marked for a new scan. */
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
      // The actor of the outcome that completes a change is one of the change's reporters.
      const side = after.success < after.weight * expected ? series.below : series.above
      series.changedBy = withReporter(side, actor)
      series.above = series.below = "none"
      return
    }
    series.above = stretchReporters(series.above, before.above, after.above, actor)
    series.below = stretchReporters(series.below, before.below, after.below, actor)
    // An outcome of another actor that agrees with the change confirms it for all actors.
    if (series.changedBy !== "none" && agrees(expected, quality)) {
      series.changedBy = withReporter(series.changedBy, actor)
    }
  }

  get size(): number {
    return [...this.#series.values()].reduce((sum, ofModel) => sum + ofModel.size, 0)
  }

  /** Drops all series except the given ones: callers name the models, so series need a limit. */
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

  /** Reads a new outcome; true if it reveals a change, or if its actor is the second to report a change. */
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

  revise(series: Series): void {
    this.#disordered.add(series)
  }

  /** Scans all marked series again, and returns them. `series[i]` is the series of `entries[i]`. */
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
   * Returns the share of its weight that an outcome keeps after later changes, in [0, 1]. A change that only
   * one actor reported reduces only the weight of that actor's outcomes. If an id begins to name another
   * model, the weight of all actors' earlier outcomes is reduced.
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
    const isOwn = typeof changedBy === "string" || changedBy.only === (entry.userId ?? "")
    return isOwn ? this.#settings.olderShare : 1
  }
}
