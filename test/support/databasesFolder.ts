import { existsSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

/** Free space from which databases may lie in memory, bytes: a container often has 64 MB in all. Chosen. */
const freeBytesMin = 4 * 2 ** 30

const memory = "/dev/shm"

const isRoomy = (): boolean => {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= freeBytesMin
}

const isTest = process.env["VITEST"] !== undefined && process.env["TMPDIR"] === undefined

/**
 * Where databases lie: those of tests in memory where there is room, so that no commit or start waits for a disk; those
 * of benchmarks and drills on the disk of TMPDIR, as a service's do.
 */
export const databasesFolder = isTest && isRoomy() ? memory : tmpdir()
