/* Driver of {@link RecentTasks}: lists of limited length in this process. */
import { Effect, Layer } from "effect"
import { embedLexical, lexicalDimensions } from "../../embedder/lexical/EmbedderLexical.ts"
import { BoundedMap } from "../../resilience/BoundedMap.ts"
import { quantise } from "../index/QuantisedVector.ts"
import { VectorRows } from "../index/VectorRows.ts"
import { type AskedTask, type RepeatCounts, RecentTasks, type RecentTasksRule } from "../RecentTasks.ts"

/**
 * Maximum numbers of remembered tasks per lane, and of lanes. All remembered tasks take at most about 20 MB.
 */
const tasksMax = 64
const lanesMax = 1_000

/** The latest tasks of one cluster in a row that recalled the same neighbours at the same lane size. */
interface Streak {
  fingerprint: number
  laneSize: number
  length: number
}

interface RecentLane {
  readonly vectors: VectorRows
  /** Time of each row's task, ms since 1970. When all rows are filled, the oldest row is overwritten. */
  readonly askedAtMs: Array<number>
  next: number
  readonly streaks: Map<string, Streak>
}

const alikeOf = (
  lane: RecentLane,
  vector: Float32Array,
  { atMs }: AskedTask,
  { similarityMin, windowMs }: RecentTasksRule
): Pick<RepeatCounts, "alike" | "alikeSinceMs"> => {
  const { similarities, slots } = lane.vectors.compare(vector)
  let [alike, alikeSinceMs] = [1, atMs]
  lane.askedAtMs.forEach((askedAtMs, row) => {
    if (similarities[slots[row]!]! < similarityMin || askedAtMs < atMs - windowMs) return
    alike++
    alikeSinceMs = Math.min(alikeSinceMs, askedAtMs)
  })
  return { alike, alikeSinceMs }
}

const sameRecallsOf = ({ streaks }: RecentLane, { cluster, fingerprint, laneSize }: AskedTask): number => {
  if (fingerprint === null) {
    streaks.delete(cluster)
    return 0
  }
  const streak = streaks.get(cluster)
  if (streak?.fingerprint === fingerprint && streak.laneSize === laneSize) return ++streak.length
  streaks.set(cluster, { fingerprint, laneSize, length: 1 })
  return 1
}

const make = Effect.sync(() => {
  const lanes = new BoundedMap<string, RecentLane>(lanesMax)

  const laneOf = ({ accountId, lane }: AskedTask): RecentLane => {
    const key = JSON.stringify([accountId, lane])
    const recent = lanes.get(key)
      ?? { vectors: new VectorRows(lexicalDimensions), askedAtMs: [], next: 0, streaks: new Map() }
    lanes.set(key, recent)
    return recent
  }

  return RecentTasks.of({
    note: (task, rule) =>
      Effect.sync(() => {
        const lane = laneOf(task)
        const vector = embedLexical(task.task)
        const precedent = { ...alikeOf(lane, vector, task, rule), sameRecalls: sameRecallsOf(lane, task) }
        lane.vectors.set(lane.next, quantise(vector))
        lane.askedAtMs[lane.next] = task.atMs
        lane.next = (lane.next + 1) % tasksMax
        return precedent
      })
  })
})

/** Compares tasks by the built-in embedder, even if memory uses another embedder. */
export const layer: Layer.Layer<RecentTasks> = Layer.effect(RecentTasks, make)
