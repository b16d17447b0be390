/* Packs one of the packages and examines what was packed with publint and Are The Types Wrong. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync } from "node:fs"
import { join, resolve } from "node:path"

export const root = join(import.meta.dirname, "../../..")

/** Runs a program to its end, and yields what it prints; its errors go to this program's. */
export const run = (directory: string, command: string, ...args: ReadonlyArray<string>): string => {
  console.log(`$ ${command} ${args.join(" ")}`)
  return execFileSync(command, args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
}

/** Every Node given by path (`--node /usr/bin/node`, more than once). */
export const givenNodes: ReadonlyArray<string> =
  process.argv.flatMap((word, i) => process.argv[i - 1] === "--node" ? [resolve(word)] : [])

/** Installs what the lock file in a directory names. */
export const installIn = (directory: string): void => {
  run(directory, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
}

/** Packs the package in `folder` of the repository into a directory; yields the path of the archive. */
export const pack = (folder: string, directory: string): string => {
  const printed = run(join(root, folder), "npm", "pack", "--json", "--pack-destination", directory)
  // Scripts of the package print before the list.
  const [packed] = JSON.parse(printed.replace(/^[^[]*(?=\[\s*\{)/, "")) as ReadonlyArray<{ readonly filename: string }>
  if (packed === undefined) throw new Error("npm packed nothing")
  return join(directory, packed.filename)
}

/** Installs the examiners that the lock file beside this file names, once; yields their folder. */
export const installTools = (directory: string): string => {
  const tools = join(directory, "tools")
  if (existsSync(tools)) return tools
  mkdirSync(tools)
  for (const name of ["package.json", "package-lock.json", "cyclonedx.mjs"]) cpSync(join(import.meta.dirname, name), join(tools, name))
  installIn(tools)
  return tools
}

/** A function that examines a package with the tools. */
export const examiner = (directory: string): (tarball: string) => void => {
  const tools = installTools(directory)
  const tool = (name: string): string => join("node_modules", ".bin", name)
  return (tarball) => {
    console.log(run(tools, process.execPath, tool("publint"), tarball, "--strict"))
    console.log(run(tools, process.execPath, tool("attw"), tarball, "--profile", "esm-only"))
  }
}
