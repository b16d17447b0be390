// Reads a backup file from beginning to end, and verifies its checksums.
import { Option } from "effect"
import { createHash, type Hash } from "node:crypto"
import { open } from "node:fs/promises"
import { messageOf } from "../../domain/text/ErrorMessage.ts"
import { abortable } from "./Abortable.ts"
import {
  BackupDamaged, type BackupHeader, checksumsName, formatVersion, headerName, manifestName, type OnProgress,
  readChecksums, readHeader, walFolder
} from "./BackupFormat.ts"
import { type FileRecord, type Manifest, parseManifest, segmentsOf } from "./Manifest.ts"
import { type TarEntry, TarDamaged, TarReader } from "./Tar.ts"

/** The content of a backup that was read to its end. */
export interface BackupContent {
  readonly header: BackupHeader
  readonly files: number
  readonly bytes: number
}

/**
 * Receives what is read before the whole file is verified, for example to unpack it into a temporary folder.
 */
interface BackupVisitor {
  /** Called first; throws to refuse the rest. */
  readonly header: (header: BackupHeader) => void
  readonly entry: (entry: TarEntry) => void | Promise<void>
  readonly data: (bytes: Buffer) => void | Promise<void>
  readonly close: () => void | Promise<void>
}

interface ReadOptions {
  readonly onProgress: OnProgress
  readonly signal: AbortSignal
  readonly visitor?: BackupVisitor
}

const readBytes = 2 ** 20

/** Longest entry that is held in memory to be parsed, bytes. */
const heldBytesMax = 512 * 2 ** 20

const held: ReadonlySet<string> = new Set([headerName, manifestName, checksumsName])

interface Current {
  readonly entry: TarEntry
  readonly hash: Hash
  /** The content of an entry that is held to be parsed; null for others. */
  readonly parts: Array<Buffer> | null
}

/** Collects what was read, and checks it. */
class Contents {
  readonly files = new Map<string, FileRecord>()
  readonly texts = new Map<string, string>()
  #current: Current | null = null
  readonly #names = new Set<string>()

  begin(entry: TarEntry): void {
    if (this.#names.has(entry.name)) throw new TarDamaged(entry.name, "is there twice")
    if (this.#names.size === 0 && entry.name !== headerName) {
      throw new TarDamaged(null, "it is no backup of Sextant")
    }
    if (held.has(entry.name) && entry.sizeBytes > heldBytesMax) {
      throw new TarDamaged(entry.name, "is too long")
    }
    this.#names.add(entry.name)
    this.#current = { entry, hash: createHash("sha256"), parts: held.has(entry.name) ? [] : null }
  }

  add(bytes: Buffer): void {
    this.#current?.hash.update(bytes)
    this.#current?.parts?.push(Buffer.from(bytes))
  }

  /** Ends an entry; yields the header when that is what was read. */
  end(): BackupHeader | null {
    if (this.#current === null || this.#current.entry.isDirectory) return null
    const { entry: { name, sizeBytes }, hash, parts } = this.#current
    this.files.set(name, { sizeBytes, sha256: hash.digest("hex") })
    if (parts !== null) this.texts.set(name, Buffer.concat(parts).toString("utf8"))
    return name === headerName ? this.header() : null
  }

  header(): BackupHeader {
    const header = Option.getOrNull(readHeader(this.texts.get(headerName) ?? ""))
    if (header === null) throw new TarDamaged(headerName, "cannot be read")
    if (header.format > formatVersion) {
      throw new TarDamaged(null, `it was made by Sextant ${header.sextant}, which is newer`)
    }
    return header
  }

  #manifest(): Manifest {
    const manifest = parseManifest(this.texts.get(manifestName) ?? "")
    if (manifest === null) throw new TarDamaged(manifestName, "is damaged or missing")
    return manifest
  }

  #mustBe(name: string, wanted: FileRecord): void {
    const found = this.files.get(name)
    if (found === undefined) throw new TarDamaged(name, "is missing")
    if (found.sizeBytes !== wanted.sizeBytes) {
      throw new TarDamaged(name, `has ${found.sizeBytes} bytes instead of ${wanted.sizeBytes}`)
    }
    if (found.sha256 !== wanted.sha256) throw new TarDamaged(name, "is damaged: its checksum is another")
  }

  #verifyLog({ walRanges }: Manifest): void {
    const [segment] = [...this.files].filter(([name]) => /^pg_wal\/[0-9A-F]{24}$/.test(name))
    if (segment === undefined || walRanges.length === 0) {
      throw new TarDamaged(null, "it lacks the write-ahead log")
    }
    for (const name of segmentsOf(walRanges, segment[1].sizeBytes)) {
      if (!this.files.has(walFolder + name)) throw new TarDamaged(walFolder + name, "is missing")
    }
  }

  verify(): BackupContent {
    const header = this.header()
    // The cluster's own files come first, so that the failure names one of them rather than the list.
    const manifest = this.#manifest()
    for (const [name, wanted] of manifest.files) this.#mustBe(name, wanted)
    const others = Option.getOrNull(readChecksums(this.texts.get(checksumsName) ?? ""))
    if (others === null) throw new TarDamaged(checksumsName, "is damaged or missing")
    for (const [name, wanted] of Object.entries(others)) this.#mustBe(name, wanted)
    for (const name of this.files.keys()) {
      if (!manifest.files.has(name) && !Object.hasOwn(others, name) && name !== checksumsName) {
        throw new TarDamaged(name, "is not in the manifest")
      }
    }
    this.#verifyLog(manifest)
    const { systemIdentifier } = header.postgresql
    if (manifest.systemIdentifier !== null && manifest.systemIdentifier !== systemIdentifier) {
      throw new TarDamaged(manifestName, "is of another cluster")
    }
    return {
      header,
      files: this.files.size,
      bytes: [...this.files.values()].reduce((total, { sizeBytes }) => total + sizeBytes, 0)
    }
  }
}

/** Throws {@link TarDamaged} for what is wrong in the file. */
export const readBackup = async (
  path: string,
  { onProgress, signal, visitor }: ReadOptions
): Promise<BackupContent> => {
  const file = await open(path, "r")
  try {
    const { size: totalBytes } = await file.stat()
    const reader = new TarReader()
    const contents = new Contents()
    let doneBytes = 0
    for (;;) {
      signal.throwIfAborted()
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(readBytes), 0, readBytes)
      if (bytesRead === 0) break
      for (const event of reader.push(buffer.subarray(0, bytesRead))) {
        if (event.kind === "entry") {
          const { entry } = event
          contents.begin(entry)
          if (!held.has(entry.name) || entry.name === manifestName) await visitor?.entry(entry)
        } else if (event.kind === "data") {
          contents.add(event.bytes)
          await visitor?.data(event.bytes)
        } else {
          const header = contents.end()
          if (header !== null) visitor?.header(header)
          await visitor?.close()
        }
      }
      doneBytes += bytesRead
      onProgress(doneBytes, totalBytes)
    }
    reader.finish()
    return contents.verify()
  } finally {
    await file.close()
  }
}

/** Verifies that a file is a whole, undamaged backup; yields its content. */
export const verifyBackup = (path: string, onProgress: OnProgress) =>
  abortable(
    (signal) => readBackup(path, { onProgress, signal }),
    (cause) => new BackupDamaged({ path, reason: messageOf(cause) })
  )
