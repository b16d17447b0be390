/* Forces a file or a folder's list of entries to disk. A new or renamed file then survives a power cut. */
import { closeSync, fsyncSync, openSync } from "node:fs"
import { open } from "node:fs/promises"

/** Blocks until the file or folder is on disk. Throws the file system's error. */
export const syncPath = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Like {@link syncPath}, without blocking. Rejects with the file system's error. */
export const syncPathAsync = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
