/* The writes of one feedback as rows, for the statement with which the ledger settles it. */
import type { Effect } from "effect"
import type { Lane } from "../domain/Scope.ts"

/** Wraps an effect without changing its types. */
export type Around = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A row by column, as JSON says it. `position`, which the group adds, identifies a row of a group. */
type PlannedRow = Readonly<Record<string, unknown>>

/** What the statement wrote for one feedback. */
interface CommittedWrites {
  /** The lane's version with these writes. */
  readonly version: number
  readonly isReflectionDue: boolean
}

/** The writes of one feedback to a memory in the ledger's database: an outcome and what comes with it. */
export interface PlannedWrites {
  readonly lane: Lane
  /** By how much they raise the lane's version, count. */
  readonly versions: number
  readonly outcome: PlannedRow
  /** The votes on past outcomes; null without any. */
  readonly votes: PlannedRow | null
  readonly lesson: PlannedRow | null
  /** Lets this process know of the writes once they are durable. */
  readonly committed: (writes: CommittedWrites) => Effect.Effect<void>
  /** What surrounds the wait for them, where telemetry is on. */
  readonly around?: Around
}
