/* Decayed sums of a lane's outcomes, per model at every level. */
import { type Cluster, type TaskType, taskTypeOf } from "../../domain/Task.ts"
import type { Tally } from "../../stats/Mixture.ts"
import type { Tallies } from "../Memory.ts"
import type { LaneEntry } from "./Entry.ts"

interface Sum {
  weight: number
  success: number
}

const nothing: Tally = { weight: 0, success: 0 }

/**
 * Sums of one task type: over all of it, by cluster, and by the exact set of tags, from which any union of
 * tags can be summed.
 */
interface TypeSums {
  readonly models: Map<string, Sum>
  readonly clusters: Map<Cluster, Map<string, Sum>>
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
 * The tally of a sum. Removed rows leave rounding errors, which must not become a negative weight or more
 * success than weight.
 */
const tallyOf = (sum: Sum | undefined): Tally => {
  if (sum === undefined || sum.weight <= 1e-12) return nothing
  return { weight: sum.weight, success: Math.min(sum.weight, Math.max(0, sum.success)) }
}

const keyOf = (tags: ReadonlyArray<string>): string => JSON.stringify([...new Set(tags)].sort())

/** Weighted sums of a lane per model, at every level. Adding and removing cost a few map look-ups. */
export class LaneTallies {
  readonly #models = new Map<string, Sum>()
  readonly #types = new Map<TaskType, TypeSums>()

  /** Adds an entry with a weight; a negative weight removes it. */
  add(entry: LaneEntry, weight: number): void {
    const success = weight * entry.quality
    addTo(this.#models, entry.modelId, weight, success)
    const ofType = this.#typeOf(taskTypeOf(entry.cluster))
    addTo(ofType.models, entry.modelId, weight, success)
    let cluster = ofType.clusters.get(entry.cluster)
    if (cluster === undefined) ofType.clusters.set(entry.cluster, cluster = new Map())
    addTo(cluster, entry.modelId, weight, success)
    if (entry.tags.length === 0) return
    const key = keyOf(entry.tags)
    let tagSet = ofType.tagSets.get(key)
    if (tagSet === undefined) {
      tagSet = { tags: new Set(entry.tags), models: new Map() }
      ofType.tagSets.set(key, tagSet)
      for (const tag of tagSet.tags) {
        const keys = ofType.tagSetsByTag.get(tag)
        if (keys === undefined) ofType.tagSetsByTag.set(tag, new Set([key]))
        else keys.add(key)
      }
    }
    addTo(tagSet.models, entry.modelId, weight, success)
  }

  #typeOf(taskType: TaskType): TypeSums {
    const known = this.#types.get(taskType)
    if (known !== undefined) return known
    const sums: TypeSums = {
      models: new Map(), clusters: new Map(), tagSets: new Map(), tagSetsByTag: new Map()
    }
    this.#types.set(taskType, sums)
    return sums
  }

  /** Sums of the given models; a model without outcomes in the lane is absent. */
  read(
    modelIds: ReadonlyArray<string>,
    cluster: Cluster,
    tags: ReadonlyArray<string>
  ): Map<string, Tallies> {
    const ofType = this.#types.get(taskTypeOf(cluster))
    const inCluster = ofType?.clusters.get(cluster)
    const sets = new Set(tags.flatMap((tag) => [...ofType?.tagSetsByTag.get(tag) ?? []]))
    const tagSums = new Map<string, Sum>()
    for (const key of sets) {
      for (const [modelId, sum] of ofType?.tagSets.get(key)?.models ?? []) {
        addTo(tagSums, modelId, sum.weight, sum.success)
      }
    }
    const tallies = new Map<string, Tallies>()
    for (const modelId of modelIds) {
      const lane = tallyOf(this.#models.get(modelId))
      if (lane.weight === 0) continue
      tallies.set(modelId, {
        lane,
        taskType: tallyOf(ofType?.models.get(modelId)),
        cluster: tallyOf(inCluster?.get(modelId)),
        tags: tallyOf(tagSums.get(modelId))
      })
    }
    return tallies
  }
}
