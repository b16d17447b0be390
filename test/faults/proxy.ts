import { Effect, type Scope } from "effect"
import { connect, createServer, type Server, type Socket } from "node:net"

/*
 * A TCP proxy that a test puts between the service and what it depends on, and lets go wrong. A fault holds
 * for open connections too, from their next chunk on.
 */

export type Fault =
  /** Everything passes. */
  | { readonly kind: "none" }
  /** Each chunk of an answer is late by so many milliseconds. */
  | { readonly kind: "latency"; readonly ms: number }
  /** Takes connections and requests, and nothing more passes either way; what waits passes once it is over. */
  | { readonly kind: "black hole" }
  /** Connections of now never carry anything again, also when it is over; nobody is told. New ones work. */
  | { readonly kind: "half open" }
  /** Each connection is reset once so many bytes of answers have passed. */
  | { readonly kind: "reset"; readonly afterBytes: number }
  /** Answers come so many bytes at a time, with a pause in milliseconds. */
  | { readonly kind: "trickle"; readonly bytes: number; readonly everyMs: number }
  /** Noise is answered in place of what was asked for. */
  | { readonly kind: "garbage" }
  /** One byte of each answer's chunk is another, at this position, counted from the end when negative. */
  | { readonly kind: "corrupt"; readonly at: number }
  /** Nobody listens, and open connections are reset. */
  | { readonly kind: "refuse" }

export const none: Fault = { kind: "none" }

export interface Proxy {
  readonly port: number
  readonly set: (fault: Fault) => Effect.Effect<void>
  /** Listens on this port instead. */
  readonly listenOn: (port: number) => Effect.Effect<void>
  /** Since the start, count: connections taken, and HTTP requests seen in what clients sent. */
  readonly seen: { connections: number; requests: number }
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
  /** Bytes of answers so far. */
  answered: number
  /** Carries nothing any more. */
  isDead: boolean
  /** What is to be done with answers, in order. */
  queue: Promise<void>
}

const noise = Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 151 + 89) % 256))
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const corrupted = (chunk: Buffer, at: number): Buffer => {
  const changed = Buffer.from(chunk)
  const position = (at < 0 ? chunk.length + at : at) % chunk.length
  changed[Math.max(0, position)] = (changed[Math.max(0, position)] ?? 0) ^ 0x55
  return changed
}

/** A byte or a few at a time, for as long as the fault holds. */
const trickle = async (pair: Pair, chunk: Buffer, current: () => Fault) => {
  let rest = chunk
  while (rest.length > 0 && !pair.near.destroyed) {
    const fault = current()
    const bytes = fault.kind === "trickle" ? fault.bytes : rest.length
    pair.near.write(rest.subarray(0, bytes))
    rest = rest.subarray(bytes)
    if (fault.kind === "trickle") await wait(fault.everyMs)
  }
}

/** Passes a chunk of an answer on, as the fault of this moment has it. */
const answer = async (pair: Pair, chunk: Buffer, current: () => Fault): Promise<void> => {
  const fault = current()
  pair.answered += chunk.length
  if (pair.isDead || pair.near.destroyed) return
  switch (fault.kind) {
    case "latency":
      await wait(fault.ms)
      break
    case "trickle":
      return trickle(pair, chunk, current)
    case "garbage":
      pair.near.write(noise)
      return
    case "corrupt":
      pair.near.write(corrupted(chunk, fault.at))
      return
    case "reset": {
      const over = pair.answered - fault.afterBytes
      if (over < 0) break
      pair.near.write(chunk.subarray(0, Math.max(0, chunk.length - over)), () => pair.near.resetAndDestroy())
      pair.far.destroy()
      return
    }
    default:
      break
  }
  if (!pair.near.destroyed && !pair.isDead) pair.near.write(chunk)
}

const listen = (server: Server, port: number, address: string) =>
  Effect.callback<number>((resume) => {
    const attempt = () => {
      server.once("error", retry)
      server.listen(port, address, () => {
        server.off("error", retry)
        const bound = server.address()
        resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : 0))
      })
    }
    const retry = () => void setTimeout(attempt, 20)
    attempt()
  })

/** A proxy to a port of this machine; it goes with the scope. */
export const makeProxy = (
  target: number,
  address = "127.0.0.1"
): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    const pairs = new Set<Pair>()
    const seen = { connections: 0, requests: 0 }
    let fault: Fault = none
    const current = () => fault

    const accept = (near: Socket) => {
      seen.connections++
      const far = connect({ port: target, host: "127.0.0.1" })
      const pair: Pair = { near, far, answered: 0, isDead: false, queue: Promise.resolve() }
      pairs.add(pair)
      for (const socket of [near, far]) socket.setNoDelay(true).on("error", () => socket.destroy())
      near.once("close", () => {
        pairs.delete(pair)
        far.destroy()
      })
      // What was answered arrives before the end does; where nothing arrives, no end does either.
      far.once("close", () => {
        pair.queue = pair.queue.then(() => {
          if (!pair.isDead) near.destroySoon()
        })
      })
      near.on("data", (chunk: Buffer) => {
        if (pair.isDead) return
        seen.requests += chunk.toString("latin1").split(" HTTP/1.1\r\n").length - 1
        if (fault.kind === "reset" && fault.afterBytes === 0) return void near.resetAndDestroy()
        far.write(chunk)
      })
      far.on("data", (chunk: Buffer) => {
        pair.queue = pair.queue.then(() => answer(pair, chunk, current))
      })
      if (fault.kind === "black hole") for (const socket of [near, far]) socket.pause()
    }

    const make = () => createServer({ pauseOnConnect: false }, accept)
    let server: Server | null = make()
    const port = yield* listen(server, 0, address)
    let inUse = port

    const close = Effect.callback<void>((resume) => {
      if (server === null) return resume(Effect.void)
      server.close(() => resume(Effect.void))
      server = null
      for (const { far, near } of pairs) {
        near.resetAndDestroy()
        far.destroy()
      }
    })
    yield* Effect.addFinalizer(() => close)

    const set = Effect.fnUntraced(function*(next: Fault) {
      fault = next
      if (next.kind === "refuse") return yield* close
      if (server === null) {
        server = make()
        yield* listen(server, inUse, address)
      }
      for (const pair of pairs) {
        if (next.kind === "half open") pair.isDead = true
        for (const socket of [pair.near, pair.far]) {
          if (next.kind === "black hole") socket.pause()
          else socket.resume()
        }
      }
    })
    const listenOn = Effect.fnUntraced(function*(other: number) {
      yield* close
      inUse = other
      yield* set(fault.kind === "refuse" ? none : fault)
    })
    return { port, set, listenOn, seen }
  })
