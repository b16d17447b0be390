/*
 * A container's file system without a container engine: this machine's root below, a stage's own files above, in
 * a mount name space of its own. It needs Linux, root, and overlayfs.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { cpSync, existsSync, mkdirSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"

export interface Layer {
  readonly upper: string
  readonly work: string
  readonly root: string
}

/** With this machine's Node in the place where the base image has its own. */
export const layerIn = (directory: string): Layer => {
  const layer = { upper: join(directory, "upper"), work: join(directory, "work"), root: join(directory, "root") }
  for (const path of Object.values(layer)) mkdirSync(path, { recursive: true })
  mkdirSync(join(layer.upper, "usr/local/bin"), { recursive: true })
  cpSync(process.execPath, join(layer.upper, "usr/local/bin/node"), { dereference: true })
  return layer
}

export interface Command {
  readonly words: ReadonlyArray<string>
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /**
   * As whom, with no capability left and no way to gain one; on a root that cannot be written. User 0 keeps what
   * root has in a container.
   */
  readonly unprivileged?: { readonly user: number; readonly volumes: Readonly<Record<string, string>> }
  /** In a name space of processes, where the command is process 1. */
  readonly isFirst?: boolean
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Runs a command inside; the process is the command itself, so that signals reach it. */
export const inside = ({ root, upper, work }: Layer, command: Command): ChildProcess => {
  const { directory, environment, isFirst = false, unprivileged, words } = command
  const mounts = [
    // The service and its probe have the same layers at a time, which an index would not allow. Both below would
    // not do: the kernel refuses a layer that lies within another one.
    `mount -t overlay overlay -o index=off,lowerdir=/,upperdir=${upper},workdir=${work} ${root}`,
    ...(unprivileged === undefined ? [] : [`mount -o remount,bind,ro ${root}`]),
    isFirst ? `mount -t proc proc ${root}/proc` : `mount --bind /proc ${root}/proc`,
    `mount --bind /dev ${root}/dev`,
    ...(unprivileged === undefined ? [] : [
      `mount -t tmpfs -o mode=1777 tmpfs ${root}/tmp`,
      ...Object.entries(unprivileged.volumes).map(([path, at]) => `mount --bind ${at} ${root}${path}`)
    ])
  ]
  const asWhom = unprivileged === undefined || unprivileged.user === 0 ? [] : [
    "setpriv", "--reuid", String(unprivileged.user), "--regid", String(unprivileged.user), "--clear-groups",
    "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"
  ]
  const variables = Object.entries({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/root", ...environment })
  const started = [
    "env", "-i", ...variables.map(([name, value]) => `${name}=${value}`), ...asWhom,
    "sh", "-c", `cd ${quoted(directory)} && exec "$@"`, "sh", ...words
  ]
  const script = `set -e; ${mounts.join("; ")}; exec chroot ${root} ${started.map(quoted).join(" ")}`
  const spaces = isFirst ? ["-m", "-p", "--fork", "--kill-child"] : ["-m"]
  return spawn("unshare", [...spaces, "--propagation", "private", "sh", "-c", script], {
    stdio: ["ignore", "pipe", "pipe"]
  })
}

export interface Ended {
  readonly code: number | null
  readonly output: string
}

export const ended = (child: ChildProcess): Promise<Ended> =>
  new Promise((resolve) => {
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (chunk) => output += chunk)
    child.once("close", (code) => resolve({ code, output }))
  })

/** Copies as COPY does: a folder's content, or files into a folder when there are several or it ends with `/`. */
export const copy = (
  sources: ReadonlyArray<string>,
  target: string,
  isSent: (path: string) => boolean
): void => {
  for (const source of sources) {
    if (!existsSync(source)) throw new Error(`COPY: ${source} is not there`)
    const isInto = target.endsWith("/") || (sources.length > 1 && !statSync(source).isDirectory())
    const at = isInto ? join(target, basename(source)) : target
    mkdirSync(dirname(at), { recursive: true })
    // Links as they are: Node would make them point to where they were copied from.
    cpSync(source, at, { recursive: true, filter: isSent, verbatimSymlinks: true })
  }
}
