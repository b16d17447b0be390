/* Stores the entries of a lane by row number. */
import { clusterNumberOf } from "../../domain/Task.ts"
import * as Reliability from "../../stats/Reliability.ts"
import { ageDaysOf, type MemorySettings } from "../MemorySettings.ts"
import type { Neighbours } from "../Neighbours.ts"
import { idHashOf, measuredFields, outcomeColumn, outcomeColumns } from "../OutcomeColumns.ts"
import type { Series } from "./ChangeDetection.ts"
import { actorNumberOf, type LaneEntry, reliabilityPrior } from "./Entry.ts"
import type { FoundRows } from "./TopK.ts"

/** The model number of a row without a vector, which no recall finds. */
export const unembedded = -1

/** The last number of a row is when its outcome occurred, ms since 1970. */
const occurredAtColumn = outcomeColumns
const columns = outcomeColumns + 1

/**
 * A lane's outcomes by row number. The outcomes' numbers share one array, because reading separate objects is
 * slow.
 */
export class EntryRows {
  readonly entries: Array<LaneEntry> = []
  readonly series: Array<Series> = []
  readonly weights: Array<number> = []
  /** The model number of each row, or {@link unembedded}. A recall reads the model numbers of all rows. */
  models = new Int32Array(16)
  #numbers = new Float64Array(16 * columns)
  /** True if a row has ever had a weak label, so that recalls limit the weight of weak labels. */
  #hasWeak = false

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

  /** Overwrites an existing row, or appends a new row. The row's weight is 0 until {@link weigh} sets it. */
  set(row: number, entry: LaneEntry, series: Series, model: number): void {
    if (row >= this.models.length) this.#grow()
    this.entries[row] = entry
    this.#hasWeak ||= entry.isWeak && entry.provenanceWeight > 0
    this.series[row] = series
    this.weights[row] = 0
    this.models[row] = model
    const at = row * columns
    const numbers = this.#numbers
    const { votesDown: down, votesUp: up } = entry
    numbers[at + outcomeColumn.quality] = entry.quality
    numbers[at + outcomeColumn.provenanceWeight] = entry.provenanceWeight
    numbers[at + outcomeColumn.propensity] = entry.propensity ?? NaN
    numbers[at + outcomeColumn.outputTokens] = entry.outputTokens ?? NaN
    numbers[at + outcomeColumn.costUsd] = entry.costUsd ?? NaN
    numbers[at + outcomeColumn.latencyMs] = entry.latencyMs ?? NaN
    numbers[at + outcomeColumn.isCostOutlier] = entry.isCostOutlier ? 1 : 0
    numbers[at + outcomeColumn.actor] = entry.userId === null ? NaN : actorNumberOf(entry.userId)
    numbers[at + outcomeColumn.belief] = Reliability.reliability({ up, down }, reliabilityPrior)
    numbers[at + outcomeColumn.currentShare] = 1
    numbers[at + outcomeColumn.cluster] = clusterNumberOf(entry.cluster)
    numbers[at + outcomeColumn.idHash] = idHashOf(entry.observationId)
    numbers[at + outcomeColumn.timeToFirstTokenMs] = entry.timeToFirstTokenMs ?? NaN
    numbers[at + occurredAtColumn] = entry.occurredAtMs
  }

  weigh(row: number, weight: number, currentShare: number): void {
    this.weights[row] = weight
    this.#numbers[row * columns + outcomeColumn.currentShare] = currentShare
  }

  forgetMeasured(row: number): void {
    for (const field of measuredFields) this.#numbers[row * columns + outcomeColumn[field]] = NaN
  }

  remove(row: number): void {
    const last = this.size - 1
    this.entries[row] = this.entries[last]!
    this.series[row] = this.series[last]!
    this.weights[row] = this.weights[last]!
    this.models[row] = this.models[last]!
    this.#numbers.copyWithin(row * columns, last * columns, (last + 1) * columns)
    this.entries.length = last
    this.series.length = last
    this.weights.length = last
  }

  /**
   * Limits each model's weak labels to the total weight `weakOutcomesMax`, given to the nearest rows first.
   */
  #boundedWeights(rows: FoundRows["rows"], weakOutcomesMax: number): Float64Array {
    const weights = new Float64Array(rows.length)
    let model = unembedded
    let room = weakOutcomesMax
    for (let i = 0; i < weights.length; i++) {
      const row = rows[i]!
      const weight = weights[i] = this.#numbers[row * columns + outcomeColumn.provenanceWeight]!
      if (this.models[row] !== model) [model, room] = [this.models[row]!, weakOutcomesMax]
      if (this.entries[row]!.isWeak) room -= weights[i] = Math.min(weight, room)
    }
    return weights
  }

  #withWeights(rows: FoundRows["rows"], weights: Float64Array): Float64Array {
    const numbers = new Float64Array(rows.length * outcomeColumns)
    weights.forEach((weight, i) => {
      const [from, to] = [rows[i]! * columns, i * outcomeColumns]
      numbers.set(this.#numbers.subarray(from, from + outcomeColumns), to)
      numbers[to + outcomeColumn.provenanceWeight] = weight
    })
    return numbers
  }

  /** Adds rows that are grouped by model to `neighbours`. The ages of outcomes are measured at `nowMs`. */
  addTo(
    neighbours: Neighbours,
    { rows, similarities }: FoundRows,
    nowMs: number,
    { staleAfterDays, weakOutcomesMax }: Pick<MemorySettings, "staleAfterDays" | "weakOutcomesMax">
  ): void {
    const count = rows.length
    const numbers = this.#numbers
    const outcomes = new Array<LaneEntry>(count)
    const starts = new Int32Array(count)
    const agesDays = new Float64Array(count)
    const staleness = new Uint8Array(count)
    for (let i = 0; i < count; i++) {
      const at = rows[i]! * columns
      const ageDays = ageDaysOf(numbers[at + occurredAtColumn]!, nowMs)
      starts[i] = at
      agesDays[i] = ageDays
      staleness[i] = numbers[at + outcomeColumn.currentShare]! < 1 || ageDays > staleAfterDays ? 1 : 0
      outcomes[i] = this.entries[rows[i]!]!
    }
    const found = { outcomes, similarities, agesDays, staleness }
    if (!this.#hasWeak) return neighbours.addRows({ ...found, numbers, starts })
    neighbours.addRows({
      ...found,
      numbers: this.#withWeights(rows, this.#boundedWeights(rows, weakOutcomesMax)),
      starts: starts.map((_, i) => i * outcomeColumns)
    })
  }
}
