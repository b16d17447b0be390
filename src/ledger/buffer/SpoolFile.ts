/* One process's spool file: written in groups, forced to disk, removed when none of its decisions waits. */
import { Effect, Schema, Semaphore } from "effect"
import { constants } from "node:fs"
import { open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { syncPathAsync } from "../../sql/SyncToDisk.ts"
import { ownerFor } from "./SpoolFolder.ts"

/**
 * What the disk did not do: `full`, there is no room within the bound; `failed` and `kept`, bytes were not
 * written, or a file was not removed, for the file system's error.
 */
export class SpoolFault extends Schema.TaggedError<SpoolFault>()("SpoolFault", {
  reason: Schema.Literals(["full", "failed", "kept"]),
  cause: Schema.Defect()
}) {}

export interface SpoolFile {
  /** Forces bytes to disk, all of them or none. */
  readonly append: (bytes: Buffer) => Effect.Effect<void, SpoolFault>
  /** Removes the file and does `also` if `isDone` holds after all appends before this call. */
  readonly removeIf: (isDone: () => boolean, also: () => Promise<void>) => Effect.Effect<void, SpoolFault>
  /** The size of the file, bytes; 0 without a file. */
  readonly bytes: () => number
}

const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW

/**
 * Forces bytes to disk after the first `size` of a file, which is made where there is none. It is open for
 * this alone: an open file would keep a dead disk from being unmounted.
 */
const forceTo = async (path: string, size: number, bytes: Buffer) => {
  const file = await open(path, flags, 0o600)
  try {
    const found = await file.stat()
    // A failed write may have left a part of itself at the end.
    if (found.size > size) await file.truncate(size)
    const owner = ownerFor(path)
    // A file with a second hard link keeps its owner, since the link may be in another folder.
    if (owner !== null && found.nlink === 1) await file.chown(owner.uid, owner.gid)
    await file.appendFile(bytes)
    await file.datasync()
    if (size === 0) await syncPathAsync(dirname(path))
  } finally {
    await file.close()
  }
}

/** Bytes that wait for the disk, and what became of them. */
interface Append {
  readonly bytes: Buffer
  fault: SpoolFault | null
}

/** The spool file at `path`, which never grows over `bytesMax` bytes. */
export const makeSpoolFile = (path: string, bytesMax: number): SpoolFile => {
  const turn = Semaphore.makeUnsafe(1)
  let size = 0
  // Also after a first write that failed, which may leave a part of itself.
  let mayExist = false
  let waiting: Array<Append> = []

  /** All waiting appends share one wait for the disk. */
  const writeGroup = async () => {
    const group = waiting
    waiting = []
    let room = bytesMax - size
    const fitting = group.filter((each) => {
      room -= each.bytes.length
      if (room < 0) each.fault = new SpoolFault({ reason: "full", cause: `${size} bytes` })
      return room >= 0
    })
    if (fitting.length === 0) return
    const bytes = Buffer.concat(fitting.map((each) => each.bytes))
    mayExist = true
    try {
      await forceTo(path, size, bytes)
      size += bytes.length
    } catch (cause) {
      for (const each of fitting) each.fault = new SpoolFault({ reason: "failed", cause })
    }
  }

  return {
    append: (bytes) =>
      Effect.suspend(() => {
        const append: Append = { bytes, fault: null }
        waiting.push(append)
        return Effect.flatMap(turn.withPermit(Effect.promise(writeGroup)), () =>
          append.fault === null ? Effect.void : Effect.fail(append.fault)).pipe(Effect.uninterruptible)
      }),
    removeIf: (isDone, also) =>
      turn.withPermit(Effect.tryPromise({
        try: async () => {
          if (waiting.length > 0 || !isDone()) return
          if (mayExist) await rm(path, { force: true })
          mayExist = false
          size = 0
          await also()
        },
        catch: (cause) => new SpoolFault({ reason: "kept", cause })
      })),
    bytes: () => size
  }
}
