/* Holds one lane's outcomes in the process, finds a task's exact nearest neighbours, and sums outcomes. */
import { type ModelRestarts, noRestarts } from "../../domain/model/ModelIdentity.ts"
import type { Cluster } from "../../domain/Task.ts"
import type { KnownModels, Recalled } from "../Memory.ts"
import { ageDaysOf, decayOf, type MemorySettings } from "../MemorySettings.ts"
import { Neighbours, noNeighbours } from "../Neighbours.ts"
import { ChangeDetection, type Series } from "./ChangeDetection.ts"
import type { LaneEntry } from "./Entry.ts"
import { EntryRows, unembedded } from "./EntryRows.ts"
import { LaneTallies } from "./LaneTallies.ts"
import { TopK } from "./TopK.ts"
import type { QuantisedVector } from "./QuantisedVector.ts"
import { VectorRows } from "./VectorRows.ts"

/** Approximate memory of an entry object with its strings and map slots, bytes. */
const entryBytes = 580

/** Approximate memory of one stored sum of an actor, bytes. */
const actorSumBytes = 140

/** Approximate memory of a series with its model number and sums, bytes. */
const seriesBytes = 600

/** Share by which a lane may exceed its size before outcomes are dropped, so that drops are rare. */
const overflowShare = 0.05

interface LaneQuery {
  readonly vector: Float32Array
  readonly modelIds: ReadonlyArray<string>
  readonly perModel: number
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  readonly userId: string | null
  readonly nowMs: number
  readonly restarts?: ModelRestarts
}

/** Returns true if a replacement changes a field that change detection reads. */
const isRevised = (before: LaneEntry, after: LaneEntry): boolean =>
  before.quality !== after.quality || before.provenanceWeight !== after.provenanceWeight
  || before.occurredAtMs !== after.occurredAtMs

export class LaneIndex {
  /** Version of the lane in the store, up to which the index has read the changes. */
  version = 0

  readonly #settings: MemorySettings
  readonly #vectors: VectorRows
  readonly #rows = new EntryRows()
  readonly #rowOf = new Map<string, number>()
  readonly #changes: ChangeDetection
  /** A number for each model with embedded outcomes, because numbers are compared faster than ids. */
  #numberOf = new Map<string, number>()
  #placedCount = 0
  #tallies: LaneTallies
  #talliedAtMs: number
  readonly #dimensions: number
  /** Separate index of outcomes from telemetry, which change no tally; null without telemetry outcomes. */
  #measured: LaneIndex | null = null

  constructor(dimensions: number, settings: MemorySettings, nowMs: number) {
    this.#settings = settings
    this.#tallies = new LaneTallies(settings)
    this.#dimensions = dimensions
    this.#vectors = new VectorRows(dimensions)
    this.#changes = new ChangeDetection(settings.changes)
    this.#talliedAtMs = nowMs
  }

  get size(): number {
    return this.#rows.size
  }

  /** Share of the outcomes that have a vector, in [0, 1]; 1 if the lane is empty. */
  get embeddedShare(): number {
    return this.size === 0 ? 1 : this.#placedCount / this.size
  }

  get bytes(): number {
    return this.#vectors.bytes + this.size * entryBytes + this.#changes.size * seriesBytes
      + this.#tallies.actorSums * actorSumBytes + (this.#measured?.bytes ?? 0)
  }

