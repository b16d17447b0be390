/* The neighbours of a recall as columns of numbers. Only rows that are shown or sent become objects. */
import { clusterNumberOf } from "../domain/Task.ts"
import * as Reliability from "../stats/Reliability.ts"
import type { Measurement, Neighbour } from "./Neighbour.ts"
import {
  type AddedRows, idHashOf, type MeasuredField, outcomeColumn, outcomeColumns, type RecalledOutcome
} from "./OutcomeColumns.ts"

/*
 * A recall finds several hundred outcomes, a prediction reads some fifty of them, and an answer shows some
 * twenty. Making them objects took longer than finding them.
 */

/** Columns of a neighbour: the outcome's own, then three that depend on the query. */
const column = { ...outcomeColumn, similarity: 13, ageDays: 14, isStale: 15 } as const
const columns = 16

/** How the numbers of an outcome are read. */
interface NumberReading {
  /** Half-life of the reliabilities, days; null if they are already as of now. */
  readonly reliabilityHalfLifeDays: number | null
  /** Whether all outcomes are the requesting actor's own; these have no actor number. */
  readonly isOfOneActor: boolean
}

const asWritten: NumberReading = { reliabilityHalfLifeDays: null, isOfOneActor: false }

/** Rows `from` to `to` - 1: the neighbours of one model. */
export interface RowRange {
  readonly from: number
  readonly to: number
}

const noRows: RowRange = { from: 0, to: 0 }
const noActor = {}

const orNull = (value: number): number | null => Number.isNaN(value) ? null : value

/**
 * Neighbours, one model after another, the most similar of each model first. All values are copies, because
 * the lane may change while a request still reads them. `outcomeColumn` and `column` are the layout of a row.
 */
export class Neighbours implements Iterable<Neighbour> {
  /** One column after another, each with room for the most rows. */
  readonly #numbers: Float64Array
  readonly #rowsMax: number
  readonly #outcomes: Array<RecalledOutcome> = []
  readonly #modelIds: Array<string> = []
  /** The first row of each model. */
  readonly #starts: Array<number> = []
  readonly #reading: NumberReading

  /** @param rowsMax most rows that are added */
  constructor(rowsMax: number, reading: NumberReading = asWritten) {
    this.#numbers = new Float64Array(rowsMax * columns)
    this.#rowsMax = rowsMax
    this.#reading = reading
  }

  /** The rows of these objects, grouped by model; the rows of one model keep their order. */
  static of(found: ReadonlyArray<Neighbour>): Neighbours {
    const self = new Neighbours(found.length)
    for (const [modelId, own] of Map.groupBy(found, (each) => each.modelId)) {
      self.addModel(modelId, self.length)
      self.addRows({
        outcomes: own.map((each) => ({ ...each, observationId: each.entryId })),
        numbers: own.flatMap((each) => [
          each.quality, each.provenanceWeight, each.propensity ?? NaN, each.outputTokens ?? NaN,
          each.costUsd ?? NaN, each.latencyMs ?? NaN, each.isCostOutlier ? 1 : 0, each.actor ?? NaN,
          each.reliability, each.currentShare, clusterNumberOf(each.cluster), idHashOf(each.entryId),
          each.timeToFirstTokenMs ?? NaN
        ]),
        starts: own.map((_, i) => i * outcomeColumns),
        similarities: own.map((each) => each.similarity),
        agesDays: own.map((each) => each.ageDays),
        staleness: own.map((each) => each.isStale ? 1 : 0)
      })
    }
    return self
  }

  /** The columns of measurements by telemetry; columns that only a neighbour has are empty. */
  static ofMeasurements(found: ReadonlyArray<Measurement>): Neighbours {
    return Neighbours.of(found.map((each) => ({
      entryId: "", quality: 0, provenanceWeight: 0, propensity: null, inputTokens: null,
      reliability: 0, ageDays: 0, isStale: false, currentShare: 1, ...each
    })))
  }

  /** Adds a model, whose neighbours are the rows from `from` on. */
  addModel(modelId: string, from: number): void {
    this.#modelIds.push(modelId)
    this.#starts.push(from)
  }

