/* Provides a path to the server's socket that is short enough for the operating system. */
import { closeSync, mkdtempSync, openSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isLinux } from "./ServerProcess.ts"

export interface SocketPath {
  readonly path: string
  readonly close: () => void
}

const name = ".s.PGSQL.5432"

/** Maximum length of a socket's path, bytes. The kernel accepts 107 bytes on Linux and 103 on macOS. */
const bytesMax = 100

/**
 * Returns a path to the socket of a cluster. If the usual path is too long, returns a path
 * through `/proc` on Linux, and through a link in a temporary folder on other systems.
 */
export const openSocketPath = (cluster: string): SocketPath => {
  const plain = join(cluster, name)
  if (Buffer.byteLength(plain) <= bytesMax) return { path: plain, close: () => {} }
  if (isLinux) {
    const folder = openSync(cluster, "r")
    return { path: `/proc/self/fd/${folder}/${name}`, close: () => closeSync(folder) }
  }
  const folder = mkdtempSync(join(tmpdir(), "sextant-"))
  symlinkSync(cluster, join(folder, "s"))
  return { path: join(folder, "s", name), close: () => rmSync(folder, { recursive: true, force: true }) }
}
