/* The share of PostgreSQL connections that a process gets if several processes serve one port. */
import { Context, Effect } from "effect"
import { databaseSettings } from "./DatabaseSettings.ts"

/** Number of processes that serve this process's port, including this process. */
export const ProcessesOnPort = Context.Reference<number>("sextant/sql/ProcessesOnPort", {
  defaultValue: () => 1
})

interface PoolShare {
  readonly connections: number
  readonly reportsAtOnce: number
}

/** Divides `connections` among the processes that share a port; each gets at least `connectionsMin`. */
export const shareOf = (processes: number): PoolShare => {
  const { connections, connectionsMin, reportsAtOnce } = databaseSettings
  const own = Math.max(connectionsMin, Math.ceil(connections / processes))
  return { connections: own, reportsAtOnce: Math.floor(own * reportsAtOnce / connections) }
}

export const poolShare: Effect.Effect<PoolShare> = Effect.map(ProcessesOnPort, shareOf)
