/* Port: remembers the recent tasks of each lane in this process, to detect repeated tasks. */
import { Context, type Effect } from "effect"
import type { AccountId, Lane } from "../domain/Scope.ts"
import type { Cluster } from "../domain/Task.ts"

export interface AskedTask {
  readonly accountId: AccountId
  readonly lane: Lane
  readonly cluster: Cluster
  readonly task: string
  readonly atMs: number
  /** Fingerprint of the recalled neighbours; null if there are none. */
  readonly fingerprint: number | null
  readonly laneSize: number
}

/** Counts of repeated tasks among the recent requests of this process. */
export interface RepeatCounts {
  /** Number of nearly identical tasks of the lane within `windowMs`, including the new task. */
  readonly alike: number
  /** Time of the earliest of the nearly identical tasks, ms since 1970. */
  readonly alikeSinceMs: number
  /**
   * Number of the cluster's latest recommendations in a row that recalled the same neighbours at the same
   * lane size; 0 if the recommendation recalled no neighbours.
   */
  readonly sameRecalls: number
}

export interface RecentTasksRule {
  /** Minimum cosine similarity of two nearly identical tasks. */
  readonly similarityMin: number
  readonly windowMs: number
}

/** Counts repeated tasks. The counts are only hints, because each process has its own limited memory. */
export class RecentTasks extends Context.Service<RecentTasks, {
  readonly note: (task: AskedTask, rule: RecentTasksRule) => Effect.Effect<RepeatCounts>
}>()("sextant/memory/RecentTasks") {}
