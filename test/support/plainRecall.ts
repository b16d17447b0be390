/*
 * Recall, evidence weights and quantiles as loops over objects: what the columns of `memory` and `engine` are
 * compared with.
 */
import { taskTypeOf } from "../../src/domain/Task.ts"
import type { EvidenceWeightRule } from "../../src/engine/recommend/prediction/EvidenceWeight.ts"
import { actorNumberOf, type LaneEntry, reliabilityOf } from "../../src/memory/index/Entry.ts"
import type { QuantisedVector } from "../../src/memory/index/QuantisedVector.ts"
import type { Levels, RecallQuery } from "../../src/memory/Memory.ts"
import { ageDaysOf, decayOf, type MemorySettings } from "../../src/memory/MemorySettings.ts"
import type { Neighbour } from "../../src/memory/Neighbour.ts"
import { withoutMajority } from "../../src/stats/Actors.ts"
import type { Tally } from "../../src/stats/NeighbourMixture.ts"
import * as Propensity from "../../src/stats/Propensity.ts"
import * as Weight from "../../src/stats/WeightFactors.ts"

/** An outcome of the plain lane, with its vector, or without one. */
interface PlainRow {
  readonly entry: LaneEntry
  readonly vector: QuantisedVector | null
}

export type PlainQuery = Pick<RecallQuery, "cluster" | "modelIds" | "perModel" | "tags" | "userId"> & {
  readonly vector: Float32Array
  readonly nowMs: number
}

const cosine = (query: Float32Array, { scale, vector }: QuantisedVector): number => {
  const largest = Math.max(...query.map(Math.abs))
  if (!(largest > 0)) return 0
  const steps = [...query].map((coordinate) => Math.round(coordinate / largest * 4_095))
  const squares = steps.reduce((sum, each) => sum + each * each, 0)
  const product = steps.reduce((sum, each, i) => sum + each * (vector[i] ?? 0), 0)
  return Math.fround(Math.max(-1, Math.min(1, product * Math.fround(scale) * (1 / Math.sqrt(squares)))))
}

/** A lane as a list: a new outcome comes last, and the last takes the place of one that is removed. */
export class PlainLane {
  readonly rows: Array<PlainRow> = []
  readonly #settings: MemorySettings
  readonly #nowMs: number

  constructor(settings: MemorySettings, nowMs: number) {
    this.#settings = settings
    this.#nowMs = nowMs
  }

