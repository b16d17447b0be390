import { connect, type Socket } from "node:net"

export interface Reply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Null when the connection was closed without a whole answer. */
export type Answered = Reply | null

export class NoReply extends Error {}

const headEnd = Buffer.from("\r\n\r\n")

const headOf = (text: string) => {
  const [first = "", ...lines] = text.split("\r\n")
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":")
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  }))
  return { status: Number(first.split(" ")[1]), headers }
}

/** The body of a chunked answer and where it ends, or null while it is incomplete. */
const dechunked = (bytes: Buffer): { readonly body: Buffer; readonly end: number } | null => {
  const chunks: Array<Buffer> = []
  for (let at = 0;;) {
    const line = bytes.indexOf("\r\n", at)
    if (line < 0) return null
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    const next = line + 2 + size + 2
    if (bytes.length < next) return null
    if (size === 0) return { body: Buffer.concat(chunks), end: next }
    chunks.push(bytes.subarray(line + 2, line + 2 + size))
    at = next
  }
}

/** A whole answer at the beginning of the bytes and what follows it, or null. */
const parse = (bytes: Buffer, method: string): { readonly reply: Reply; readonly rest: Buffer } | null => {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return null
  const { headers, status } = headOf(bytes.toString("latin1", 0, end))
  const after = bytes.subarray(end + 4)
  if (status < 200) return parse(after, method)
  if (method === "HEAD" || status === 204 || status === 304) return { reply: { status, headers, body: Buffer.alloc(0) }, rest: after }
  if (headers.get("transfer-encoding") === "chunked") {
    const whole = dechunked(after)
    return whole && { reply: { status, headers, body: whole.body }, rest: after.subarray(whole.end) }
  }
  const length = Number(headers.get("content-length") ?? 0)
  return after.length < length ? null : { reply: { status, headers, body: after.subarray(0, length) }, rest: after.subarray(length) }
}

/** One keep-alive connection with one request under way at a time; it reconnects when the server closes. */
export class Connection {
  readonly #port: number
  readonly #deadlineMs: number
  #socket: Socket | null = null

  constructor(port: number, deadlineMs: number) {
    this.#port = port
    this.#deadlineMs = deadlineMs
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  #open(): Socket {
    if (this.#socket !== null && !this.#socket.destroyed && this.#socket.writable) return this.#socket
    this.#socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true })
    return this.#socket
  }

  /** The answer to these bytes; with `isLast` they are the connection's last. Rejects after the deadline. */
  send(bytes: Buffer, method: string, isLast: boolean): Promise<Answered> {
    if (isLast) this.close()
    const socket = this.#open()
    return new Promise((resolve, reject) => {
      let received: Buffer = Buffer.alloc(0)
      const deadline = setTimeout(() => finish(() => reject(new NoReply(`no answer within ${this.#deadlineMs} ms`)), true), this.#deadlineMs)
      const finish = (settle: () => void, isOver: boolean) => {
        clearTimeout(deadline)
        socket.removeAllListeners("data").removeAllListeners("close")
        if (isOver) this.close()
        settle()
      }
      socket.removeAllListeners("error").on("error", () => {})
      socket.on("close", () => finish(() => resolve(null), true))
      socket.on("data", (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const parsed = parse(received, method)
        if (parsed === null) return
        const closes = parsed.reply.headers.get("connection")?.toLowerCase() === "close"
        finish(() => resolve(parsed.reply), isLast || closes || parsed.rest.length > 0)
      })
      if (isLast) socket.end(bytes)
      else socket.write(bytes)
    })
  }
}
