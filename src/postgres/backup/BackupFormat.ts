// The content of a backup file beside PostgreSQL's own files, and the failures of making and reading one.
import { Schema } from "effect"
import { wire } from "../../domain/wire/Wire.ts"

/** The name of the first entry, the header: it allows refusing a file before anything is unpacked. */
export const headerName = "sextant-backup.json"
/** PostgreSQL's own manifest, under the name that `pg_verifybackup` knows. */
export const manifestName = "backup_manifest"
/** The last entry: checksums of the files that the manifest leaves out. */
export const checksumsName = "sextant-checksums.json"
/** The folder of the write-ahead log, which the manifest describes by its positions alone. */
export const walFolder = "pg_wal/"

/** Raised when a file of one version can no longer be read by the versions before it. */
export const formatVersion = 1

export const BackupHeader = wire({
  format: Schema.Int,
  /** The version of Sextant that made the backup. */
  sextant: Schema.String,
  madeAt: Schema.String,
  /** The newest migration of the schema, by number and name. */
  schema: wire({ migration: Schema.Int, name: Schema.String }),
  postgresql: wire({ version: Schema.String, major: Schema.Int, systemIdentifier: Schema.String })
})
export type BackupHeader = typeof BackupHeader.Type

const Checksums = Schema.Record(Schema.String, wire({ sizeBytes: Schema.Int, sha256: Schema.String }))

export const writeHeader = Schema.encodeSync(Schema.fromJsonString(BackupHeader))
export const readHeader = Schema.decodeUnknownOption(Schema.fromJsonString(BackupHeader))
export const writeChecksums = Schema.encodeSync(Schema.fromJsonString(Checksums))
export const readChecksums = Schema.decodeUnknownOption(Schema.fromJsonString(Checksums))

/** A backup could not be made; nothing is left at its path. */
export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `The backup ${this.path} was not made`
  }
}

/** The file is no backup, or not a whole one: `reason` says what is wrong with it. */
export class BackupDamaged extends Schema.TaggedError<BackupDamaged>()("BackupDamaged", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path} cannot be used: ${this.reason}`
  }
}

/** Reports how far long work has come; `total` is an estimate, or null. */
export type OnProgress = (doneBytes: number, totalBytes: number | null) => void
