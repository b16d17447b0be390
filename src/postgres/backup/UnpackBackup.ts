// Unpacks a backup into a temporary folder, and verifies it on the way.
import { type FileHandle, mkdir, open, rm, stat, statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import { messageOf } from "../../domain/text/ErrorMessage.ts"
import { beforeBaseline, SchemaTooOld } from "../../sql/Migrations.ts"
import { abortable } from "./Abortable.ts"
import { BackupDamaged, type BackupHeader, type OnProgress } from "./BackupFormat.ts"
import { readBackup } from "./ReadBackup.ts"
import { TarDamaged } from "./Tar.ts"

/** What this build can restore. */
interface Restorable {
  /** PostgreSQL's major version. */
  readonly major: number
  /** The newest migration that this build knows. */
  readonly migration: number
}

/** Why this build cannot restore an undamaged backup; null where it can. */
export const refusalOf = ({ postgresql, schema, sextant }: BackupHeader, can: Restorable): string | null => {
  if (postgresql.major !== can.major) {
    return `it is of PostgreSQL ${postgresql.version}, and this Sextant runs PostgreSQL ${can.major}; `
      + "move the data with `sextant account export` and `sextant account import`"
  }
  if (beforeBaseline.includes(schema.name)) {
    return new SchemaTooOld({}).message
  }
  if (schema.migration > can.migration) {
    return `Sextant ${sextant} made it with schema ${schema.migration} (${schema.name}), and this build `
      + `knows schemas up to ${can.migration}; restore it with a newer Sextant`
  }
  return null
}

/** Space that a restore leaves on the disk, bytes: the server writes when it starts. */
const spareBytes = 64 * 2 ** 20

const unpack = async (
  path: string,
  folder: string,
  can: Restorable,
  onProgress: OnProgress,
  signal: AbortSignal
) => {
  const { bavail, bsize } = await statfs(dirname(folder))
  const [freeBytes, neededBytes] = [bavail * bsize, (await stat(path)).size + spareBytes]
  if (freeBytes < neededBytes) {
    throw new TarDamaged(null, `it needs ${neededBytes} bytes, and ${dirname(folder)} has ${freeBytes} left`)
  }
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  const current: { file: FileHandle | null } = { file: null }
  try {
    return await readBackup(path, {
      onProgress,
      signal,
      visitor: {
        header: (header) => {
          const refusal = refusalOf(header, can)
          if (refusal !== null) throw new TarDamaged(null, refusal)
        },
        entry: async ({ isDirectory, name }) => {
          // Names stay inside the folder, and nothing in it is a link: see `Tar`.
          const target = join(folder, name)
          await mkdir(isDirectory ? target : dirname(target), { recursive: true, mode: 0o700 })
          current.file = isDirectory ? null : await open(target, "wx", 0o600)
        },
        data: async (bytes) => {
          const { file } = current
          for (let at = 0; file !== null && at < bytes.length;) {
            at += (await file.write(bytes, at)).bytesWritten
          }
        },
        close: async () => {
          await current.file?.close()
          current.file = null
        }
      }
    })
  } catch (error) {
    await current.file?.close()
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * The files of a backup in a new folder, which is removed unless all of them are there and undamaged and this
 * build can run them. They may not be forced to disk yet: the server does that when it first opens them, as
 * after a crash.
 */
export const unpackBackup = (path: string, folder: string, can: Restorable, onProgress: OnProgress) =>
  abortable(
    (signal) => unpack(path, folder, can, onProgress, signal),
    (cause) => new BackupDamaged({ path, reason: messageOf(cause) })
  )
