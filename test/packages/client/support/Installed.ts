// Puts the built client where npm would put it, so that a program in JavaScript imports it by its name.
import { execFileSync } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../../..")
const client = join(root, "packages/client")

/** What the build is made of. */
const digest = (): string => {
  const hash = createHash("sha256")
  const sources = readdirSync(join(client, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts")).sort()
  for (const path of ["package.json", "tsconfig.json", ...sources.map((name) => join("src", name))]) {
    hash.update(path).update(readFileSync(join(client, path)))
  }
  return hash.digest("hex").slice(0, 16)
}

/**
 * Builds `sextant-client` into a folder `node_modules`, once for each state of its sources. Test files do so beside each
 * other: a build appears whole, and the link to it is replaced in one step.
 */
export const installClient = (modules: string): void => {
  const built = join(modules, `.sextant-client-${digest()}`)
  const own = join(modules, `.sextant-client-${randomUUID()}`)
  if (!existsSync(built)) {
    execFileSync(process.execPath, [
      join(root, "node_modules/typescript/bin/tsc"), "-p", join(client, "tsconfig.json"), "--outDir", join(own, "dist")
    ])
    cpSync(join(client, "package.json"), join(own, "package.json"))
    try {
      renameSync(own, built)
    } catch (error) {
      // Another test file was faster.
      if (!existsSync(built)) throw error
      rmSync(own, { recursive: true })
    }
  }
  symlinkSync(built, own)
  renameSync(own, join(modules, "sextant-client"))
}
