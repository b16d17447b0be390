/* A closed loop: a fixed number of callers, each of whom asks again once it is answered. */
import { bytesOf } from "./asks.ts"
import { Connection } from "./connection.ts"
import type { Tally } from "./tally.ts"
import type { Traffic } from "./traffic.ts"

export interface ClosedPace {
  readonly kind: "closed"
  readonly seconds: number
  /** Ends before then when so many were asked; null for no such bound. */
  readonly requestsMax: number | null
}

/** So many callers, each of which asks as soon as it is answered: finds the most that a server can do. */
export const closedLoop = async (
  { key, pace, ports, connections }: {
    readonly key: string
    readonly pace: ClosedPace
    readonly ports: ReadonlyArray<number>
    readonly connections: number
  },
  traffic: Traffic,
  tally: Tally
): Promise<void> => {
  let left = pace.requestsMax ?? Infinity
  const endMs = performance.now() + pace.seconds * 1_000
  const caller = (index: number) =>
    new Promise<void>((resolve) => {
      const connection = new Connection(ports[index % ports.length] ?? 0)
      const ask = () => {
        if (left-- <= 0 || performance.now() >= endMs) {
          connection.end()
          return resolve()
        }
        const next = traffic.next()
        const sentMs = performance.now()
        connection.send(bytesOf(next, connection.port, key), (answer) => {
          traffic.hear(tally.note(next, answer, performance.now() - sentMs))
          ask()
        })
      }
      ask()
    })
  await Promise.all(Array.from({ length: connections }, (_, index) => caller(index)))
}
