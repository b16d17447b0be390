/* Reads the bytes of a log's file, unpacked where it is gzip. */
import { Effect, type Scope } from "effect"
import { createHash } from "node:crypto"
import { type FileHandle, open, stat } from "node:fs/promises"
import { basename } from "node:path"
import { createGunzip } from "node:zlib"
import { messageOf } from "../../../../src/domain/text/ErrorMessage.ts"
import { LogError } from "./LoggedCall.ts"

/** Bytes that are read at once: of a plain file, and of a packed one, which unpacks to up to 1,000 times. */
const plainBytes = 256 * 1024
const packedBytes = 32 * 1024

/** Bytes of a file's beginning by which it is known again. Chosen. */
const headBytesMax = 64 * 1024

export interface LogFile {
  readonly path: string
  /** The file's bytes as they are on disk. */
  readonly sizeBytes: number
  readonly isPacked: boolean
  /** The beginning of the file as it is on disk. */
  readonly head: Uint8Array
  /** The next bytes, unpacked; null at the end. */
  readonly next: Effect.Effect<Uint8Array | null, LogError>
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

/** Unpacks piece by piece: what was unpacked so far is there even where the pieces break off. */
const makeUnpacker = () => {
  const gunzip = createGunzip()
  let unpacked: Array<Buffer> = []
  let damage: string | null = null
  let hasEnded = false
  let onDone = () => {}
  gunzip.on("data", (bytes: Buffer) => unpacked.push(bytes))
  gunzip.on("error", (error) => {
    damage = messageOf(error)
    onDone()
  })
  // It ends before the file does where zeros follow the packed bytes, such as those of a tape's block.
  gunzip.on("end", () => {
    hasEnded = true
    onDone()
  })
  const step = (work: (done: () => void) => void): Promise<Uint8Array> =>
    new Promise((resolve) => {
      onDone = () => {
        onDone = () => {}
        const bytes = Buffer.concat(unpacked)
        unpacked = []
        resolve(bytes)
      }
      if (damage === null && !hasEnded) work(() => onDone())
      else onDone()
    })
  return {
    write: (bytes: Uint8Array) => step((done) => gunzip.write(bytes, done)),
    // What is written is unpacked before "end", which is the step's end.
    end: () => step(() => gunzip.end()),
    close: () => gunzip.destroy(),
    damage: () => damage,
    hasEnded: () => hasEnded
  }
}

const readAt = async (handle: FileHandle, position: number, length: number): Promise<Uint8Array> => {
  const bytes = Buffer.allocUnsafeSlow(length)
  const { bytesRead } = await handle.read(bytes, 0, length, position)
  return bytes.subarray(0, bytesRead)
}

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b

/** Opens a file, from this byte of it, unpacked; it is closed with the scope. */
export const openLogFile = Effect.fnUntraced(function*(
  path: string,
  offset = 0
): Effect.fn.Return<LogFile, LogError, Scope.Scope> {
  // Before it is opened: opening a named pipe waits for its writer.
  const about = yield* Effect.tryPromise({ try: () => stat(path), catch: failed(path) })
  if (about.isDirectory()) return yield* unreadable(path, "this is a folder: name the files in it")
  if (!about.isFile()) return yield* unreadable(path, noFile)
  const handle = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(path, "r"), catch: failed(path) }),
    (handle) => Effect.promise(() => handle.close())
  )
  const head = yield* Effect.tryPromise({ try: () => readAt(handle, 0, headBytesMax), catch: failed(path) })
  const isPacked = isGzip(head)
  const unpacker = isPacked
    ? yield* Effect.acquireRelease(
      Effect.sync(makeUnpacker),
      (unpacker) => Effect.sync(unpacker.close)
    )
    : null
  let position = isPacked ? 0 : offset
  let toSkip = isPacked ? offset : 0
  let hasEnded = false
  const read = async (): Promise<Uint8Array | null> => {
    while (!hasEnded) {
      const bytes = await readAt(handle, position, unpacker === null ? plainBytes : packedBytes)
      position += bytes.length
      hasEnded = bytes.length === 0
      if (unpacker === null) return hasEnded ? null : bytes
      const unpacked = hasEnded ? await unpacker.end() : await unpacker.write(bytes)
      hasEnded ||= unpacker.damage() !== null || unpacker.hasEnded()
      const skipped = Math.min(toSkip, unpacked.length)
      toSkip -= skipped
      if (unpacked.length > skipped) return unpacked.subarray(skipped)
    }
    return null
  }
  return {
    path,
    sizeBytes: about.size,
    isPacked,
    head,
    next: Effect.tryPromise({ try: read, catch: failed(path) }),
    bytesRead: () => position,
    damage: () => unpacker?.damage() ?? null
  }
})

/** What a file is known by: the SHA-256 of so many bytes of its beginning, in hexadecimal. */
export const headSha256Of = (head: Uint8Array, headBytes: number): string =>
  createHash("sha256").update(head.subarray(0, headBytes)).digest("hex")
