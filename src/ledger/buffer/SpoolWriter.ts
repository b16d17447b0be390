/* One process's spool file: written in groups, forced to disk, removed when none of its decisions waits. */
import { constants } from "node:fs"
import { type FileHandle, open, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import { syncPathAsync } from "../../sql/SyncToDisk.ts"
import { ownerFor } from "./SpoolFolder.ts"
import { spoolHeader } from "./SpoolFrames.ts"

/**
 * What the disk did not do: `full`, there is no room within the bound; `failed` and `kept`, bytes were not
 * written, or the file was not removed, for the file system's error.
 */
export type SpoolFault =
  | { readonly reason: "full" }
  | { readonly reason: "failed" | "kept"; readonly cause: unknown }

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

/** The file of a spool: its handle while it is open, and its size. One call at a time. */
class SpoolFile {
  readonly #path: string
  #handle: FileHandle | null = null
  /** Bytes; 0 without a file. */
  size = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Opens the file, and creates it with its header where there is none. */
  async #opened(): Promise<FileHandle> {
    if (this.#handle !== null) return this.#handle
    const made = await open(this.#path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
    try {
      const found = await made.stat()
      // A failed write may have left a part of itself at the end.
      if (this.size > 0 && found.size > this.size) await made.truncate(this.size)
      else this.size = found.size
      if (this.size === 0) {
        const owner = ownerFor(this.#path)
        // A file with a second hard link keeps its owner, since the link may be in another folder.
        if (owner !== null && found.nlink === 1) await made.chown(owner.uid, owner.gid)
        await made.appendFile(spoolHeader())
        this.size = spoolHeader().length
      }
      await made.datasync()
      await syncPathAsync(dirname(this.#path))
    } catch (error) {
      await made.close()
      throw error
    }
    this.#handle = made
    return made
  }

  /** Forces bytes to disk at the end of the file, all of them or none. */
  async append(parts: ReadonlyArray<Buffer>): Promise<void> {
    const file = await this.#opened()
    const bytes = Buffer.concat(parts)
    try {
      await file.appendFile(bytes)
      await file.datasync()
      this.size += bytes.length
    } catch (error) {
      // A reader would skip a partial frame in the middle as damage. Where it cannot be taken back now, it is
      // when the file is opened again. An open file would keep a dead disk from being unmounted.
      await Promise.allSettled([file.truncate(this.size)])
      await Promise.allSettled([this.close()])
      throw error
    }
  }

  /** Closes the file and leaves it as it is. */
  async close(): Promise<void> {
    const held = this.#handle
    this.#handle = null
    await held?.close()
  }

  async remove(): Promise<void> {
    await this.close()
    await unlink(this.#path)
    this.size = 0
  }
}

/** Bytes that wait for the disk, and where their result goes. */
interface Append {
  readonly bytes: Buffer
  readonly done: (fault: SpoolFault | null) => void
}

/** The writer of the spool file at `path`, which never grows over `bytesMax` bytes. */
export const makeSpoolWriter = (path: string, bytesMax: number): SpoolWriter => {
  const file = new SpoolFile(path)
  let waiting: Array<Append> = []
  /** Everything that changes the file, one after the other. */
  let turn: Promise<unknown> = Promise.resolve()

  const inTurn = <A>(act: () => Promise<A>): Promise<A> => {
    const acted = turn.then(act)
    turn = acted.catch(() => undefined)
    return acted
  }

  /** All waiting appends share one wait for the disk. */
  const writeGroup = async () => {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    const fitting: Array<Append> = []
    let room = bytesMax - file.size
    for (const each of group) {
      room -= each.bytes.length
      if (room < 0) each.done({ reason: "full" })
      else fitting.push(each)
    }
    if (fitting.length === 0) return
    try {
      await file.append(fitting.map(({ bytes }) => bytes))
      for (const { done } of fitting) done(null)
    } catch (cause) {
      for (const { done } of fitting) done({ reason: "failed", cause })
    }
  }

  return {
    append: (bytes) =>
      new Promise((done) => {
        waiting.push({ bytes, done })
        void inTurn(writeGroup)
      }),
    removeIf: (isDone) =>
      inTurn(async () => {
        if (file.size === 0 || waiting.length > 0 || !isDone()) return null
        try {
          await file.remove()
          return null
        } catch (cause) {
          return { reason: "kept", cause }
        }
      }),
    close: () => inTurn(() => file.close()),
    bytes: () => file.size
  }
}
