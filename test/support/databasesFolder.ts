import { existsSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

/** Least free memory for databases of tests, bytes. Chosen: a container often has 64 MB of it in all. */
const freeBytesMin = 4 * 2 ** 30

const memory = "/dev/shm"

const isRoomy = (): boolean => {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= freeBytesMin
}

const isTest = process.env["VITEST"] !== undefined && process.env["TMPDIR"] === undefined

/**
 * The folder for databases. Tests use memory if there is room, so that no commit or start waits for a disk. Benchmarks
 * and drills use the disk of TMPDIR, as a service would.
 */
export const databasesFolder = isTest && isRoomy() ? memory : tmpdir()
