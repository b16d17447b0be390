/* Finds the server processes of a cluster, and tests its socket. */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { codeOf } from "./EmbeddedFailure.ts"

export const isLinux = process.platform === "linux"

/** What `postmaster.pid` says. The pid is 0 if the file names no process, for example after a power cut. */
interface PidFile {
  readonly pid: number
  readonly status: string
}

const statusLine = 7

/** Reads the cluster's `postmaster.pid`; returns null if there is no such file. */
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

/** On Linux, a zombie does not count as running, because a zombie has ended. */
export const isRunning = (pid: number): boolean => {
  if (pid <= 1) return false // `kill` takes 0 as this process's group.
  try {
    process.kill(pid, 0)
  } catch (error) {
    // The error EPERM means that the process runs as another user.
    if (codeOf(error) !== "EPERM") return false
  }
  if (!isLinux) return true
  try {
    // The state comes after the command's name in brackets, and the name itself may contain brackets.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.startsWith("Z") === false
  } catch {
    return false // It ended between the two looks.
  }
}

/**
 * Returns true if the process is a running `postgres` whose working folder is the cluster. On systems
 * other than Linux, any running process counts as the server.
 */
export const worksIn = (pid: number, cluster: string): boolean => {
  if (!isRunning(pid)) return false
  if (!isLinux) return true
  try {
    const program = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "")
    return program.endsWith("/postgres") && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)
  } catch {
    return false // The process has ended, or belongs to a user whose processes are hidden.
  }
}

/** Lists the cluster's server processes, even if their main process is dead. Outside Linux, lists none. */
export const serversOf = (cluster: string): ReadonlyArray<number> =>
  isLinux ? readdirSync("/proc").map(Number).filter((pid) => pid > 1 && worksIn(pid, cluster)) : []

export const answers = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(socketPath)
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })
