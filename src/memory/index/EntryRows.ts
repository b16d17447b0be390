/* The entries of a lane by row number, with the numbers that a recall reads side by side. */
import type { Cluster } from "../../domain/Task.ts"
import * as Reliability from "../../stats/Reliability.ts"
import type { Neighbour } from "../Memory.ts"
import { ageDaysOf, type MemorySettings } from "../MemorySettings.ts"
import type { ChangeDetection, Series } from "./ChangeDetection.ts"
import { actorNumberOf, type LaneEntry, reliabilityPrior } from "./Entry.ts"

/** The model number of a row without a vector: it is a neighbour of no request. */
export const unembedded = -1

/** The position of each number of an outcome in its row; NaN stands for null. */
const column = {
  occurredAtMs: 0, quality: 1, provenanceWeight: 2, belief: 3, propensity: 4, inputTokens: 5, outputTokens: 6,
  costUsd: 7, latencyMs: 8, isCostOutlier: 9, actor: 10
}
const columns = 11

/** The time and the rules by which rows are read. */
export interface Moment {
  readonly nowMs: number
  readonly changes: ChangeDetection
  readonly settings: MemorySettings
  /** Whose request it is; null limits the neighbours to no actor. */
  readonly userId: string | null
}

const noActor = {}

const orNull = (value: number): number | null => Number.isNaN(value) ? null : value

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
      entry.isCostOutlier ? 1 : 0,
      entry.userId === null ? NaN : actorNumberOf(entry.userId)
    ], row * columns)
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

  /** The row of a model as a neighbour. */
  neighbour(
    row: number,
    modelId: string,
    similarity: number,
    { changes, nowMs, settings, userId }: Moment
  ): Neighbour {
    const numbers = this.#numbers
    const at = row * columns
    const occurredAtMs = numbers[at + column.occurredAtMs]!
    const ageDays = ageDaysOf(occurredAtMs, nowMs)
    const currentShare = changes.currentShare(this.series[row]!, occurredAtMs, this.entries[row]!)
    const belief = numbers[at + column.belief]!
    const actor = numbers[at + column.actor]!
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
      isCostOutlier: numbers[at + column.isCostOutlier] === 1,
      ...(userId === null && !Number.isNaN(actor) ? { actor } : noActor)
    }
  }
}
