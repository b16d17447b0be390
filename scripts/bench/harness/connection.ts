/* A kept-alive HTTP connection that takes little processor time. */
import { connect, type Socket } from "node:net"

export interface Answer {
  /** 0 where none came. */
  readonly status: number
  readonly body: Buffer
}

const headEnd = Buffer.from("\r\n\r\n")
const nothing = Buffer.alloc(0)
/**
 * Under the 5 s after which Node closes a connection by default: it must not close while a request is sent.
 */
const idleMsMax = 4_000

/**
 * One connection that is kept alive, with one request under way at a time. It speaks just enough HTTP over a
 * bare socket to take little of the machine from what is measured, and connects when first used.
 */
export class Connection {
  readonly port: number
  #socket: Socket | null = null
  #usedMs = 0
  #answered: ((answer: Answer) => void) | null = null
  #status = 0
  #isLast = false
  /** Bytes of the body that have not come; -1 while the head has not. */
  #missing = -1
  #chunks: Array<Buffer> = []

  constructor(port: number) {
    this.port = port
  }

  /** Sends a whole request; `answered` is called once, whatever happens. */
  send(request: Buffer, answered: (answer: Answer) => void): void {
    this.#answered = answered
    if (performance.now() - this.#usedMs > idleMsMax) this.end()
    this.#socket ??= this.#open()
    this.#socket.write(request)
  }

  end(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  #open(): Socket {
    const socket = connect(this.port, "127.0.0.1").setNoDelay(true)
    socket.on("data", (chunk) => this.#take(chunk))
    // An error is followed by the close.
    socket.on("error", () => {})
    socket.on("close", () => {
      if (this.#socket !== socket) return
      this.#socket = null
      if (this.#answered !== null) this.#finish({ status: 0, body: nothing })
    })
    this.#missing = -1
    this.#chunks = []
    return socket
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    if (this.#missing < 0) this.#readHead()
    else this.#missing -= chunk.length
    if (this.#missing !== 0) return
    const [first = nothing, ...others] = this.#chunks
    this.#missing = -1
    this.#chunks = []
    if (this.#isLast) this.end()
    const body = others.length === 0 ? first : Buffer.concat([first, ...others])
    this.#finish({ status: this.#status, body })
  }

  #readHead(): void {
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    const end = bytes.indexOf(headEnd)
    if (end < 0) return
    const head = bytes.toString("latin1", 0, end)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1])
    const body = bytes.subarray(end + headEnd.length)
    this.#status = Number(head.slice(9, 12))
    this.#isLast = /^connection: close/im.test(head)
    this.#chunks = [body]
    // Neither server that is measured answers in pieces of unknown length.
    if (Number.isNaN(length)) this.#socket?.destroy()
    else this.#missing = length - body.length
  }

  #finish(answer: Answer): void {
    const answered = this.#answered
    this.#answered = null
    this.#usedMs = performance.now()
    answered?.(answer)
  }
}
