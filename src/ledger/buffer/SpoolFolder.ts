/* Where the spool files of a database are: decisions of one must never be written into another. */
import { createHash } from "node:crypto"
import { chmodSync, lchownSync, mkdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"

/** The folder with the spools of all databases. */
export const spoolRoot = (dataDirectory: string): string => join(dataDirectory, "spool")

/** The folder of a database, which is identified by its address without credentials, or by `embedded`. */
export const spoolFolder = (dataDirectory: string, database: string): string =>
  join(spoolRoot(dataDirectory), createHash("sha256").update(database).digest("hex").slice(0, 16))

/** A user and a group, by number. */
interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * The owner of what root makes at a path: that of its folder, since the data directory's owner must be able
 * to write out a spool that root left. Null when this process is not root or the folder is root's.
 */
export const ownerFor = (path: string): Owner | null => {
  if (process.getuid?.() !== 0) return null
  const { gid, uid } = statSync(dirname(path))
  return uid === 0 ? null : { uid, gid }
}

/** Makes the folder of a database if it is missing, private to the data directory's owner. */
export const makeSpoolFolder = (dataDirectory: string, database: string): string => {
  const folder = spoolFolder(dataDirectory, database)
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  for (const path of [spoolRoot(dataDirectory), folder]) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
    const owner = ownerFor(path)
    if (owner !== null) lchownSync(path, owner.uid, owner.gid)
  }
  return folder
}
