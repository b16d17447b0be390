/* A proxy between the service and PostgreSQL that counts round trips. */
import { Effect, Redacted } from "effect"
import { connect } from "node:net"
import { addressOf, type ServerAddress } from "../../src/sql/IdleTimeoutStream.ts"
import { freshDatabase } from "./Databases.ts"
import { tcpServer } from "./TcpServer.ts"

/** The client's messages that end a request, so that the server answers with ReadyForQuery: Sync and Query. */
const ends = new Set([0x53, 0x51])

/** Counts the requests that end in a connection's bytes. The first message has no type byte. */
const makeCount = () => {
  let rest = Buffer.alloc(0)
  let isStarted = false
  return (chunk: Buffer): number => {
    rest = Buffer.concat([rest, chunk])
    let requests = 0
    for (;;) {
      const at = isStarted ? 1 : 0
      if (rest.length < at + 4) return requests
      const length = at + rest.readUInt32BE(at)
      if (rest.length < length) return requests
      if (isStarted && ends.has(rest[0] ?? 0)) requests++
      isStarted = true
      rest = rest.subarray(length)
    }
  }
}

/**
 * A port in front of a PostgreSQL server, for connections without encryption. `roundTrips` yields how many requests the
 * clients have sent since its last call. A client sends a request after the answer to the one before.
 */
const wireProxy = (server: ServerAddress) => {
  let counted = 0
  const proxy = tcpServer((client) => {
    const upstream = connect({ ...server, noDelay: true })
    const count = makeCount()
    client.on("data", (chunk) => {
      counted += count(chunk)
    })
    for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
      from.on("error", () => to.destroy()).on("close", () => to.destroy()).pipe(to)
    }
  })
  const roundTrips = () => {
    const since = counted
    counted = 0
    return since
  }
  return Effect.map(proxy, ({ port }) => ({ port, roundTrips }))
}

/** The address of a new, empty database of the server through a new proxy, and the proxy's count. */
export const proxiedDatabase = (server: string) =>
  Effect.gen(function*() {
    const { url } = yield* freshDatabase(server)
    const { port, roundTrips } = yield* wireProxy(addressOf(Redacted.value(url)))
    const through = new URL(Redacted.value(url))
    through.host = `127.0.0.1:${port}`
    return { url: Redacted.make(through.href), roundTrips }
  })
