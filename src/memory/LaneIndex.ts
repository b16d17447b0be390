import type { Cluster } from "../domain/Task.ts"
import { type LaneEntry, reliabilityOf } from "./LaneEntry.ts"
import { LaneTallies } from "./LaneTallies.ts"
import type { Neighbour, Recalled } from "./Memory.ts"
import { ageDaysOf, decayOf, type MemorySettings } from "./MemorySettings.ts"
import { LaneChanges, type Series } from "./LaneChanges.ts"
import { NearestRows } from "./NearestRows.ts"
import { type QuantisedVector, VectorRows } from "./VectorRows.ts"

/** Heap that an entry object, its strings and its map slots take, roughly, in bytes. */
const entryBytes = 480

/** A lane at most this much over its cap is left alone, so that trimming is not paid at every outcome. */
const overflowShare = 0.05

export interface LaneQuery {
  readonly vector: Float32Array
  readonly modelIds: ReadonlyArray<string>
  readonly perModel: number
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  readonly userId: string | null
  readonly nowMs: number
}

/** Fifth highest of the lane's similarities: what a request that the lane knows well looks like. */
const highRank = 5

/**
 * One lane's taught outcomes in the process: exact search per candidate and decayed tallies. Synchronous, so
 * that a recall sees the lane as it was at one moment.
 */
export class LaneIndex {
  /** Version of the lane up to which this index is complete; the store's own counter. */
  version = 0

  readonly #settings: MemorySettings
  readonly #vectors: VectorRows
  readonly #entries: Array<LaneEntry> = []
  readonly #rowOf = new Map<string, number>()
  /** What each row weighs in the tallies now. */
  #weights: Array<number> = []
  /** The series of outcomes that each row belongs to. */
  readonly #series: Array<Series> = []
  readonly #changes: LaneChanges
  /** False for an outcome without a vector: it is tallied and never a neighbour. */
  readonly #isPlaced: Array<boolean> = []
  /** A small number for every model of the lane, and each row's: a recall then reads no entry it drops. */
  readonly #numberOf = new Map<string, number>()
  readonly #models: Array<number> = []
  #placedCount = 0
  #tallies = new LaneTallies()
  #talliedAtMs: number
  #similarities = new Float32Array(16)

  constructor(dimensions: number, settings: MemorySettings, nowMs: number) {
    this.#settings = settings
    this.#vectors = new VectorRows(dimensions)
    this.#changes = new LaneChanges(settings.changes)
    this.#talliedAtMs = nowMs
  }

  get size(): number {
    return this.#entries.length
  }

  /** Share of the outcomes that have a vector, in [0, 1]; 1 in an empty lane. */
  get placedShare(): number {
    return this.size === 0 ? 1 : this.#placedCount / this.size
  }

  /** Estimate of the memory held, in bytes. */
  get bytes(): number {
    return this.#vectors.bytes + this.#entries.length * entryBytes
  }

  entry(observationId: string): LaneEntry | undefined {
    const row = this.#rowOf.get(observationId)
    return row === undefined ? undefined : this.#entries[row]
  }

