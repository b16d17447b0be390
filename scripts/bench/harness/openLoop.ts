/* An open loop: requests come at given times, whether earlier ones are answered or not. */
import { arrivals, Schedule } from "./arrivals.ts"
import { bytesOf, type Kind } from "./asks.ts"
import { Connection } from "./connection.ts"
import { quantile } from "./figures.ts"
import type { Tally } from "./tally.ts"
import type { Traffic } from "./traffic.ts"

export interface OpenPace {
  readonly kind: "open"
  readonly perSecond: number
  readonly seconds: number
  readonly seed: number
  /** How long after the last arrival answers are waited for, ms. */
  readonly patienceMs: number
}

/**
 * Requests that come when they come, answered or not. All connections busy, they wait, and their time counts
 * from when they were due. Yields by how many ms the generator itself was late, of requests that found a
 * connection free: its timers are good to 1 ms.
 */
export const openLoop = (
  { connections, key, pace, ports }: {
    readonly key: string
    readonly pace: OpenPace
    readonly ports: ReadonlyArray<number>
    readonly connections: number
  },
  traffic: Traffic,
  tally: Tally
): Promise<{ readonly lateMsP99: number }> =>
  new Promise((resolve) => {
    const all = Array.from({ length: connections }, (_, i) => new Connection(ports[i % ports.length] ?? 0))
    // Last used, first used again: as a client's pool does, and few are then ever open at a low rate.
    const free = ports.map((port) => all.filter((connection) => connection.port === port))
    const schedule = new Schedule(arrivals(pace.perSecond, pace.seconds, pace.seed))
    const underWay = new Map<Connection, { readonly kind: Kind; readonly dueMs: number }>()
    const lateMs: Array<number> = []
    const beganMs = performance.now()
    const nowMs = () => performance.now() - beganMs
    const endMs = pace.seconds * 1_000 + pace.patienceMs
    let turn = 0
    let wasWaiting = false
    let timer: NodeJS.Timeout | undefined
    let isOver = false

    /** Ports in turns, so that copies of the service have equal shares. */
    const freeConnection = (): Connection | undefined => {
      for (let i = 0; i < free.length; i++) {
        const connection = free[(turn + i) % free.length]?.pop()
        if (connection !== undefined) {
          turn = (turn + i + 1) % free.length
          return connection
        }
      }
      return undefined
    }
    const release = (connection: Connection) => free[ports.indexOf(connection.port)]?.push(connection)

    const finish = () => {
      isOver = true
      clearTimeout(timer)
      clearTimeout(deadline)
      for (const { dueMs, kind } of underWay.values()) tally.giveUp(kind, nowMs() - dueMs)
      for (let dueMs = schedule.take(Infinity); dueMs !== null; dueMs = schedule.take(Infinity)) {
        tally.giveUp(traffic.next().kind, nowMs() - dueMs)
      }
      for (const connection of all) connection.end()
      resolve({ lateMsP99: quantile(lateMs, 0.99) })
    }
    const deadline = setTimeout(finish, endMs)

    /** Sends the request that has waited longest; false while none is due or no connection is free. */
    const sendOne = (): boolean => {
      const connection = freeConnection()
      if (connection === undefined) {
        wasWaiting = true
        return false
      }
      const dueMs = schedule.take(nowMs())
      if (dueMs === null) {
        release(connection)
        wasWaiting = false
        return false
      }
      const ask = traffic.next()
      if (!wasWaiting) lateMs.push(nowMs() - dueMs)
      underWay.set(connection, { kind: ask.kind, dueMs })
      connection.send(bytesOf(ask, connection.port, key), (answer) => {
        if (isOver) return
        underWay.delete(connection)
        traffic.hear(tally.note(ask, answer, nowMs() - dueMs))
        release(connection)
        pump()
      })
      return true
    }

    const pump = () => {
      while (sendOne());
      const { nextMs } = schedule
      if (nextMs === null && underWay.size === 0) return finish()
      clearTimeout(timer)
      // While no connection is free, the next one that becomes free takes the due request.
      if (nextMs !== null && !wasWaiting) timer = setTimeout(pump, Math.max(0, nextMs - nowMs()))
    }
    pump()
  })
