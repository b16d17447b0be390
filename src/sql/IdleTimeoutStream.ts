/* Sockets to PostgreSQL that close if the server stays silent after a request. */
import { connect } from "node:net"
import { Duplex } from "node:stream"

export type ServerAddress = { readonly host: string; readonly port: number } | { readonly path: string }

export const withHost = (text: string): string =>
  text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?]|$)/, "$1localhost")

/** Throws if the URL is invalid. */
export const addressOf = (text: string): ServerAddress => {
  const { hostname, port, searchParams } = new URL(withHost(text))
  const host = searchParams.get("host")
    ?? (decodeURIComponent(hostname).replace(/^\[|\]$/g, "") || "localhost")
  const number = Number(searchParams.get("port") ?? (port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${number}` } : { host, port: number }
}

interface IdleTimeouts {
  readonly silentMs: number
  readonly keepAliveMs: number
}

/** The message ReadyForQuery, which ends every answer, without its last byte. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5])

/** The server's one-byte answer that accepts encryption. */
const encrypts = 0x53

/** Returns a function that receives the chunks of an answer and returns true when the answer is complete. */
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
 * Makes connections to one server. If the server is silent for `silentMs` after a request, that connection is
 * destroyed, and all others that have received nothing since then. Without a timeout, TCP would retransmit
 * for many minutes after the network was cut. The end of an encrypted answer cannot be seen, so its
 * first bytes count as the whole answer. The connections are streams over sockets, because TLS reads a
 * socket's bytes without emitting them.
 */
export const idleTimeoutStreams = (
  address: () => ServerAddress,
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
