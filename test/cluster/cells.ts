// Two cells behind the shipped HAProxy: real processes, each cell on a PostgreSQL database of its own.
import { Effect, Redacted, Schedule, type Scope } from "effect"
import { cpSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freshDatabase, postgresServer, temporaryDirectory } from "../support/Databases.ts"
import { freePort } from "../support/PostgresCluster.ts"
import { type Process, sendRequest, type Service, ServiceFailed, spawnCommand, startService } from "../support/Service.ts"

export const shipped = new URL("../../deploy/cells", import.meta.url).pathname
const program = "/usr/sbin/haproxy"

/** Why cells cannot be started here; null where they can. */
export const lacking = !existsSync(program) ? "needs HAProxy: apt-get install haproxy"
  : postgresServer === null ? "needs a PostgreSQL server"
  : null

export interface Cell {
  readonly service: Service
  readonly url: string
  readonly address: string
}

/** A service on that database, or a new one, which registers these keys. */
export const startCell = Effect.fnUntraced(function*(
  keys: ReadonlyArray<string>,
  database: string | null = null,
  environment: Readonly<Record<string, string>> = {}
): Effect.fn.Return<Cell, unknown, Scope.Scope> {
  const url = database ?? Redacted.value((yield* freshDatabase(postgresServer ?? "")).url)
  const service = yield* startService({ DATABASE_URL: url, SEXTANT_BOOTSTRAP_KEYS: keys.join(","), ...environment })
  return { service, url, address: new URL(service.baseUrl).host }
})

export interface Balancer {
  readonly baseUrl: string
  readonly socket: string
  readonly mapFile: string
  readonly process: Process
}

/** The files as they are shipped, but for the map's lines; resolves once a cell's answer comes through. */
export const startBalancer = Effect.fnUntraced(function*(
  map: ReadonlyMap<string, string>,
  cellA: string,
  cellB: string,
  port?: number
): Effect.fn.Return<Balancer, ServiceFailed, Scope.Scope> {
  const directory = yield* temporaryDirectory
  cpSync(shipped, directory, { recursive: true })
  const mapFile = join(directory, "cells.map")
  writeFileSync(mapFile, [...map].map(([account, cell]) => `${account} ${cell}\n`).join(""))
  const own = port ?? (yield* Effect.promise(freePort))
  const socket = join(directory, "socket")
  const process = yield* spawnCommand(program, ["-db", "-f", "haproxy.cfg"], {
    SEXTANT_BALANCER_BIND: `127.0.0.1:${own}`, SEXTANT_BALANCER_SOCKET: socket,
    SEXTANT_CELL_A: cellA, SEXTANT_CELL_B: cellB
  }, directory)
  const baseUrl = `http://127.0.0.1:${own}`
  yield* sendRequest({ baseUrl, key: "" }, "/readyz").pipe(
    Effect.filterOrFail(({ status }) => status === 200, ({ text }) => new ServiceFailed({ message: text })),
    Effect.retry({ times: 100, schedule: Schedule.spaced("100 millis") }),
    Effect.mapError((error) => new ServiceFailed({ message: `${String(error)}\n${process.stderr()}` }))
  )
  return { baseUrl, socket, mapFile, process }
})
