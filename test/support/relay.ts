import { Effect, type Scope } from "effect"
import { connect, createServer, type Server, type Socket } from "node:net"

export interface Relay {
  /** `url` by way of the relay. */
  readonly url: string
  /** Lets connections through from now on. */
  readonly open: Effect.Effect<void>
  /** Resets every connection and refuses new ones. */
  readonly cut: Effect.Effect<void>
}

/** A way to a server that the test can cut, at first closed. */
export const relayTo = (url: string): Effect.Effect<Relay, never, Scope.Scope> =>
  Effect.gen(function*() {
    const target = new URL(url)
    const sockets = new Set<Socket>()
    const pass = (client: Socket) => {
      const server = connect({ host: target.hostname, port: Number(target.port) })
      for (const [from, to] of [[client, server], [server, client]] as const) {
        sockets.add(from)
        from.pipe(to)
        from.on("error", () => to.destroy())
        from.on("close", () => {
          sockets.delete(from)
          to.destroy()
        })
      }
    }
    let server: Server | null = null
    const listen = (port: number) =>
      Effect.callback<number>((resume) => {
        const listener = createServer(pass)
        server = listener
        listener.listen(port, "127.0.0.1", () => {
          const address = listener.address()
          resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
        })
      })
    const cut = Effect.callback<void>((resume) => {
      for (const socket of sockets) socket.resetAndDestroy()
      if (server === null) return resume(Effect.void)
      server.close(() => resume(Effect.void))
      server = null
    })
    yield* Effect.addFinalizer(() => cut)
    const port = yield* listen(0)
    yield* cut
    const by = new URL(url)
    by.hostname = "127.0.0.1"
    by.port = String(port)
    return { url: by.href, open: Effect.asVoid(listen(port)), cut }
  })
