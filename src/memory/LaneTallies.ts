import type { LaneEntry } from "./LaneEntry.ts"
import type { Tallies, Tally } from "./Memory.ts"

interface Sum {
  weight: number
  success: number
}

const nothing: Tally = { weight: 0, success: 0 }

/**
 * Sums of one task cluster: all of it, and by the exact set of tags, which makes any union of tags countable.
 */
interface ClusterSums {
  readonly models: Map<string, Sum>
  readonly tagSets: Map<string, { readonly tags: ReadonlySet<string>; readonly models: Map<string, Sum> }>
  readonly tagSetsByTag: Map<string, Set<string>>
}

const addTo = (sums: Map<string, Sum>, modelId: string, weight: number, success: number): void => {
  const sum = sums.get(modelId)
  if (sum === undefined) sums.set(modelId, { weight, success })
  else {
    sum.weight += weight
    sum.success += success
  }
}

/**
 * A removed row leaves a rounding residue, which may not be a negative weight or more success than weight.
 */
const tallyOf = (sum: Sum | undefined): Tally => {
  if (sum === undefined || sum.weight <= 1e-12) return nothing
  return { weight: sum.weight, success: Math.min(sum.weight, Math.max(0, sum.success)) }
}

const keyOf = (tags: ReadonlyArray<string>): string => JSON.stringify([...new Set(tags)].sort())

/** Weighted sums of a lane per model, at three levels. Adding and removing cost a few map lookups. */
export class LaneTallies {
  readonly #models = new Map<string, Sum>()
  readonly #clusters = new Map<string, ClusterSums>()

  /** Adds an entry that weighs `weight`; a negative weight takes it out again. */
  add(entry: LaneEntry, weight: number): void {
    const success = weight * entry.quality
    addTo(this.#models, entry.modelId, weight, success)
    const cluster = this.#clusterOf(entry.cluster)
    addTo(cluster.models, entry.modelId, weight, success)
    if (entry.tags.length === 0) return
    const key = keyOf(entry.tags)
    let tagSet = cluster.tagSets.get(key)
    if (tagSet === undefined) {
      tagSet = { tags: new Set(entry.tags), models: new Map() }
      cluster.tagSets.set(key, tagSet)
      for (const tag of tagSet.tags) {
        const keys = cluster.tagSetsByTag.get(tag)
        if (keys === undefined) cluster.tagSetsByTag.set(tag, new Set([key]))
        else keys.add(key)
      }
    }
    addTo(tagSet.models, entry.modelId, weight, success)
  }

  #clusterOf(name: string): ClusterSums {
    const known = this.#clusters.get(name)
    if (known !== undefined) return known
    const cluster: ClusterSums = { models: new Map(), tagSets: new Map(), tagSetsByTag: new Map() }
    this.#clusters.set(name, cluster)
    return cluster
  }

  /** Sums of the given models; a model without outcomes in the lane is absent. */
  read(
    modelIds: ReadonlyArray<string>,
    clusterName: string,
    tags: ReadonlyArray<string>
  ): Map<string, Tallies> {
    const cluster = this.#clusters.get(clusterName)
    const sets = new Set(tags.flatMap((tag) => [...cluster?.tagSetsByTag.get(tag) ?? []]))
    const tagSums = new Map<string, Sum>()
    for (const key of sets) {
      for (const [modelId, sum] of cluster?.tagSets.get(key)?.models ?? []) {
        addTo(tagSums, modelId, sum.weight, sum.success)
      }
    }
    const tallies = new Map<string, Tallies>()
    for (const modelId of modelIds) {
      const lane = tallyOf(this.#models.get(modelId))
      if (lane.weight === 0) continue
      tallies.set(modelId, {
        lane,
        cluster: tallyOf(cluster?.models.get(modelId)),
        tags: tallyOf(tagSums.get(modelId))
      })
    }
    return tallies
  }
}
