/* One process's spool file: written in groups, forced to disk, removed when none of its decisions waits. */
import { constants } from "node:fs"
import { type FileHandle, open, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import { syncPathAsync } from "../../sql/SyncToDisk.ts"
import { ownerFor } from "./SpoolFolder.ts"
import { spoolHeader } from "./SpoolFrames.ts"

/** Why bytes are not on disk: no room within the bound, or the file system's error. */
export type SpoolFault = { readonly reason: "full" } | { readonly reason: "failed"; readonly cause: unknown }

export interface SpoolWriter {
  /**
   * Forces bytes to disk; resolves with null, or with the reason for which they are not on disk. Never
   * rejects.
   */
  readonly append: (bytes: Buffer) => Promise<SpoolFault | null>
  /** Removes the file if `isDone` holds after all appends before this call. */
  readonly removeIf: (isDone: () => boolean) => Promise<SpoolFault | null>
  /** Closes the file and leaves it as it is. */
  readonly close: () => Promise<void>
  /** The size of the file, bytes; 0 without a file. */
  readonly bytes: () => number
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants

interface Append {
  readonly bytes: Buffer
  readonly done: (fault: SpoolFault | null) => void
}

export const makeSpoolWriter = (path: string, bytesMax: number): SpoolWriter => {
  let file: FileHandle | null = null
  let size = 0
  let waiting: Array<Append> = []
  /** Everything that changes the file, one after the other. */
  let turn: Promise<unknown> = Promise.resolve()

  const inTurn = <A>(act: () => Promise<A>): Promise<A> => {
    const acted = turn.then(act)
    turn = acted.catch(() => undefined)
    return acted
  }

  const opened = async (): Promise<FileHandle> => {
    if (file !== null) return file
    const made = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
    try {
      const found = await made.stat()
      size = found.size
      if (size === 0) {
        const owner = ownerFor(path)
        // A file with a second hard link keeps its owner, since the link may be in another folder.
        if (owner !== null && found.nlink === 1) await made.chown(owner.uid, owner.gid)
        await made.appendFile(spoolHeader())
        size = spoolHeader().length
      }
      await made.datasync()
      await syncPathAsync(dirname(path))
    } catch (error) {
      await made.close()
      throw error
    }
    file = made
    return made
  }

  /** All waiting appends share one wait for the disk. */
  const writeGroup = async () => {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    const fitting: Array<Append> = []
    let room = bytesMax - size
    for (const each of group) {
      room -= each.bytes.length
      if (room < 0) each.done({ reason: "full" })
      else fitting.push(each)
    }
    if (fitting.length === 0) return
    try {
      const to = await opened()
      const bytes = Buffer.concat(fitting.map((each) => each.bytes))
      try {
        await to.appendFile(bytes)
        await to.datasync()
        size += bytes.length
      } catch (error) {
        // A reader would skip a partial frame in the middle as damage; without it the file stays whole.
        await to.truncate(size)
        throw error
      }
      for (const { done } of fitting) done(null)
    } catch (cause) {
      for (const { done } of fitting) done({ reason: "failed", cause })
    }
  }

  const close = async () => {
    const held = file
    file = null
    await held?.close()
  }

  return {
    append: (bytes) =>
      new Promise((done) => {
        waiting.push({ bytes, done })
        void inTurn(writeGroup)
      }),
    removeIf: (isDone) =>
      inTurn(async () => {
        if (size === 0 || waiting.length > 0 || !isDone()) return null
        try {
          await close()
          await unlink(path)
          size = 0
          return null
        } catch (cause) {
          return { reason: "failed", cause }
        }
      }),
    close: () => inTurn(close),
    bytes: () => size
  }
}