  #weightOf({ occurredAtMs, provenanceWeight }: LaneEntry): number {
    return provenanceWeight * decayOf(ageDaysOf(occurredAtMs, this.#nowMs), this.#settings)
  }

  remove(observationId: string): void {
    const row = this.rows.findIndex(({ entry }) => entry.observationId === observationId)
    const last = this.rows.pop()
    if (last !== undefined && row >= 0 && row < this.rows.length) this.rows[row] = last
  }

  upsert(entry: LaneEntry, vector: QuantisedVector | null): void {
    const row = this.rows.findIndex((each) => each.entry.observationId === entry.observationId)
    if (row >= 0) this.rows[row] = { entry, vector }
    else this.rows.push({ entry, vector })
    const { laneObservationsMax: cap } = this.#settings
    if (this.rows.length <= cap + Math.floor(cap * 0.05)) return
    const lightest = this.rows.map((each) => each.entry).sort((one, other) =>
      this.#weightOf(one) - this.#weightOf(other) || one.occurredAtMs - other.occurredAtMs)
    for (const { observationId } of lightest.slice(0, lightest.length - cap)) this.remove(observationId)
  }

  #neighbour(entry: LaneEntry, similarity: number, userId: string | null): Neighbour {
    const { isWeak: _isWeak, observationId, occurredAtMs, tags: _tags, userId: of, votesDown, votesUp, ...outcome } = entry
    const ageDays = ageDaysOf(occurredAtMs, this.#nowMs)
    return {
      ...outcome,
      entryId: observationId,
      similarity,
      reliability: reliabilityOf({ votesDown, votesUp }, ageDays, this.#settings),
      ageDays,
      isStale: ageDays > this.#settings.staleAfterDays,
      currentShare: 1,
      ...(userId === null && of !== null ? { actor: actorNumberOf(of) } : {})
    }
  }

  /**
   * The sums of some outcomes for an actor: its own in full, and those of others with a limit on the heaviest actor.
   */
  #seen(entries: ReadonlyArray<LaneEntry>, userId: string | null): { readonly own: Tally; readonly all: Tally } {
    const byActor = new Map<string, { weight: number; success: number }>()
    for (const entry of entries) {
      const sum = byActor.get(entry.userId ?? "") ?? { weight: 0, success: 0 }
      byActor.set(entry.userId ?? "", sum)
      sum.weight += this.#weightOf(entry)
      sum.success += this.#weightOf(entry) * entry.quality
    }
    const areNamed = userId !== null && !byActor.has("")
    const own = byActor.get(userId ?? "") ?? { weight: 0, success: 0 }
    byActor.delete(userId ?? "")
    const others = { weight: 0, success: 0 }
    let heaviest: Tally = { weight: 0, success: 0 }
    for (const each of byActor.values()) {
      others.weight += each.weight
      others.success += each.success
      if (each.weight > heaviest.weight) heaviest = each
    }
    const shielded = withoutMajority(others, heaviest, this.#settings.loneActorMax, areNamed)
    return {
      own, all: { weight: own.weight + shielded.weight, success: own.success + shielded.success }
    }
  }

  tallies(modelId: string, { cluster, tags, userId }: PlainQuery, part: "all" | "own"): Levels {
    const ofModel = this.rows.map(({ entry }) => entry).filter((entry) => entry.modelId === modelId)
    const ofType = ofModel.filter((entry) => taskTypeOf(entry.cluster) === taskTypeOf(cluster))
    const seen = (entries: ReadonlyArray<LaneEntry>) => this.#seen(entries, userId)[part]
    return {
      lane: seen(ofModel),
      taskType: seen(ofType),
      cluster: seen(ofType.filter((entry) => entry.cluster === cluster)),
      tags: seen(ofType.filter((entry) => entry.tags.some((tag) => tags.includes(tag))))
    }
  }

  recall(query: PlainQuery) {
    const placed = this.rows.flatMap(({ entry, vector }) =>
      vector === null ? [] : [{ entry, similarity: cosine(query.vector, vector) }])
    const sorted = placed.toSorted((one, other) => other.similarity - one.similarity)
    const own = sorted.filter(({ entry }) => query.userId === null || entry.userId === query.userId)
    return {
      neighbours: query.modelIds.flatMap((modelId) =>
        own.filter(({ entry }) => entry.modelId === modelId).slice(0, query.perModel)
          .map(({ entry, similarity }) => this.#neighbour(entry, similarity, query.userId)))
    }
  }
}

/** The weights of one model's neighbours, by the formula, for neighbours of one actor. */
export const plainWeights = (
  settings: EvidenceWeightRule,
  own: ReadonlyArray<Neighbour>,
  share: number
): ReadonlyArray<number> => {
  const corrections = Propensity.normalizeToMeanOne(own.map(({ propensity }) =>
    Propensity.inverseWeight(
      propensity ?? share, settings.inversePropensityMin, settings.inversePropensityMax
    )))
  const isAnyRandom = own.some(({ propensity }) => propensity !== null)
  return own.map((each, i) => {
    const decay = Weight.decay(each.ageDays, settings.decayHalfLifeDays, settings.decayFloor)
    const kept = (each.isStale ? Math.min(decay, settings.staleShareMax) : decay) * each.currentShare
    return Weight.kernel(each.similarity, settings.kernelScale) * each.reliability * kept
      * (isAnyRandom ? corrections[i]! : 1) * each.provenanceWeight
  })
}
