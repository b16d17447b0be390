/* Reads the bytes of a log's file, unpacked where it is gzip. */
import { Effect, Stream } from "effect"
import { createReadStream, type ReadStream } from "node:fs"
import { open, stat } from "node:fs/promises"
import { basename } from "node:path"
import { pipeline } from "node:stream"
import { createGunzip } from "node:zlib"
import { messageOf } from "../domain/text/ErrorMessage.ts"
import { LogError } from "./LoggedCall.ts"

/** Bytes that are read at once: of a plain file, and of a packed one, which unpacks to up to 1,000 times. */
const plainBytes = 256 * 1024
const packedBytes = 32 * 1024

export interface LogFile {
  readonly path: string
  /** The file's bytes as they are on disk. */
  readonly sizeBytes: number
  readonly isPacked: boolean
}

/** A reading of a file. */
interface LogBytes {
  /** Its bytes, unpacked, as far as they can be. */
  readonly bytes: Stream.Stream<Uint8Array, LogError>
  /** Bytes on disk that were read. */
  readonly bytesRead: () => number
  /** Why packed bytes end before the file does, once that is met; null otherwise. */
  readonly damage: () => string | null
}

/** What is meant by the codes of the system that people meet most. */
const causes: ReadonlyMap<unknown, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "there is no such file"],
  ["EACCES", "this user may not read it"],
  ["EPERM", "this user may not read it"]
])

const standardInput = "standard input is not read, because a log is read more than once: save it in a file"
const noFile = "this is a pipe or a device, and a log is read more than once: save it in a file"

const unreadable = (path: string, detail: string): LogError =>
  new LogError({ path, reason: "unreadable", detail })

const failed = (path: string) => (cause: unknown): LogError => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "ENOENT" && basename(path) === "-") return unreadable("-", standardInput)
  return unreadable(path, causes.get(code) ?? `the file cannot be read: ${messageOf(cause)}`)
}

const firstTwo = async (path: string): Promise<Uint8Array> => {
  await using handle = await open(path, "r")
  const { buffer } = await handle.read(new Uint8Array(2), 0, 2, 0)
  return buffer
}

/** Looks at a file that can be read. */
export const findLogFile = Effect.fnUntraced(function*(path: string): Effect.fn.Return<LogFile, LogError> {
  // Before it is opened: opening a named pipe waits for its writer.
  const about = yield* Effect.tryPromise({ try: () => stat(path), catch: failed(path) })
  if (about.isDirectory()) return yield* unreadable(path, "this is a folder: name the files in it")
  if (!about.isFile()) return yield* unreadable(path, noFile)
  const head = yield* Effect.tryPromise({ try: () => firstTwo(path), catch: failed(path) })
  return { path, sizeBytes: about.size, isPacked: head[0] === 0x1f && head[1] === 0x8b }
})

/** The bytes as far as they can be unpacked. */
async function* unpacked(source: ReadStream, onDamage: (damage: string) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* pipeline(source, createGunzip(), () => {})
  } catch (cause) {
    onDamage(messageOf(cause))
  }
}

/** Begins to read a file. */
export const bytesOf = ({ isPacked, path }: LogFile): LogBytes => {
  let source: ReadStream | null = null
  let damage: string | null = null
  const read = (): AsyncIterable<Uint8Array> => {
    source = createReadStream(path, { highWaterMark: isPacked ? packedBytes : plainBytes })
    return isPacked ? unpacked(source, (why) => { damage = why }) : source
  }
  return {
    bytes: Stream.suspend(() => Stream.fromAsyncIterable(read(), failed(path))),
    bytesRead: () => source?.bytesRead ?? 0,
    damage: () => damage
  }
}
