/* Forces a file or a folder's entries to the disk, so that a new or renamed file survives a power cut. */
import { closeSync, fsyncSync, openSync } from "node:fs"
import { open } from "node:fs/promises"

/** Blocks until the file or folder is on the disk. */
export const syncPath = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Like {@link syncPath}, but does not block. */
export const syncPathAsync = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
