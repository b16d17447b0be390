/* The log of the server, `postgresql.log` in the data directory. */
import {
  chownSync, closeSync, constants, copyFileSync, ftruncateSync, openSync, readFileSync, statSync
} from "node:fs"
import { join } from "node:path"
import type { ClusterPlace } from "./Cluster.ts"
import { complaintIn } from "./EmbeddedFailure.ts"
import { embeddedSettings } from "./EmbeddedSettings.ts"

const pathIn = (directory: string): string => join(directory, "postgresql.log")

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_WRONLY } = constants

const openLog = ({ directory, who }: ClusterPlace): number => {
  const path = pathIn(directory)
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined
  // `O_NOFOLLOW`, because the owner of the folder could replace the log that root opens with a link.
  const descriptor = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
  if (isNew && who !== null) chownSync(path, who.uid, who.gid)
  return descriptor
}

/** Opens the log for a program that `start` starts, and then closes this process's descriptor of the log. */
export const withLog = <A>(place: ClusterPlace, start: (log: number) => A): A => {
  const log = openLog(place)
  try {
    return start(log)
  } finally {
    closeSync(log)
  }
}

const tailBytes = 4_096

export const logTail = ({ directory }: ClusterPlace): string => {
  try {
    return complaintIn(readFileSync(pathIn(directory), "utf8").slice(-tailBytes))
  } catch {
    return "it left no log"
  }
}

/** Empties a log that has become too large, after copying it to `postgresql.log.1`. */
export const cutLog = ({ directory }: ClusterPlace): void => {
  const path = pathIn(directory)
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < embeddedSettings.logBytesMax) return
  copyFileSync(path, `${path}.1`)
  const descriptor = openSync(path, "r+")
  try {
    ftruncateSync(descriptor) // The server appends, so it continues at the new end.
  } finally {
    closeSync(descriptor)
  }
}
