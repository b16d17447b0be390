// Makes a backup: PostgreSQL's base backup in one file, which gets its name when it has been verified.
import { createHash, type Hash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { type FileHandle, link, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { version } from "../../domain/Version.ts"
import { codeOf } from "../embedded/EmbeddedFailure.ts"
import type { ServerAddress } from "../../sql/IdleTimeoutStream.ts"
import { syncPathAsync } from "../../sql/SyncToDisk.ts"
import { abortable } from "./Abortable.ts"
import {
  BackupFailed, type BackupHeader, checksumsName, formatVersion, headerName, manifestName,
  type OnProgress, walFolder, writeChecksums, writeHeader
} from "./BackupFormat.ts"
import { baseBackup } from "./BaseBackup.ts"
import type { FileRecord } from "./Manifest.ts"
import { readBackup } from "./ReadBackup.ts"
import { ReplicationFailed, ReplicationSession } from "./ReplicationSession.ts"
import { endOfArchive, fileEntry, paddingOf, TarReader } from "./Tar.ts"

/** Bytes that are collected before they are written; the server sends pieces of 32 KiB. */
const writeBytes = 2 ** 20

/** Longest manifest, bytes: it is held in memory, with some 150 bytes for each file of the cluster. */
const manifestBytesMax = 512 * 2 ** 20

/** Appends to a file in large pieces. */
class Appender {
  #parts: Array<Buffer> = []
  #bytes = 0
  readonly #file: FileHandle
  constructor(file: FileHandle) {
    this.#file = file
  }

  async add(bytes: Buffer): Promise<void> {
    this.#parts.push(bytes)
    this.#bytes += bytes.length
    if (this.#bytes >= writeBytes) await this.flush()
  }

  async flush(): Promise<void> {
    const whole = Buffer.concat(this.#parts)
    this.#parts = []
    this.#bytes = 0
    for (let at = 0; at < whole.length;) at += (await this.#file.write(whole, at)).bytesWritten
  }
}

const schemaOf = async (session: ReplicationSession) => {
  const [table] = await session.rows("select to_regclass('public.sextant_migration')")
  const [row] = table?.[0] == null
    ? []
    : await session.rows("select migration_id, name from public.sextant_migration order by 1 desc limit 1")
  if (row === undefined) throw new ReplicationFailed("there is no database of Sextant in it")
  return { migration: Number(row[0]), name: row[1] ?? "" }
}

const headerOf = async (session: ReplicationSession): Promise<BackupHeader> => {
  const [identity] = await session.rows("IDENTIFY_SYSTEM")
  const [settings] = await session.rows(
    "select current_setting('server_version'), current_setting('server_version_num')")
  return {
    format: formatVersion,
    sextant: version,
    madeAt: new Date().toISOString(),
    schema: await schemaOf(session),
    postgresql: {
      // Packagers add their own after it: `15.18 (Debian …)`.
      version: (settings?.[0] ?? "").split(" ")[0] ?? "",
      major: Math.floor(Number(settings?.[1]) / 10_000),
      systemIdentifier: identity?.[0] ?? ""
    }
  }
}

/** Copies the archive without its end; yields the checksums of files that the manifest will not name. */
const copyArchive = async (session: ReplicationSession, out: Appender, onProgress: OnProgress) => {
  const reader = new TarReader()
  const checksums = new Map<string, FileRecord>()
  const manifest: Array<Buffer> = []
  let [manifestBytes, doneBytes] = [0, 0]
  let totalBytes: number | null = null
  let current: { readonly name: string; readonly sizeBytes: number; readonly hash: Hash | null } | null = null
  for await (const event of baseBackup(session)) {
    if (event.kind === "size") totalBytes = event.bytes
    else if (event.kind === "manifest") {
      manifestBytes += event.bytes.length
      if (manifestBytes > manifestBytesMax) throw new ReplicationFailed("its manifest is too long")
      manifest.push(Buffer.from(event.bytes))
    } else {
      for (const part of reader.push(event.bytes)) {
        if (part.kind === "entry") {
          const { isDirectory, name, sizeBytes } = part.entry
          const isUnnamed = !isDirectory && name.startsWith(walFolder)
          current = { name, sizeBytes, hash: isUnnamed ? createHash("sha256") : null }
          await out.add(Buffer.from(part.header))
        } else if (part.kind === "data") {
          current?.hash?.update(part.bytes)
          await out.add(Buffer.from(part.bytes))
        } else if (current !== null) {
          const { hash, name, sizeBytes } = current
          if (hash !== null) checksums.set(name, { sizeBytes, sha256: hash.digest("hex") })
          await out.add(Buffer.alloc(paddingOf(sizeBytes)))
        }
      }
      doneBytes += event.bytes.length
      onProgress(doneBytes, totalBytes)
    }
  }
  reader.finish()
  return { checksums, manifest: Buffer.concat(manifest) }
}

const recordOf = (content: Buffer): FileRecord =>
  ({ sizeBytes: content.length, sha256: createHash("sha256").update(content).digest("hex") })

const write = async (session: ReplicationSession, file: FileHandle, onProgress: OnProgress) => {
  const out = new Appender(file)
  const header = await headerOf(session)
  const first = Buffer.from(writeHeader(header))
  await out.add(fileEntry(headerName, first, Date.now()))
  const { checksums, manifest } = await copyArchive(session, out, onProgress)
  checksums.set(headerName, recordOf(first))
  checksums.set(manifestName, recordOf(manifest))
  const last = Buffer.from(writeChecksums(Object.fromEntries(checksums)))
  await out.add(fileEntry(manifestName, manifest, Date.now()))
  await out.add(fileEntry(checksumsName, last, Date.now()))
  await out.add(endOfArchive)
  await out.flush()
  await file.sync()
  const { migration } = await schemaOf(session)
  if (migration !== header.schema.migration) {
    throw new ReplicationFailed("its schema was changed meanwhile: try again")
  }
}

const exists = (path: string) => new Error(`${path} exists, and is not overwritten`)

/**
 * Gives the finished file its name, unless the name is taken: a link, unlike renaming, never replaces a file.
 */
const name = async (unfinished: string, path: string) => {
  try {
    await link(unfinished, path)
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw exists(path)
    // A file system without hard links.
    if (existsSync(path)) throw exists(path)
    await rename(unfinished, path)
  }
  await syncPathAsync(dirname(path))
}

/** Reports the phases of the work. */
interface BackupProgress {
  readonly onWriting: OnProgress
  readonly onVerifying: OnProgress
}

const make = async (
  address: ServerAddress,
  user: string,
  path: string,
  progress: BackupProgress,
  signal: AbortSignal
) => {
  if (existsSync(path)) throw exists(path)
  const unfinished = `${path}.${randomBytes(4).toString("hex")}.unfinished`
  const session = await ReplicationSession.open(address, user, signal)
  try {
    // 0600 from its first byte: the backup holds everything, hashes of keys included.
    const file = await open(unfinished, "wx", 0o600)
    try {
      await write(session, file, progress.onWriting)
    } finally {
      await file.close()
    }
    // From here on the server need not keep its write-ahead log.
    session.close()
    const content = await readBackup(unfinished, { onProgress: progress.onVerifying, signal })
    await name(unfinished, path)
    return content
  } finally {
    session.close()
    await rm(unfinished, { force: true })
  }
}

/**
 * Backs up the cluster of a running server that lets this user in without a password, as the embedded one
 * does. Yields the backup's content, as it was read back from the disk.
 */
export const makeBackup = (address: ServerAddress, user: string, path: string, progress: BackupProgress) =>
  abortable(
    (signal) => make(address, user, path, progress, signal),
    (cause) => new BackupFailed({ path, cause })
  )
