/* Decayed sums of a lane's outcomes by model and actor, for the lane, task type, cluster and tags. */
import { type Cluster, type TaskType, taskTypeOf } from "../../domain/Task.ts"
import * as Propensity from "../../stats/Propensity.ts"
import type { Added } from "../../stats/WeakLabels.ts"
import type { KnownModels, Levels, Tallies } from "../Memory.ts"
import { ActorSums, nothingSeen, type SeenTally, seenBy, type TallyRule } from "./ActorSums.ts"
import type { LaneEntry } from "./Entry.ts"

type ModelSums = Map<string, ActorSums>

interface ClusterSums {
  readonly models: ModelSums
  weight: number
}

/** Outcomes that have any of the requested tags are found by uniting several tag sets. */
interface TypeSums {
  readonly models: ModelSums
  readonly clusters: Map<Cluster, ClusterSums>
  readonly tagSets: Map<string, { readonly tags: ReadonlySet<string>; readonly models: ModelSums }>
  readonly tagSetsByTag: Map<string, Set<string>>
}

const keyOf = (tags: ReadonlyArray<string>): string => JSON.stringify([...new Set(tags)].sort())

interface TallyQuery {
  readonly modelIds: ReadonlyArray<string>
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  readonly userId: string | null
}

/** The weighted sums of a lane, by model. */
export class LaneTallies {
  readonly #models: ModelSums = new Map()
  readonly #types = new Map<TaskType, TypeSums>()
  readonly #rule: TallyRule
  #actorSums = 0
  /** Cached results of {@link known} by task type, cleared by any change of a sum. */
  readonly #known = new Map<TaskType, KnownModels>()

  constructor(rule: TallyRule) {
    this.#rule = rule
  }

  /** Number of stored sums of single actors. */
  get actorSums(): number {
    return this.#actorSums
  }

  #addTo(sums: ModelSums, { modelId, userId }: LaneEntry, added: Added): void {
    let sum = sums.get(modelId)
    if (sum === undefined) sums.set(modelId, sum = new ActorSums(this.#rule))
    const before = sum.size
    sum.add(userId ?? "", added)
    this.#actorSums += sum.size - before
  }

  /** Adds an entry with a weight. A negative weight removes the entry. */
  add(entry: LaneEntry, weight: number): void {
    const added: Added = { weight, success: weight * entry.quality, isWeak: entry.isWeak }
    this.#known.clear()
    this.#addTo(this.#models, entry, added)
    const ofType = this.#typeOf(taskTypeOf(entry.cluster))
    this.#addTo(ofType.models, entry, added)
    let cluster = ofType.clusters.get(entry.cluster)
    if (cluster === undefined) ofType.clusters.set(entry.cluster, cluster = { models: new Map(), weight: 0 })
    cluster.weight += weight
    this.#addTo(cluster.models, entry, added)
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
    this.#addTo(tagSet.models, entry, added)
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

  known(cluster: Cluster): KnownModels {
    const taskType = taskTypeOf(cluster)
    let known = this.#known.get(taskType)
    if (known === undefined) {
      const ofType = this.#types.get(taskType)?.models
      known = new Map([...this.#models].map(([modelId, sums]) =>
        [modelId, { lane: sums.weight, taskType: ofType?.get(modelId)?.weight ?? 0 }]))
      this.#known.set(taskType, known)
    }
    return known
  }

  /** Returns all actors' sums by model, limited for the requesting actor. Omits models without outcomes. */
  read({ cluster, modelIds, tags, userId }: TallyQuery): Map<string, Tallies> {
    const ofType = this.#types.get(taskTypeOf(cluster))
    const inCluster = ofType?.clusters.get(cluster)?.models
    const difficulties = [...ofType?.clusters.values() ?? []]
    const keys = new Set(tags.flatMap((tag) => [...ofType?.tagSetsByTag.get(tag) ?? []]))
    const withTags = [...keys].flatMap((key) => ofType?.tagSets.get(key)?.models ?? [])
    const actor = userId ?? ""
    const rule = this.#rule
    const most = rule.weakOutcomesMax
    const tallies = new Map<string, Tallies>()
    for (const modelId of modelIds) {
      const seenIn = (sums: ModelSums | undefined) => sums?.get(modelId)?.seenBy(actor, rule) ?? nothingSeen
      const lane = seenIn(this.#models)
      if (lane.tally.weight === 0) continue
      const taskType = seenIn(ofType?.models)
      const inOwnCluster = seenIn(inCluster)
      const tagged = withTags.length === 0
        ? nothingSeen
        : seenBy(actor, withTags.flatMap((sums) => sums.get(modelId) ?? []), rule)
      const cells = difficulties.length < 2 ? [] : difficulties.flatMap(({ models, weight }) => {
        const sums = models.get(modelId)
        return sums === undefined || sums.weight === 0 ? [] : [{ sums, weight }]
      })
      const weak = cells.reduce((sum, { sums }) => sum + sums.all.weakWeight, 0)
      const byDifficulty = cells.map(({ sums, weight }) => {
        // Rounding may leave the sum of all models slightly below one model's sum.
        const total = Math.max(weight, sums.weight)
        const modelShare = Propensity.smoothedShare(sums.weight, total, modelIds.length)
        // All clusters of a task type share the task type's limit of weak labels.
        const weakOutcomesMax = weak > most ? most * sums.all.weakWeight / weak : most
        return { ...sums.seenBy(actor, { ...rule, weakOutcomesMax }), modelShare }
      })
      const part = (of: keyof SeenTally): Levels =>
        ({ lane: lane[of], taskType: taskType[of], cluster: inOwnCluster[of], tags: tagged[of] })
      // If there is only one actor, the actor's own sums equal the sums of all.
      const isShared = lane.own.weight > 0 && lane.own.weight !== lane.tally.weight
      tallies.set(modelId, {
        ...part("tally"),
        ...(isShared ? { own: part("own") } : {}),
        ...(byDifficulty.length < 2 ? {} : { byDifficulty })
      })
    }
    return tallies
  }
}
