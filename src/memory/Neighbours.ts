/* The neighbours of a recall as columns of numbers. */
import { clusterNumberOf } from "../domain/Task.ts"
import * as Reliability from "../stats/Reliability.ts"
import type { Measurement, Neighbour } from "./Neighbour.ts"
import {
  type AddedRows, idHashOf, type MeasuredField, outcomeColumn, outcomeColumns, type RecalledOutcome
} from "./OutcomeColumns.ts"

/** The columns of a neighbour: the columns of its outcome, then three columns of the recall. */
const column = { ...outcomeColumn, similarity: 13, ageDays: 14, isStale: 15 } as const
const columns = 16

interface NumberReading {
  /** Half-life of the reliabilities, days; null if the reliabilities already include the effect of age. */
  readonly reliabilityHalfLifeDays: number | null
  /** True if all outcomes belong to the requesting actor, so that actor numbers are not shown. */
  readonly isOfOneActor: boolean
}

const asWritten: NumberReading = { reliabilityHalfLifeDays: null, isOfOneActor: false }

export interface RowRange {
  readonly from: number
  readonly to: number
}

const noRows: RowRange = { from: 0, to: 0 }
const noActor = {}

const orNull = (value: number): number | null => Number.isNaN(value) ? null : value

/**
 * Neighbours grouped by model. Only the shown outcomes become objects, because making objects is slow. The
 * numbers are copies, because the lane may change during a request.
 */
export class Neighbours implements Iterable<Neighbour> {
  /** The columns stored one after another, each with `#rowsMax` places. */
  readonly #numbers: Float64Array
  readonly #rowsMax: number
  readonly #outcomes: Array<RecalledOutcome> = []
  readonly #modelIds: Array<string> = []
  readonly #starts: Array<number> = []
  readonly #reading: NumberReading

  constructor(rowsMax: number, reading: NumberReading = asWritten) {
    this.#numbers = new Float64Array(rowsMax * columns)
    this.#rowsMax = rowsMax
    this.#reading = reading
  }

  /** Groups neighbours by model. Neighbours of the same model stay in the order of `found`. */
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

  /** Makes neighbours from measurements, with neutral values in the columns that measurements do not have. */
  static ofMeasurements(found: ReadonlyArray<Measurement>): Neighbours {
    return Neighbours.of(found.map((each) => ({
      entryId: "", quality: 0, provenanceWeight: 0, propensity: null, inputTokens: null,
      reliability: 0, ageDays: 0, isStale: false, currentShare: 1, ...each
    })))
  }

  addModel(modelId: string, from: number): void {
    this.#modelIds.push(modelId)
    this.#starts.push(from)
  }

  addRows({ agesDays, numbers, outcomes, similarities, staleness, starts }: AddedRows): void {
    const own = this.#numbers
    const from = this.length
    const count = outcomes.length
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

  /** A hash of the entries' ids, whatever their order; null if there are no entries. */
  get fingerprint(): number | null {
    let sum = this.length
    for (let row = 0; row < this.length; row++) sum = sum + this.#number(row, column.idHash) | 0
    return this.length === 0 ? null : sum
  }

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

  /** Returns the probability with which the model was randomly picked, or NaN if the outcome has none. */
  propensity(row: number): number {
    return this.#number(row, column.propensity)
  }

  /** Returns the reporting actor's number, or NaN if it has none or actors are not shown. */
  actor(row: number): number {
    return this.#reading.isOfOneActor ? NaN : this.#number(row, column.actor)
  }

  hasOtherActors({ from, to }: RowRange): boolean {
    if (this.#reading.isOfOneActor) return false
    for (let row = from; row < to; row++) if (!Number.isNaN(this.#number(row, column.actor))) return true
    return false
  }

  measured(row: number, field: MeasuredField): number {
    return this.#number(row, column[field])
  }

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

  /** Copies the neighbours with converted similarities, in the same order. */
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

export const noNeighbours = new Neighbours(0)
