/* Finds the server processes of a cluster, and tries its socket. */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { codeOf } from "./EmbeddedFailure.ts"

export const isLinux = process.platform === "linux"

/**
 * The content of `postmaster.pid`; `status` is `starting`, `ready` or `stopping`. The pid is 0 where the file
 * has none, which a power cut can cause.
 */
interface PidFile {
  readonly pid: number
  readonly status: string
}

const statusLine = 7

/** The pid file of a cluster; null where there is none. */
export const readPidFile = (cluster: string): PidFile | null => {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")
    const pid = Number(lines[0])
    return { pid: Number.isSafeInteger(pid) && pid > 1 ? pid : 0, status: (lines[statusLine] ?? "").trim() }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null
    throw error
  }
}

/** Whether a process runs. A zombie does not. */
export const isRunning = (pid: number): boolean => {
  if (pid <= 1) return false // 0 would ask for our own group.
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user runs all the same.
    if (codeOf(error) !== "EPERM") return false
  }
  if (!isLinux) return true
  try {
    // The command's name, which may hold anything, is in brackets; the state stands first after them.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.startsWith("Z") === false
  } catch {
    return false // It ended between the two looks.
  }
}

/**
 * Whether a process is a server of this cluster, whatever a pid file says: a `postgres` that works in its
 * folder. On systems other than Linux any running process counts, and the socket has to answer as well.
 */
export const worksIn = (pid: number, cluster: string): boolean => {
  if (!isRunning(pid)) return false
  if (!isLinux) return true
  try {
    const program = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "")
    return program.endsWith("/postgres") && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)
  } catch {
    return false // It has ended, or belongs to a user whose processes we may not look at.
  }
}

/** All server processes of the cluster, those that have lost their postmaster included. */
export const serversOf = (cluster: string): ReadonlyArray<number> =>
  isLinux ? readdirSync("/proc").map(Number).filter((pid) => pid > 1 && worksIn(pid, cluster)) : []

/** Whether something accepts connections at a socket. */
export const answers = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(socketPath)
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })
