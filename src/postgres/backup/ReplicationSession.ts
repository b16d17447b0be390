// A client of PostgreSQL's replication protocol, with as much of it as a base backup needs.
import { connect, type Socket } from "node:net"
import type { ServerAddress } from "../../sql/IdleTimeoutStream.ts"

/** The server refused a command, or the connection ended. */
export class ReplicationFailed extends Error {}

export interface Message {
  /** The message's kind, one letter: `D` a row, `d` copied data, `C` a command's end. */
  readonly tag: string
  readonly body: Buffer
}

/** Longest message taken; the server's own are 32 KiB of a backup, bytes. */
const messageBytesMax = 64 * 2 ** 20

const framed = (tag: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(tag.length + 4)
  head.write(tag, "ascii")
  head.writeInt32BE(body.length + 4, tag.length)
  return Buffer.concat([head, body])
}

const protocolVersion = 196_608

/** The startup message of a walsender that also answers SQL, about the database with the user's name. */
const startup = (user: string): Buffer => {
  const parameters = {
    user,
    database: "postgres",
    replication: "database",
    application_name: "sextant-backup",
    client_encoding: "UTF8"
  }
  const version = Buffer.alloc(4)
  version.writeInt32BE(protocolVersion)
  const text = Object.entries(parameters).map(([name, value]) => `${name}\0${value}\0`).join("")
  return framed("", Buffer.concat([version, Buffer.from(`${text}\0`)]))
}

/** Splits received bytes into messages; reads no further while the consumer is busy. */
export async function* messagesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Message, void> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    while (held.length >= 5) {
      const length = held.readInt32BE(1)
      if (length < 4 || length > messageBytesMax) {
        throw new ReplicationFailed("the server's answer makes no sense")
      }
      if (held.length < 1 + length) break
      yield { tag: String.fromCharCode(held[0] ?? 0), body: held.subarray(5, 1 + length) }
      held = held.subarray(1 + length)
    }
  }
}

/** The fields of an error or a notice by their letter: `M` is its message, `D` its detail. */
export const fieldsOf = (body: Buffer): ReadonlyMap<string, string> =>
  new Map(body.toString("utf8").split("\0").filter((field) => field !== "")
    .map((field) => [field.charAt(0), field.slice(1)]))

/** A row's columns as text; null for null. */
export const columnsOf = (body: Buffer): ReadonlyArray<string | null> => {
  const columns: Array<string | null> = []
  let at = 2
  for (let column = 0; column < body.readInt16BE(0); column++) {
    const length = body.readInt32BE(at)
    at += 4
    columns.push(length < 0 ? null : body.toString("utf8", at, at + length))
    at += Math.max(0, length)
  }
  return columns
}

/** A connection to a server that lets this user in without a password. */
export class ReplicationSession {
  /** The server's warnings, newest last. */
  readonly notices: Array<string> = []
  readonly #socket: Socket
  readonly #messages: AsyncGenerator<Message, void>

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#messages = messagesOf(socket)
  }

  /** Connects and logs in; the signal ends the connection at any time. */
  static async open(address: ServerAddress, user: string, signal: AbortSignal): Promise<ReplicationSession> {
    const session = new ReplicationSession(connect({ ...address, signal }))
    try {
      session.#socket.write(startup(user))
      for await (const { body, tag } of session.#untilReady()) {
        if (tag === "R" && body.readInt32BE(0) !== 0) {
          throw new ReplicationFailed("the server asks for a password")
        }
      }
      return session
    } catch (error) {
      session.close()
      throw error
    }
  }

  /** Messages up to, not including, ReadyForQuery. */
  async *#untilReady(): AsyncGenerator<Message, void> {
    for (;;) {
      const { done, value } = await this.#messages.next()
      if (done === true) throw new ReplicationFailed("the server closed the connection")
      if (value.tag === "Z") return
      if (value.tag === "N") this.notices.push(fieldsOf(value.body).get("M") ?? "")
      else if (value.tag === "E") {
        throw new ReplicationFailed(fieldsOf(value.body).get("M") ?? "the server gives no reason")
      } else yield value
    }
  }

  /** Sends a query and yields its messages, which must be read to the end before the next query. */
  async *ask(query: string): AsyncGenerator<Message, void> {
    this.#socket.write(framed("Q", Buffer.from(`${query}\0`)))
    yield* this.#untilReady()
  }

  /** {@link ask} for rows alone. */
  async rows(query: string): Promise<ReadonlyArray<ReadonlyArray<string | null>>> {
    const rows: Array<ReadonlyArray<string | null>> = []
    for await (const { body, tag } of this.ask(query)) if (tag === "D") rows.push(columnsOf(body))
    return rows
  }

  close(): void {
    this.#socket.destroy()
  }
}