  #weightOf(entry: LaneEntry, series: Series): number {
    return entry.provenanceWeight * decayOf(ageDaysOf(entry.occurredAtMs, this.#talliedAtMs), this.#settings)
      * this.#changes.currentShare(series, entry)
  }

  /** Weighs the rows of series that have changed anew. */
  #reweigh(changed: ReadonlySet<Series>): void {
    if (changed.size === 0) return
    this.#series.forEach((series, row) => {
      if (!changed.has(series)) return
      const weight = this.#weightOf(this.#entries[row]!, series)
      this.#tallies.add(this.#entries[row]!, weight - this.#weights[row]!)
      this.#weights[row] = weight
    })
  }

  /** Adds an outcome or replaces it by id. Without a vector it counts in the tallies and is no neighbour. */
  upsert(entry: LaneEntry, vector: QuantisedVector | null): void {
    const known = this.#rowOf.get(entry.observationId)
    const row = known ?? this.#entries.length
    if (known !== undefined) {
      this.#tallies.add(this.#entries[known]!, -this.#weights[known]!)
      if (this.#isPlaced[known]!) this.#placedCount--
    }
    const series = this.#series[row] ?? this.#changes.seriesOf(entry)
    const isChange = known === undefined && this.#changes.add(series, entry)
    const weight = this.#weightOf(entry, series)
    this.#entries[row] = entry
    this.#weights[row] = weight
    this.#series[row] = series
    this.#isPlaced[row] = vector !== null
    const number = this.#numberOf.get(entry.modelId) ?? this.#numberOf.size
    this.#numberOf.set(entry.modelId, number)
    this.#models[row] = number
    this.#rowOf.set(entry.observationId, row)
    this.#vectors.set(row, vector ?? { scale: 0, vector: new Int8Array(0) })
    if (vector !== null) this.#placedCount++
    this.#tallies.add(entry, weight)
    if (isChange) this.#reweigh(new Set([series]))
    const cap = this.#settings.laneObservationsMax
    if (this.#entries.length > cap + Math.floor(cap * overflowShare)) this.#trim(cap)
  }

  /** Drops the outcomes of least decayed weight, the older first among equals. */
  #trim(cap: number): void {
    const order = this.#entries
      .map((entry, row) => ({ id: entry.observationId, weight: this.#weights[row]!, at: entry.occurredAtMs }))
      .sort((left, right) => left.weight - right.weight || left.at - right.at)
    for (const { id } of order.slice(0, order.length - cap)) this.#remove(id)
  }

  #remove(observationId: string): void {
    const row = this.#rowOf.get(observationId)
    if (row === undefined) return
    const last = this.#entries.length - 1
    this.#tallies.add(this.#entries[row]!, -this.#weights[row]!)
    if (this.#isPlaced[row]!) this.#placedCount--
    this.#rowOf.delete(observationId)
    if (row !== last) {
      this.#entries[row] = this.#entries[last]!
      this.#weights[row] = this.#weights[last]!
      this.#isPlaced[row] = this.#isPlaced[last]!
      this.#models[row] = this.#models[last]!
      this.#series[row] = this.#series[last]!
      this.#rowOf.set(this.#entries[row]!.observationId, row)
      this.#vectors.move(last, row)
    }
    this.#entries.length = last
    this.#weights.length = last
    this.#isPlaced.length = last
    this.#models.length = last
    this.#series.length = last
  }

  #refreshTallies(nowMs: number): void {
    this.#reweigh(this.#changes.settle(this.#entries, this.#series))
    if (Math.abs(nowMs - this.#talliedAtMs) < this.#settings.tallyRefreshMs) return
    this.#talliedAtMs = nowMs
    this.#tallies = new LaneTallies()
    this.#weights = this.#entries.map((entry, row) => this.#weightOf(entry, this.#series[row]!))
    this.#entries.forEach((entry, row) => this.#tallies.add(entry, this.#weights[row]!))
  }

  #neighbourOf(row: number, similarity: number, nowMs: number): Neighbour {
    const entry = this.#entries[row]!
    const ageDays = ageDaysOf(entry.occurredAtMs, nowMs)
    const currentShare = this.#changes.currentShare(this.#series[row]!, entry)
    return {
      entryId: entry.observationId,
      modelId: entry.modelId,
      cluster: entry.cluster,
      tags: entry.tags,
      similarity,
      reliability: reliabilityOf(entry, ageDays, this.#settings),
      quality: entry.quality,
      ageDays,
      isStale: currentShare < 1 || ageDays > this.#settings.staleAfterDays,
      currentShare,
      provenanceWeight: entry.provenanceWeight,
      propensity: entry.propensity,
      inputTokens: entry.inputTokens,
      outputTokens: entry.outputTokens,
      costUsd: entry.costUsd,
      latencyMs: entry.latencyMs
    }
  }

  /** Neighbours, tallies and the lane's own similarities, as the port promises them. */
  recall(query: LaneQuery): Recalled {
    this.#refreshTallies(query.nowMs)
    const size = this.#entries.length
    if (this.#similarities.length < size) this.#similarities = new Float32Array(size * 2)
    this.#vectors.similarities(query.vector, size, this.#similarities)

    // By model number: what a row must pass to be among its model's nearest; nothing passes for the others.
    const floors = new Float64Array(this.#numberOf.size).fill(Infinity)
    const nearestOf = new Map<number, NearestRows>()
    for (const modelId of query.modelIds) {
      const number = this.#numberOf.get(modelId)
      if (number === undefined) continue
      nearestOf.set(number, new NearestRows(query.perModel))
      floors[number] = -Infinity
    }
    const highest = new NearestRows(highRank)
    let highestFloor = -Infinity
    let sum = 0
    for (let row = 0; row < size; row++) {
      if (!this.#isPlaced[row]!) continue
      const similarity = this.#similarities[row]!
      sum += similarity
      if (similarity > highestFloor) {
        highest.offer(row, similarity)
        highestFloor = highest.floor()
      }
      const number = this.#models[row]!
      if (!(similarity > floors[number]!)) continue
      if (query.userId !== null && this.#entries[row]!.userId !== query.userId) continue
      const nearest = nearestOf.get(number)!
      nearest.offer(row, similarity)
      floors[number] = nearest.floor()
    }
    return {
      neighbours: [...nearestOf.values()].flatMap((nearest) =>
        nearest.map((row, similarity) => this.#neighbourOf(row, similarity, query.nowMs))),
      tallies: this.#tallies.read(query.modelIds, query.cluster, query.tags),
      laneSize: size,
      meanSimilarity: this.#placedCount === 0 ? 0 : sum / this.#placedCount,
      highSimilarity: highest.least()
    }
  }
}
