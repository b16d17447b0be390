import { Duplex } from "node:stream"

/** What the service asks of the embedded database's thread; answered in order. */
export type WorkerRequest =
  & { readonly id: number }
  & (
    | { readonly kind: "reset" | "countFsyncs" | "close" }
    | { readonly kind: "execute"; readonly bytes: Uint8Array<ArrayBuffer> }
  )

export type WorkerAnswer =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }

/** A request without its number; rejects when the thread fails it or dies. */
export type Ask = (request: Unnumbered<WorkerRequest>) => Promise<Uint8Array<ArrayBuffer>>
type Unnumbered<Request> = Request extends unknown ? Omit<Request, "id"> : never

const protocolVersion3 = 196_608
const terminate = 0x58

const asError = (error: unknown) => error instanceof Error ? error : new Error(String(error))

/**
 * One PostgreSQL session with the embedded database, as the socket that the driver expects. The engine has a
 * single session, so each opening packet first clears what an earlier one left; a cancel request, which comes
 * on a stream of its own, is dropped because the engine cannot be interrupted.
 */
export const openSession = (ask: Ask): Duplex => {
  let isOpened = false
  const exchange = async (chunk: Buffer): Promise<Uint8Array<ArrayBuffer> | null> => {
    if (!isOpened) {
      isOpened = true
      if (chunk.length < 8 || chunk.readInt32BE(4) !== protocolVersion3) return null
      await ask({ kind: "reset" })
    }
    if (chunk[0] === terminate && chunk.length === 5) return null
    return ask({ kind: "execute", bytes: new Uint8Array(chunk) })
  }
  const session = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      exchange(chunk).then((bytes) => {
        if (bytes === null) session.push(null)
        else if (bytes.length > 0) session.push(Buffer.from(bytes.buffer))
        done()
      }).catch((error: unknown) => done(asError(error)))
    },
    final(done) {
      if (!session.readableEnded) session.push(null)
      done()
    }
  })
  return session
}
