/* Processor time of a process, and of a process with its children, from /proc. */
import { readFileSync, readlinkSync } from "node:fs"
import { basename } from "node:path"

/** Fields of /proc/pid/stat from the state on. The name before them may have any characters. */
const statOf = (pid: number): ReadonlyArray<string> =>
  readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []

/** Step in which the kernel counts processor time, ms. */
const tickMs = 10

/** Processor milliseconds that the process has used so far; null where the system does not say. */
export const processorMs = (pid: number): number | null => {
  if (process.platform !== "linux") return null
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").map(Number)
    .filter((child) => child > 0)

/** Reads a process's time; 0 if the process has just ended, because its parent then counts the time. */
const orZero = (read: () => number): number => {
  try {
    return read()
  } catch {
    return 0
  }
}

/**
 * Processor milliseconds of a process and its children so far, with those that have ended; null where the system does
 * not say.
 */
export const processorMsOfFamily = (pid: number): number | null => {
  if (process.platform !== "linux") return null
  const own = statOf(pid)
  const spent = [11, 12, 13, 14].reduce((sum, field) => sum + Number(own[field]), 0) * tickMs
  return childrenOf(pid).reduce((sum, child) => sum + orZero(() => processorMs(child) ?? 0), spent)
}

/**
 * Processor milliseconds of a service so far: of the process that was started, and of its children of the same program.
 * An embedded PostgreSQL, another child, is left out.
 */
export const processorMsOfService = (pid: number): number | null => {
  const own = processorMs(pid)
  if (own === null) return null
  const program = basename(process.execPath)
  const ofNode = (child: number) =>
    orZero(() => basename(readlinkSync(`/proc/${child}/exe`)) === program ? processorMs(child) ?? 0 : 0)
  return childrenOf(pid).reduce((sum, child) => sum + ofNode(child), own)
}
