/**
 * The load generator, a process of its own. Reads a {@link Load} on standard input and writes a {@link Loaded} on
 * standard output.
 */
import { Agent, request } from "node:http"
import { buffer, text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { generator } from "../../../src/stats/Generator.ts"
import type { Ask } from "./asks.ts"
import { type Answer, type Loaded, Tally } from "./tally.ts"
import { type Traffic, type TrafficPlan, trafficOf } from "./traffic.ts"

/** Callers that ask again as soon as they are answered, which finds the most that a server can do. */
interface ClosedPace {
  readonly kind: "closed"
  readonly seconds: number
  /** Requests after which the load ends early; null without a bound. */
  readonly requestsMax: number | null
}

/** Requests at the times of a Poisson process, answered or not; the same seed gives the same times. */
interface OpenPace {
  readonly kind: "open"
  readonly perSecond: number
  readonly seconds: number
  readonly seed: number
  /** Longest wait for answers after the last arrival, ms. */
  readonly patienceMs: number
}

export interface Load {
  readonly port: number
  readonly key: string
  readonly connections: number
  readonly traffic: TrafficPlan
  readonly pace: ClosedPace | OpenPace
}

const sender = ({ connections, key, port }: Load) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = ({ body, headers, path }: Ask): Promise<Answer> =>
    new Promise((resolve) => {
      const sent = request({
        agent, path, host: "127.0.0.1", port, method: body === null ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === null ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
          ...headers
        }
      }, (response) => {
        const { statusCode: status = 0 } = response
        buffer(response).then((read) => resolve({ status, body: read }), () => resolve({ status: 0, body: Buffer.of() }))
      })
      sent.once("error", () => resolve({ status: 0, body: Buffer.of() }))
      sent.end(body)
    })
  return { send, end: () => agent.destroy() }
}

type Send = ReturnType<typeof sender>["send"]

const closedLoop = async (send: Send, connections: number, pace: ClosedPace, traffic: Traffic, tally: Tally) => {
  let left = pace.requestsMax ?? Infinity
  const endMs = performance.now() + pace.seconds * 1_000
  const caller = async () => {
    while (left-- > 0 && performance.now() < endMs) {
      const next = traffic.next()
      const sentMs = performance.now()
      const answer = await send(next)
      traffic.hear(tally.note(next, answer, performance.now() - sentMs))
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
}

/**
 * Sends requests at random times, and counts each from when it was due. So a server that stands still pays for all who
 * come meanwhile (Tene, "How not to measure latency": coordinated omission). A request waits for a free connection.
 */
const openLoop = async (send: Send, pace: OpenPace, traffic: Traffic, tally: Tally) => {
  const uniform = generator(pace.seed)
  const beganMs = performance.now()
  const underWay = new Map<Ask, number>()
  const answers: Array<Promise<void>> = []
  let isOver = false
  const ask = async (next: Ask, dueMs: number) => {
    underWay.set(next, dueMs)
    const answer = await send(next)
    if (isOver) return
    underWay.delete(next)
    traffic.hear(tally.note(next, answer, performance.now() - dueMs))
  }
  for (let atMs = 0;;) {
    atMs += -Math.log(1 - uniform()) * 1_000 / pace.perSecond
    if (atMs >= pace.seconds * 1_000) break
    const dueMs = beganMs + atMs
    if (dueMs > performance.now()) await sleep(dueMs - performance.now())
    answers.push(ask({ ...traffic.next() }, dueMs))
  }
  await Promise.race([Promise.all(answers), sleep(pace.patienceMs)])
  isOver = true
  for (const [{ kind }, dueMs] of underWay) tally.giveUp(kind, performance.now() - dueMs)
}

/** Puts a load on its server. */
export const run = async (load: Load): Promise<Loaded> => {
  const { connections, pace } = load
  const { end, send } = sender(load)
  const tally = new Tally()
  const traffic = trafficOf(load.traffic)
  const used = process.cpuUsage()
  const beganMs = performance.now()
  await (pace.kind === "open"
    ? openLoop(send, pace, traffic, tally)
    : closedLoop(send, connections, pace, traffic, tally))
  const seconds = (performance.now() - beganMs) / 1_000
  const { system, user } = process.cpuUsage(used)
  end()
  return { ...tally, seconds, processorMs: (system + user) / 1_000 }
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await run(JSON.parse(await text(process.stdin)))), () => process.exit())
}
