/* Port: remembers the recent tasks of each lane in this process, to detect repeated tasks. */
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
  /** Fingerprint of the neighbours; null if there are none. */
  readonly fingerprint: number | null
  readonly laneSize: number
}

/** Counts of repeats among the recent requests of this process. */
export interface RepeatCounts {
  /** Near-identical tasks of the lane within the window, including the new one, count. */
  readonly alike: number
  /** Time of the first of these tasks, ms since 1970. */
  readonly alikeSinceMs: number
  /**
   * Latest recommendations of the cluster in a row with the same neighbours and the same lane size, including
   * the new one, count. The count is 0 if there are no neighbours.
   */
  readonly sameRecalls: number
}

export interface RecentTasksRule {
  /** Least cosine of two near-identical tasks. */
  readonly similarityMin: number
  readonly windowMs: number
}

/**
 * Remembers some recent tasks of each lane, to notice repeated ones. The counts are only hints, because each
 * process has its own memory, which is limited and ends with the process.
 */
export class RecentTasks extends Context.Service<RecentTasks, {
  /** Remembers a task, and returns the counts of repeats with it. */
  readonly note: (task: AskedTask, rule: RecentTasksRule) => Effect.Effect<RepeatCounts>
}>()("sextant/memory/RecentTasks") {}
