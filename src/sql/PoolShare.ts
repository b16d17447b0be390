/* The share of a process in the connections to PostgreSQL, where several processes serve one port. */
import { Context, Effect } from "effect"
import { databaseSettings } from "./DatabaseSettings.ts"

/** Processes that serve the port of this one, itself included, count. `cli` sets it. */
export const ProcessesOnPort = Context.Reference<number>("sextant/sql/ProcessesOnPort", {
  defaultValue: () => 1
})

/** What one process may use of PostgreSQL. */
interface PoolShare {
  /** Connections of the pool that serves requests, count. */
  readonly connections: number
  /** Most reports that are applied at once, each on one of these connections, count. */
  readonly reportsAtOnce: number
}

/** The share of each of so many processes: together they hold about as many connections as a lone one. */
export const shareOf = (processes: number): PoolShare => {
  const { connections, connectionsMin, reportsAtOnce } = databaseSettings
  const own = Math.max(connectionsMin, Math.ceil(connections / processes))
  return { connections: own, reportsAtOnce: Math.floor(own * reportsAtOnce / connections) }
}

/** The share of this process. */
export const poolShare: Effect.Effect<PoolShare> = Effect.map(ProcessesOnPort, shareOf)
