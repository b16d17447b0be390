/* The share of a process in the connections to PostgreSQL, if several processes serve one port. */
import { Context, Effect } from "effect"
import { databaseSettings } from "./DatabaseSettings.ts"

/** Processes that serve this process's port, itself included, count. `cli` sets it. */
export const ProcessesOnPort = Context.Reference<number>("sextant/sql/ProcessesOnPort", {
  defaultValue: () => 1
})

interface PoolShare {
  /** Connections that serve requests, count. */
  readonly connections: number
  /** Most transactions that apply reports at once, count. Each takes one of the connections. */
  readonly reportsAtOnce: number
}

/** The share of one of `processes` processes. Together they hold about as many connections as one alone. */
export const shareOf = (processes: number): PoolShare => {
  const { connections, connectionsMin, reportsAtOnce } = databaseSettings
  const own = Math.max(connectionsMin, Math.ceil(connections / processes))
  return { connections: own, reportsAtOnce: Math.floor(own * reportsAtOnce / connections) }
}

export const poolShare: Effect.Effect<PoolShare> = Effect.map(ProcessesOnPort, shareOf)
