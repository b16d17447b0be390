/* Forces a file, or a folder's entries, to disk, so that a new or renamed file survives a power cut. */
import { closeSync, fsyncSync, openSync } from "node:fs"
import { open } from "node:fs/promises"

/** Blocks until the file or folder is on disk; throws the file system's error. */
export const syncPath = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** {@link syncPath} without blocking; rejects with the file system's error. */
export const syncPathAsync = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
