/* Where the spool files of one database lie: decisions of one must never be written into another. */
import { createHash } from "node:crypto"
import { chmodSync, lchownSync, mkdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"

/** The folder of all databases' spools. */
export const spoolRoot = (dataDirectory: string): string => join(dataDirectory, "spool")

/** The folder for that database, by its address without credentials, or `embedded`. */
export const spoolFolder = (dataDirectory: string, database: string): string =>
  join(spoolRoot(dataDirectory), createHash("sha256").update(database).digest("hex").slice(0, 16))

/** A user and a group, by number. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Who gets what root makes at that path: the owner of the folder it lies in, as the data directory's owner
 * must be able to write out a spool that root has left. Null when this process or that owner is not another.
 */
export const ownerFor = (path: string): Owner | null => {
  if (process.getuid?.() !== 0) return null
  const { gid, uid } = statSync(dirname(path))
  return uid === 0 ? null : { uid, gid }
}

/** Makes the folder for that database where there is none, closed to others, the data directory's owner's. */
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
