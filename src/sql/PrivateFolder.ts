/* Makes a folder that only its owner can open. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Makes the folder and its missing parents. Throws the error of the file system. Node's recursive `mkdir` is
 * not used, because it never returns below /proc, where no folder can be made.
 */
export const makePrivateFolder = (path: string): void => {
  if (existsSync(path)) return
  if (!existsSync(dirname(path))) makePrivateFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!existsSync(path)) throw error // Else another process was first.
  }
}