  /** Sets a row's weight from its series and its age, and returns the weight. */
  #weigh(row: number): number {
    const entry = this.#rows.entries[row]!
    const share = this.#changes.currentShare(this.#rows.series[row]!, entry.occurredAtMs, entry)
    const decay = decayOf(ageDaysOf(entry.occurredAtMs, this.#talliedAtMs), this.#settings)
    const weight = entry.provenanceWeight * decay * share
    this.#rows.weigh(row, weight, share)
    if (this.#changes.isFormer(entry)) this.#rows.forgetMeasured(row)
    return weight
  }

  #reweigh(changed: ReadonlySet<Series>): void {
    if (changed.size === 0) return
    const { entries, series, weights } = this.#rows
    series.forEach((each, row) => {
      if (!changed.has(each)) return
      const before = weights[row]!
      this.#tallies.add(entries[row]!, this.#weigh(row) - before)
    })
  }

  /** Adds or replaces an outcome by its id. An outcome without a vector is never a neighbour. */
  upsert(entry: LaneEntry, vector: QuantisedVector | null): void {
    const known = this.#rowOf.get(entry.observationId)
    const row = known ?? this.size
    // The outcome may have come from telemetry before its label arrived.
    if (this.#measured !== null) this.#measured.#remove(entry.observationId)
    const before = known === undefined ? undefined : this.#rows.entries[known]
    if (known !== undefined) this.#subtract(known)
    const series = this.#rows.series[row] ?? this.#changes.seriesOf(entry)
    const isChange = known === undefined && this.#changes.add(series, entry)
    if (before !== undefined && isRevised(before, entry)) this.#changes.revise(series)
    this.#rows.set(row, entry, series, vector === null ? unembedded : this.#numberIn(entry.modelId))
    this.#rowOf.set(entry.observationId, row)
    this.#vectors.set(row, vector)
    if (vector !== null) this.#placedCount++
    this.#tallies.add(entry, this.#weigh(row))
    if (isChange) this.#reweigh(new Set([series]))
    const cap = this.#settings.laneObservationsMax
    if (this.size > cap + Math.floor(cap * overflowShare)) this.#trim(cap)
  }

  #subtract(row: number): void {
    this.#tallies.add(this.#rows.entries[row]!, -this.#rows.weights[row]!)
    if (this.#rows.models[row] !== unembedded) this.#placedCount--
  }

  /** Adds or replaces an outcome from telemetry, which recalls return among the measurements. */
  measure(entry: LaneEntry, vector: QuantisedVector | null): void {
    this.#measured ??= new LaneIndex(this.#dimensions, this.#settings, this.#talliedAtMs)
    this.#remove(entry.observationId)
    this.#measured.upsert(entry, vector)
  }

  /** Drops the outcomes of lowest decayed weight, and among equal weights the oldest outcomes. */
  #trim(cap: number): void {
    const { entries, models, series, weights } = this.#rows
    const order = entries
      .map((entry, row) => ({ id: entry.observationId, weight: weights[row]!, at: entry.occurredAtMs }))
      .sort((left, right) => left.weight - right.weight || left.at - right.at)
    for (const { id } of order.slice(0, order.length - cap)) this.#remove(id)
    this.#changes.keep(new Set(series))
    this.#numberOf = new Map()
    entries.forEach(({ modelId }, row) => {
      if (models[row] !== unembedded) models[row] = this.#numberIn(modelId)
    })
  }

  #numberIn(modelId: string): number {
    const number = this.#numberOf.get(modelId) ?? this.#numberOf.size
    this.#numberOf.set(modelId, number)
    return number
  }

  #remove(observationId: string): void {
    const row = this.#rowOf.get(observationId)
    if (row === undefined) return
    const last = this.size - 1
    this.#subtract(row)
    this.#rowOf.delete(observationId)
    this.#rows.remove(row)
    this.#vectors.remove(row, last)
    if (row !== last) this.#rowOf.set(this.#rows.entries[row]!.observationId, row)
  }

  #refreshTallies(nowMs: number): void {
    const { entries, series } = this.#rows
    this.#reweigh(this.#changes.settle(entries, series))
    if (Math.abs(nowMs - this.#talliedAtMs) < this.#settings.tallyRefreshMs) return
    this.#talliedAtMs = nowMs
    this.#tallies = new LaneTallies(this.#settings)
    entries.forEach((entry, row) => this.#tallies.add(entry, this.#weigh(row)))
  }

  known(cluster: Cluster): KnownModels {
    return this.#tallies.known(cluster)
  }

  recall(query: LaneQuery): Recalled {
    this.#changes.restart(query.restarts ?? noRestarts)
    this.#refreshTallies(query.nowMs)
    const rows = this.#rows
    const { entries, models, size } = rows
    const { similarities, slots } = this.#vectors.compare(query.vector)

    // For each model number, the similarity that a row must exceed; Infinity if the model is no candidate.
    const floors = new Float64Array(this.#numberOf.size).fill(Infinity)
    const groupOf = new Int32Array(this.#numberOf.size)
    const known: Array<string> = []
    for (const modelId of query.modelIds) {
      const number = this.#numberOf.get(modelId)
      if (number === undefined || floors[number] !== Infinity) continue
      floors[number] = -Infinity
      groupOf[number] = known.push(modelId) - 1
    }
    const nearest = new TopK(known.length, query.perModel)
    for (let row = 0; row < size; row++) {
      const number = models[row]!
      if (number === unembedded) continue
      const similarity = similarities[slots[row]!]!
      if (!(similarity > floors[number]!)) continue
      if (query.userId !== null && entries[row]!.userId !== query.userId) continue
      floors[number] = nearest.offer(groupOf[number]!, row, similarity)
    }
    const { nowMs, userId } = query
    const { reliabilityHalfLifeDays } = this.#settings
    const reading = { reliabilityHalfLifeDays, isOfOneActor: userId !== null }
    const neighbours = new Neighbours(nearest.size, reading)
    const found = { rows: new Int32Array(nearest.size), similarities: new Float32Array(nearest.size) }
    let count = 0
    known.forEach((modelId, group) => {
      neighbours.addModel(modelId, count)
      count = nearest.read(group, found, count)
    })
    rows.addTo(neighbours, found, nowMs, this.#settings)
    return {
      neighbours,
      measurements: this.#measured?.recall(query).neighbours ?? noNeighbours,
      tallies: this.#tallies.read(query),
      laneSize: size
    }
  }
}
