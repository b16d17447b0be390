// Streams a base backup from a running PostgreSQL: its files as a tar archive, then the manifest of them.
import { randomBytes } from "node:crypto"
import { columnsOf, ReplicationFailed, type ReplicationSession } from "./ReplicationSession.ts"

type BaseBackupEvent =
  /** The server's estimate of the whole, before its first byte. */
  | { readonly kind: "size"; readonly bytes: number }
  | { readonly kind: "archive"; readonly bytes: Buffer }
  | { readonly kind: "manifest"; readonly bytes: Buffer }

/**
 * The backup includes its write-ahead log, so that it is consistent by itself, and checksums that show
 * accidental and deliberate damage. The checkpoint is made at once rather than spread over minutes.
 */
const command = "BASE_BACKUP (LABEL 'sextant', CHECKPOINT 'fast', WAL true, WAIT false, PROGRESS true, "
  + "MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')"

/**
 * Makes the server keep its write-ahead log from now on until the session ends. It is copied last, and a
 * checkpoint meanwhile would remove it.
 */
const keepLog = (session: ReplicationSession) => {
  const slot = `sextant_backup_${randomBytes(8).toString("hex")}`
  return session.rows(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL (RESERVE_WAL)`)
}

/**
 * Adds the server's notices to an error: the server verifies the checksum of each page, and fails at the end
 * if one was wrong.
 */
const withNotices = (error: unknown, notices: ReadonlyArray<string>): unknown => {
  const page = notices.find((notice) => notice.includes("checksum"))
  return error instanceof ReplicationFailed && page !== undefined
    ? new ReplicationFailed(`${error.message} (${page})`)
    : error
}

/** The size from a row of the answer that lists the tablespaces: its third column, in KiB. */
const sizeOf = (columns: ReadonlyArray<string | null>): number =>
  columns.length === 3 ? Number(columns[2]) * 1024 : 0

/** Backs up the whole cluster; fails if it has tablespaces, whose files are outside of it. */
export async function* baseBackup(
  session: ReplicationSession
): AsyncGenerator<BaseBackupEvent, void> {
  let archives = 0
  let isManifest = false
  let sizeBytes = 0
  try {
    await keepLog(session)
    for await (const { body, tag } of session.ask(command)) {
      if (tag === "D") sizeBytes += sizeOf(columnsOf(body))
      else if (tag === "H") yield { kind: "size", bytes: sizeBytes }
      else if (tag === "d") {
        const kind = String.fromCharCode(body[0] ?? 0)
        if (kind === "n" && ++archives > 1) {
          throw new ReplicationFailed("it has tablespaces outside the data directory: use pg_basebackup")
        }
        if (kind === "m") isManifest = true
        if (kind === "d") yield { kind: isManifest ? "manifest" : "archive", bytes: body.subarray(1) }
      }
    }
  } catch (error) {
    throw withNotices(error, session.notices)
  }
}
