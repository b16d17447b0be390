/**
 * The load generator, a process of its own: so many connections, each with one request under way at a time.
 * Reads a {@link Load} on standard input and writes a {@link Loaded} on standard output. It speaks just
 * enough HTTP over bare sockets to take little of the machine from what it measures.
 */
import { connect } from "node:net"
import { text } from "node:stream/consumers"

export interface Load {
  readonly port: number
  readonly path: string
  readonly key: string
  readonly connections: number
  readonly seconds: number
  /** Sent in turns; each once only when `isOnce`, and the load ends when none is left. */
  readonly bodies: ReadonlyArray<string>
  readonly isOnce: boolean
}

export interface Loaded {
  readonly requests: number
  readonly seconds: number
  readonly failures: number
  readonly latenciesMs: ReadonlyArray<number>
  /** The beginnings of the first answers; with a recommendation's id and model. */
  readonly beginnings: ReadonlyArray<string>
  /** The first answer as a whole. */
  readonly answer: string
}

const beginningsMax = 60_000
const beginningChars = 200
const headEnd = Buffer.from("\r\n\r\n")

const run = async (load: Load): Promise<Loaded> => {
  const requests = load.bodies.map((body) =>
    Buffer.from([
      `POST ${load.path} HTTP/1.1`,
      `host: 127.0.0.1:${load.port}`,
      `authorization: Bearer ${load.key}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
      "",
      body
    ].join("\r\n")))
  const latenciesMs: Array<number> = []
  const beginnings: Array<string> = []
  let answer = ""
  let failures = 0
  let next = 0
  const began = performance.now()
  const endMs = began + load.seconds * 1_000

  const worker = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(load.port, "127.0.0.1")
      socket.setNoDelay(true)
      let sentMs = 0
      let head = ""
      let chunks: Array<Buffer> = []
      let missing = -1

      const send = () => {
        const isDone = performance.now() >= endMs || (load.isOnce && next >= requests.length)
        if (isDone) return socket.end(() => resolve())
        sentMs = performance.now()
        socket.write(requests[next++ % requests.length]!)
      }
      const finish = () => {
        latenciesMs.push(performance.now() - sentMs)
        if (!head.startsWith("HTTP/1.1 200")) failures++
        if (answer === "" || beginnings.length < beginningsMax) {
          const body = Buffer.concat(chunks)
          if (answer === "") answer = body.toString("utf8")
          if (beginnings.length < beginningsMax) beginnings.push(body.toString("latin1", 0, beginningChars))
        }
        chunks = []
        missing = -1
        send()
      }
      const take = (chunk: Buffer) => {
        chunks.push(chunk)
        missing -= chunk.length
        if (missing === 0) finish()
      }
      socket.on("data", (chunk: Buffer) => {
        if (missing >= 0) return take(chunk)
        // Heads are small and come in one piece from both servers that are measured.
        const end = chunk.indexOf(headEnd)
        head = chunk.toString("latin1", 0, end)
        missing = Number(/^content-length: (\d+)/im.exec(head)?.[1])
        if (end < 0 || Number.isNaN(missing)) return reject(new Error(`Unreadable answer: ${head}`))
        take(chunk.subarray(end + headEnd.length))
      })
      socket.once("connect", send).once("error", reject)
      socket.once("close", () => resolve())
    })

  await Promise.all(Array.from({ length: load.connections }, worker))
  const seconds = (performance.now() - began) / 1_000
  return { requests: latenciesMs.length, seconds, failures, latenciesMs, beginnings, answer }
}

const load: Load = JSON.parse(await text(process.stdin))
process.stdout.write(JSON.stringify(await run(load)))
