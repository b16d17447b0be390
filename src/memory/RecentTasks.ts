/* Port: the recent tasks of each lane in this process, from which repeats are detected. */
import { Context, type Effect } from "effect"
import type { AccountId, Lane } from "../domain/Scope.ts"
import type { Cluster } from "../domain/Task.ts"

/** A requested task with the neighbours recalled for it. */
export interface AskedTask {
  readonly accountId: AccountId
  readonly lane: Lane
  readonly cluster: Cluster
  readonly task: string
  readonly atMs: number
  /** Fingerprint of the neighbours; null without any. */
  readonly fingerprint: number | null
  readonly laneSize: number
}

/** Recent requests that this process remembers. */
export interface RepeatCounts {
  /** Near-identical tasks of the lane within the window, this one included; >= 1. */
  readonly alike: number
  /** When the first of them was asked. */
  readonly alikeSinceMs: number
  /**
   * Recommendations of the cluster, one after another until this one, for which these very entries were
   * recalled and the lane held as many outcomes; 0 when nothing was recalled.
   */
  readonly sameRecalls: number
}

export interface RecentTasksRule {
  /** Cosine from which two tasks are near-identical. */
  readonly similarityMin: number
  readonly windowMs: number
}

/**
 * Remembers recent tasks in each lane, enough to notice repeated ones. It is a hint, not a record: each
 * process has its own, it is bounded, and it ends with the process.
 */
export class RecentTasks extends Context.Service<RecentTasks, {
  /** Remembers the task and yields the counts of repeats before it. */
  readonly note: (task: AskedTask, rule: RecentTasksRule) => Effect.Effect<RepeatCounts>
}>()("sextant/memory/RecentTasks") {}
