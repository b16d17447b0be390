import { connect } from "node:net"
import { Duplex } from "node:stream"

/** Where a PostgreSQL server listens; a path is a Unix socket's. */
export type Address = { readonly host: string; readonly port: number } | { readonly path: string }

/** Where the URL of a PostgreSQL server points, as the driver reads it. */
export const addressOf = (text: string): Address => {
  const { hostname, port, searchParams } = new URL(text)
  const host = searchParams.get("host")
    ?? (decodeURIComponent(hostname).replace(/^\[|\]$/g, "") || "localhost")
  const number = Number(searchParams.get("port") ?? (port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${number}` } : { host, port: number }
}

export interface IdleTimeouts {
  /** Longest that the server may be silent after it was asked, ms. */
  readonly silentMs: number
  /** Idle time after which TCP asks whether the other end is there, ms. */
  readonly keepAliveMs: number
}

/** The server's last message of every answer, but for how the transaction stands: a Z of five bytes. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5])

/** How the server accepts, in its first byte alone, that all that follows is encrypted. */
const encrypts = 0x53

/** Says whether an answer is complete, given its chunks; of an encrypted one any chunk will do. */
const makeIsComplete = () => {
  let isEncrypted: boolean | null = null
  let end = Buffer.alloc(0)
  return (chunk: Buffer): boolean => {
    isEncrypted ??= chunk.length === 1 && chunk[0] === encrypts
    if (isEncrypted) return true
    end = Buffer.concat([end, chunk.subarray(-ready.length - 1)]).subarray(-ready.length - 1)
    return end.subarray(0, ready.length).equals(ready)
  }
}

/**
 * Connections to one server, each of which ends when the server was asked and stays silent; those that it has
 * not spoken on since then go too, for they are of no use either. Where the way there was cut without a word,
 * TCP goes on sending for a quarter of an hour, and the beginning and the end of a transaction cannot be
 * interrupted: whoever waits would hold a place in the pool as long.
 *
 * An answer has come when its last message has; of an encrypted one, when anything has, since what cuts that
 * short TCP finds by itself and what spoils it TLS does. They are streams over the sockets because TLS takes
 * a socket's bytes past everybody who listens.
 */
export const idleTimeoutStreams = (
  address: () => Address,
  { keepAliveMs, silentMs }: IdleTimeouts
): () => Duplex => {
  const heardMs = new Map<Duplex, number>()
  const silent = new Error(`The server has been silent for ${silentMs} ms`)

  return () => {
    const socket = connect({
      ...address(), noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs
    })
    const isComplete = makeIsComplete()
    let silence: NodeJS.Timeout | undefined
    const quiet = () => {
      clearTimeout(silence)
      silence = undefined
    }
    const asked = () => {
      if (silence !== undefined) return
      const askedMs = performance.now()
      silence = setTimeout(() => {
        // This one among them: whatever is heard on it begins another wait.
        for (const [each, lastMs] of heardMs) if (lastMs <= askedMs) each.destroy(silent)
      }, silentMs)
    }
    const stream = new Duplex({
      read: () => void socket.resume(),
      write: (chunk: Buffer, _encoding, done) => {
        asked()
        if (socket.write(chunk)) done()
        else socket.once("drain", done)
      },
      final: (done) => void socket.end(done),
      destroy: (error, done) => {
        quiet()
        heardMs.delete(stream)
        socket.destroy()
        done(error)
      }
    })
    heardMs.set(stream, performance.now())
    socket.on("data", (chunk) => {
      quiet()
      heardMs.set(stream, performance.now())
      if (!isComplete(chunk)) asked()
      if (!stream.push(chunk)) socket.pause()
    })
    socket.on("end", () => stream.push(null))
    socket.on("error", (error) => stream.destroy(error))
    socket.on("close", () => stream.destroy())
    return stream
  }
}
