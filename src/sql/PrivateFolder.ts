/* Makes a folder that only its owner can open. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"

/** Makes each missing parent singly, because Node's recursive `mkdir` never returns below `/proc`. */
export const makePrivateFolder = (path: string): void => {
  if (existsSync(path)) return
  if (!existsSync(dirname(path))) makePrivateFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!existsSync(path)) throw error // Else another process was first.
  }
}
