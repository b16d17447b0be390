import type { Cluster } from "../../domain/Task.ts"
import * as Reliability from "../../stats/Reliability.ts"
import type { ChangeDetection, Series } from "./ChangeDetection.ts"
import { type LaneEntry, reliabilityPrior } from "./Entry.ts"
import type { Neighbour } from "../Memory.ts"
import { ageDaysOf, type MemorySettings } from "../MemorySettings.ts"

/** Of a row whose outcome has no vector: it is of no model's neighbours. */
export const unembedded = -1

/** Where each number of an outcome stands in its row; NaN is null. */
const column = {
  occurredAtMs: 0, quality: 1, provenanceWeight: 2, belief: 3, propensity: 4, inputTokens: 5, outputTokens: 6,
  costUsd: 7, latencyMs: 8, isCostOutlier: 9
}
const columns = 10

/** When rows are looked at, and by which rules. */
export interface Moment {
  readonly nowMs: number
  readonly changes: ChangeDetection
  readonly settings: MemorySettings
}

const orNull = (value: number): number | null => Number.isNaN(value) ? null : value

/**
 * A lane's outcomes by row number, without gaps. What a recall reads of the hundreds of rows that it yields
 * stands in one array, row after row: an entry's own numbers are scattered over the heap, and waiting for
 * them took longer than all the rest of a neighbour.
 */
export class EntryRows {
  readonly entries: Array<LaneEntry> = []
  /** The series of outcomes that each row belongs to. */
  readonly series: Array<Series> = []
  /** What each row weighs in the tallies now. */
  readonly weights: Array<number> = []
  /** The small number of each row's model, or `unplaced`: what a recall reads of every row. */
  models = new Int32Array(16)
  readonly #ids: Array<string> = []
  readonly #clusters: Array<Cluster> = []
  readonly #tags: Array<ReadonlyArray<string>> = []
  #numbers = new Float64Array(16 * columns)

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
  }

  /** Writes a row, at most one past the last. */
  set(row: number, entry: LaneEntry, series: Series, weight: number, model: number): void {
    if (row >= this.models.length) this.#grow()
    this.entries[row] = entry
    this.series[row] = series
    this.weights[row] = weight
    this.models[row] = model
    this.#ids[row] = entry.observationId
    this.#clusters[row] = entry.cluster
    this.#tags[row] = entry.tags
    this.#numbers.set([
      entry.occurredAtMs,
      entry.quality,
      entry.provenanceWeight,
      Reliability.reliability({ up: entry.votesUp, down: entry.votesDown }, reliabilityPrior),
      entry.propensity ?? NaN,
      entry.inputTokens ?? NaN,
      entry.outputTokens ?? NaN,
      entry.costUsd ?? NaN,
      entry.latencyMs ?? NaN,
      entry.isCostOutlier ? 1 : 0
    ], row * columns)
  }

  /** Removes a row; the last one takes its place. */
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

  /** A row of this model as a neighbour. */
  neighbour(
    row: number,
    modelId: string,
    similarity: number,
    { changes, nowMs, settings }: Moment
  ): Neighbour {
    const numbers = this.#numbers
    const at = row * columns
    const occurredAtMs = numbers[at + column.occurredAtMs]!
    const ageDays = ageDaysOf(occurredAtMs, nowMs)
    const currentShare = changes.currentShare(this.series[row]!, { occurredAtMs })
    const belief = numbers[at + column.belief]!
    return {
      entryId: this.#ids[row]!,
      modelId,
      cluster: this.#clusters[row]!,
      tags: this.#tags[row]!,
      similarity,
      reliability: Reliability.aged(belief, ageDays, settings.reliabilityHalfLifeDays),
      quality: numbers[at + column.quality]!,
      ageDays,
      isStale: currentShare < 1 || ageDays > settings.staleAfterDays,
      currentShare,
      provenanceWeight: numbers[at + column.provenanceWeight]!,
      propensity: orNull(numbers[at + column.propensity]!),
      inputTokens: orNull(numbers[at + column.inputTokens]!),
      outputTokens: orNull(numbers[at + column.outputTokens]!),
      costUsd: orNull(numbers[at + column.costUsd]!),
      latencyMs: orNull(numbers[at + column.latencyMs]!),
      isCostOutlier: numbers[at + column.isCostOutlier] === 1
    }
  }
}
