/* The user that runs PostgreSQL. PostgreSQL refuses to run as root, so root starts it as another user. */
import { lchownSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

export interface Identity {
  readonly uid: number
  readonly gid: number
}

interface PasswdLine extends Identity {
  readonly name: string
}

const passwd = (): ReadonlyArray<PasswdLine> => {
  try {
    return readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":")).map(
      ([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) })
    )
  } catch {
    return [] // A container may come without the file.
  }
}

/** If `/etc/passwd` does not list `nobody`, its usual number is used. */
export const identityOfNobody = (): Identity => {
  const line = passwd().find(({ name, uid }) => name === "nobody" && uid > 0)
  return line ?? { uid: 65_534, gid: 65_534 }
}

/** Returns true if `/etc/passwd` has a line for the user, as `initdb` requires. */
export const hasName = (uid: number): boolean => passwd().some((line) => line.uid === uid)

const ownerOf = (path: string): Identity | null => {
  const { gid, uid } = statSync(path, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 }
  return uid === 0 ? null : { uid, gid }
}

/**
 * If this process is root, PostgreSQL runs as the owner of the cluster or else of the data directory; if root
 * owns these too, as `nobody`. Returns null if this process is not root: PostgreSQL runs as the same user.
 */
export const identityFor = (directory: string, cluster: string): Identity | null =>
  process.getuid?.() === 0 ? ownerOf(cluster) ?? ownerOf(directory) ?? identityOfNobody() : null

/** Gives a folder and its content to a user, without following links. */
export const give = (folder: string, to: Identity): void => {
  lchownSync(folder, to.uid, to.gid)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) give(path, to)
    else lchownSync(path, to.uid, to.gid)
  }
}
