/* Forces a file, or a folder's entries, to disk: a new or renamed file is then there after a power cut. */
import { closeSync, fsyncSync, openSync } from "node:fs"
import { open } from "node:fs/promises"

/** Blocks until the file or folder is on disk; throws what the file system says. */
export const syncPath = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** {@link syncPath} without blocking; rejects with what the file system says. */
export const syncPathAsync = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
