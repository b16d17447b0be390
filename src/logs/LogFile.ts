/* Reads the bytes of a log file, and decompresses gzip. */
import { Effect, Stream } from "effect"
import { createReadStream, type ReadStream } from "node:fs"
import { open, stat } from "node:fs/promises"
import { basename } from "node:path"
import { pipeline } from "node:stream"
import { createGunzip } from "node:zlib"
import { messageOf } from "../domain/text/ErrorMessage.ts"
import { LogError } from "./LoggedCall.ts"

/** Number of bytes read at once; fewer of a compressed file, because it may become 1,000 times larger. */
const plainBytes = 256 * 1024
const packedBytes = 32 * 1024

export interface LogFile {
  readonly path: string
  /** Size of the file on disk, bytes. */
  readonly sizeBytes: number
  readonly isPacked: boolean
}

interface LogBytes {
  /** The decompressed bytes, up to the first damage. */
  readonly bytes: Stream.Stream<Uint8Array, LogError>
  /** Returns the number of bytes on disk that were read so far. */
  readonly bytesRead: () => number
  /** Returns the error that ended the decompression early; null if there was none. */
  readonly damage: () => string | null
}

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

/** Returns a file's size, and whether gzip packed it. Fails for folders, pipes and devices. */
export const findLogFile = Effect.fnUntraced(function*(path: string): Effect.fn.Return<LogFile, LogError> {
  // Pipes are refused before the file is opened, because opening a named pipe waits for its writer.
  const about = yield* Effect.tryPromise({ try: () => stat(path), catch: failed(path) })
  if (about.isDirectory()) return yield* unreadable(path, "this is a folder: name the files in it")
  if (!about.isFile()) return yield* unreadable(path, noFile)
  const head = yield* Effect.tryPromise({ try: () => firstTwo(path), catch: failed(path) })
  return { path, sizeBytes: about.size, isPacked: head[0] === 0x1f && head[1] === 0x8b }
})

/** Decompresses bytes up to the first damage, and passes the damage to `onDamage`. */
async function* unpacked(source: ReadStream, onDamage: (damage: string) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* pipeline(source, createGunzip(), () => {})
  } catch (cause) {
    onDamage(messageOf(cause))
  }
}

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
