// The built client, as npm would install it, so that a program in JavaScript imports it by its name.
import { execFileSync } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../../..")
const client = join(root, "packages/client")
const projects = ["tsconfig.json", "tsconfig.command.json"]

/** What the build is made of. */
const digest = (): string => {
  const hash = createHash("sha256")
  const sources = readdirSync(join(client, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts")).sort()
  for (const path of ["package.json", ...projects, ...sources.map((name) => join("src", name))]) {
    hash.update(path).update(readFileSync(join(client, path)))
  }
  return hash.digest("hex").slice(0, 16)
}

/**
 * A folder that looks like the installed package, compiled as its own `build` does, once for each state of its sources.
 * Test files do so beside each other: a build appears whole.
 */
export const builtClient = (): string => {
  const built = join(root, "node_modules/.cache/sextant-client", digest())
  if (existsSync(built)) return built
  const own = `${built}-${randomUUID()}`
  for (const project of projects) {
    execFileSync(process.execPath, [
      join(root, "node_modules/typescript/bin/tsc"), "-p", join(client, project), "--outDir", join(own, "dist")
    ])
  }
  cpSync(join(client, "package.json"), join(own, "package.json"))
  try {
    renameSync(own, built)
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(built)) throw error
    rmSync(own, { recursive: true })
  }
  return built
}

/** Puts `sextant-client` into a folder `node_modules`; the link to it is replaced in one step. */
export const installClient = (modules: string): void => {
  mkdirSync(modules, { recursive: true })
  const own = join(modules, `.sextant-client-${randomUUID()}`)
  symlinkSync(builtClient(), own)
  renameSync(own, join(modules, "sextant-client"))
}