  /** Appends outcomes. */
  addRows({ agesDays, numbers, outcomes, similarities, staleness, starts }: AddedRows): void {
    const own = this.#numbers
    const from = this.length
    const count = outcomes.length
    // Column by column: reading one row then does not wait for the row before.
    for (let at = 0; at < outcomeColumns; at++) {
      const first = at * this.#rowsMax + from
      for (let i = 0; i < count; i++) own[first + i] = numbers[starts[i]! + at]!
    }
    own.set(similarities, column.similarity * this.#rowsMax + from)
    own.set(agesDays, column.ageDays * this.#rowsMax + from)
    own.set(staleness, column.isStale * this.#rowsMax + from)
    for (const outcome of outcomes) this.#outcomes.push(outcome)
  }

  get length(): number {
    return this.#outcomes.length
  }

  /** The same for the same set of entries in any order; null without any. */
  get fingerprint(): number | null {
    let sum = this.length
    for (let row = 0; row < this.length; row++) sum = sum + this.#number(row, column.idHash) | 0
    return this.length === 0 ? null : sum
  }

  /** The rows of a model; none of one without neighbours. */
  rowsOf(modelId: string): RowRange {
    const model = this.#modelIds.indexOf(modelId)
    return model < 0 ? noRows : { from: this.#starts[model]!, to: this.#starts[model + 1] ?? this.length }
  }

  entryId(row: number): string {
    return this.#outcomes[row]!.observationId
  }

  #number(row: number, at: number): number {
    return this.#numbers[at * this.#rowsMax + row]!
  }

  /** As `clusterNumberOf` gives it. */
  clusterNumber(row: number): number {
    return this.#number(row, column.cluster)
  }

  similarity(row: number): number {
    return this.#number(row, column.similarity)
  }

  ageDays(row: number): number {
    return this.#number(row, column.ageDays)
  }

  currentShare(row: number): number {
    return this.#number(row, column.currentShare)
  }

  isStale(row: number): boolean {
    return this.#number(row, column.isStale) === 1
  }

  quality(row: number): number {
    return this.#number(row, column.quality)
  }

  provenanceWeight(row: number): number {
    return this.#number(row, column.provenanceWeight)
  }

  /** NaN where the pick was not random. */
  propensity(row: number): number {
    return this.#number(row, column.propensity)
  }

  /** Number of the actor who reported the outcome; NaN for the requesting actor. */
  actor(row: number): number {
    return this.#reading.isOfOneActor ? NaN : this.#number(row, column.actor)
  }

  /** Whether another actor reported some of the rows. */
  hasOtherActors({ from, to }: RowRange): boolean {
    if (this.#reading.isOfOneActor) return false
    for (let row = from; row < to; row++) if (!Number.isNaN(this.#number(row, column.actor))) return true
    return false
  }

  /** A measured value; NaN if it was not measured. */
  measured(row: number, field: MeasuredField): number {
    return this.#number(row, column[field])
  }

  /** Measured input tokens; null if they were not measured. */
  inputTokens(row: number): number | null {
    return this.#outcomes[row]!.inputTokens
  }

  isCostOutlier(row: number): boolean {
    return this.#number(row, column.isCostOutlier) === 1
  }

  reliability(row: number): number {
    const belief = this.#number(row, column.belief)
    const { reliabilityHalfLifeDays } = this.#reading
    return reliabilityHalfLifeDays === null
      ? belief
      : Reliability.aged(belief, this.ageDays(row), reliabilityHalfLifeDays)
  }

  /** The same neighbours with other similarities, in the same order. */
  rescaled(scale: (similarity: number) => number): Neighbours {
    const self = new Neighbours(this.#rowsMax, this.#reading)
    self.#modelIds.push(...this.#modelIds)
    self.#starts.push(...this.#starts)
    for (const outcome of this.#outcomes) self.#outcomes.push(outcome)
    self.#numbers.set(this.#numbers)
    const first = column.similarity * this.#rowsMax
    for (let row = 0; row < this.length; row++) self.#numbers[first + row] = scale(this.similarity(row))
    return self
  }

  /** A row as an object. */
  at(row: number): Neighbour {
    const { cluster, inputTokens, observationId } = this.#outcomes[row]!
    const actor = this.actor(row)
    const number = (at: number) => orNull(this.#number(row, at))
    return {
      entryId: observationId,
      modelId: this.#modelIds[this.#starts.findLastIndex((start) => start <= row)]!,
      cluster,
      similarity: this.similarity(row),
      reliability: this.reliability(row),
      quality: this.quality(row),
      ageDays: this.ageDays(row),
      isStale: this.isStale(row),
      currentShare: this.currentShare(row),
      provenanceWeight: this.provenanceWeight(row),
      propensity: number(column.propensity),
      inputTokens,
      outputTokens: number(column.outputTokens),
      costUsd: number(column.costUsd),
      latencyMs: number(column.latencyMs),
      timeToFirstTokenMs: number(column.timeToFirstTokenMs),
      isCostOutlier: this.isCostOutlier(row),
      ...(Number.isNaN(actor) ? noActor : { actor })
    }
  }

  *[Symbol.iterator](): Iterator<Neighbour> {
    for (let row = 0; row < this.length; row++) yield this.at(row)
  }
}

/** An empty set of neighbours. */
export const noNeighbours = new Neighbours(0)
