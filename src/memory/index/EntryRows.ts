/* The entries of a lane by row number, with the numbers that a recall reads side by side. */
import type { Cluster } from "../../domain/Task.ts"
import * as Reliability from "../../stats/Reliability.ts"
import { ageDaysOf, type MemorySettings } from "../MemorySettings.ts"
import { idHashOf, type Neighbours, outcomeColumn, outcomeColumns } from "../Neighbours.ts"
import type { ChangeDetection, Series } from "./ChangeDetection.ts"
import { actorNumberOf, type LaneEntry, reliabilityPrior } from "./Entry.ts"

/** The model number of a row without a vector: it is a neighbour of no request. */
export const unembedded = -1

/** A row's numbers: those of its outcome, and behind them when it occurred, ms since 1970. */
const occurredAtColumn = outcomeColumns
const columns = outcomeColumns + 1

/** The time and the rules by which rows are read. */
export interface Moment {
  readonly nowMs: number
  readonly changes: ChangeDetection
  readonly settings: MemorySettings
}

/**
 * A lane's outcomes by row number, without gaps. The numbers that a recall reads of hundreds of rows are in
 * one array, row after row: in separate entry objects they are scattered over the heap, and reading them took
 * longer than all the rest of a neighbour.
 */
export class EntryRows {
  readonly entries: Array<LaneEntry> = []
  /** The series of outcomes of each row. */
  readonly series: Array<Series> = []
  /** The weight of each row in the tallies now. */
  readonly weights: Array<number> = []
  /** The number of each row's model, or {@link unembedded}: what a recall reads of every row. */
  models = new Int32Array(16)
  readonly #ids: Array<string> = []
  readonly #clusters: Array<Cluster> = []
  readonly #tags: Array<ReadonlyArray<string>> = []
  #numbers = new Float64Array(16 * columns)
  #idHashes = new Int32Array(16)

  get size(): number {
    return this.entries.length
  }

  #grow(): void {
    const models = new Int32Array(this.models.length * 2)
    models.set(this.models)
    this.models = models
    const numbers = new Float64Array(this.#numbers.length * 2)
    numbers.set(this.#numbers)
    this.#numbers = numbers
    const idHashes = new Int32Array(this.#idHashes.length * 2)
    idHashes.set(this.#idHashes)
    this.#idHashes = idHashes
  }

  /** Writes a row, which is at most one past the last. */
  set(row: number, entry: LaneEntry, series: Series, weight: number, model: number): void {
    if (row >= this.models.length) this.#grow()
    this.entries[row] = entry
    this.series[row] = series
    this.weights[row] = weight
    this.models[row] = model
    this.#ids[row] = entry.observationId
    this.#clusters[row] = entry.cluster
    this.#tags[row] = entry.tags
    this.#idHashes[row] = idHashOf(entry.observationId)
    const at = row * columns
    const numbers = this.#numbers
    const { votesDown: down, votesUp: up } = entry
    numbers[at + outcomeColumn.quality] = entry.quality
    numbers[at + outcomeColumn.provenanceWeight] = entry.provenanceWeight
    numbers[at + outcomeColumn.propensity] = entry.propensity ?? NaN
    numbers[at + outcomeColumn.inputTokens] = entry.inputTokens ?? NaN
    numbers[at + outcomeColumn.outputTokens] = entry.outputTokens ?? NaN
    numbers[at + outcomeColumn.costUsd] = entry.costUsd ?? NaN
    numbers[at + outcomeColumn.latencyMs] = entry.latencyMs ?? NaN
    numbers[at + outcomeColumn.isCostOutlier] = entry.isCostOutlier ? 1 : 0
    numbers[at + outcomeColumn.actor] = entry.userId === null ? NaN : actorNumberOf(entry.userId)
    numbers[at + outcomeColumn.belief] = Reliability.reliability({ up, down }, reliabilityPrior)
    numbers[at + occurredAtColumn] = entry.occurredAtMs
  }

  /** Removes a row; the last row takes its place. */
  remove(row: number): void {
    const last = this.size - 1
    this.set(row, this.entries[last]!, this.series[last]!, this.weights[last]!, this.models[last]!)
    this.entries.length = last
    this.series.length = last
    this.weights.length = last
    this.#ids.length = last
    this.#clusters.length = last
    this.#tags.length = last
  }

  /** Adds a row to the neighbours of its model. */
  addTo(found: Neighbours, row: number, similarity: number, { changes, nowMs, settings }: Moment): void {
    const at = row * columns
    const occurredAtMs = this.#numbers[at + occurredAtColumn]!
    const ageDays = ageDaysOf(occurredAtMs, nowMs)
    const currentShare = changes.currentShare(this.series[row]!, occurredAtMs, this.entries[row]!)
    const isStale = currentShare < 1 || ageDays > settings.staleAfterDays
    const named = { cluster: this.#clusters[row]!, entryId: this.#ids[row]!, tags: this.#tags[row]! }
    found.add(named, this.#idHashes[row]!, this.#numbers, at, { ageDays, currentShare, isStale, similarity })
  }
}
