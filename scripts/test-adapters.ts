/*
 * Installs the frameworks that the client's adapters are tested with, each version from its own lock file, and runs
 * the tests of the adapters. Names of adapters select: `npm run test:adapters -- openai`; with `--install` nothing is run.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const peers = join(root, "test/packages/client/peers")
const given = process.argv.slice(2).filter((word) => word !== "--install")
const isInstallOnly = process.argv.includes("--install")
const folders = existsSync(peers) ? readdirSync(peers) : []
const adapters = folders.filter((name) => given.length === 0 || given.includes(name))

/** Installs what a folder's lock file names, unless it is there. */
const install = (folder: string): void => {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8")
  const mark = join(folder, "node_modules/.installed")
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return
  console.log(`installing ${folder}`)
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder, stdio: "inherit" })
  writeFileSync(mark, lock)
}

for (const adapter of adapters) {
  for (const version of readdirSync(join(peers, adapter))) {
    const folder = join(peers, adapter, version)
    if (existsSync(join(folder, "package-lock.json"))) install(folder)
  }
}
if (!isInstallOnly) {
  if (adapters.length === 0) throw new Error(`No adapter of that name has a folder in ${peers}`)
  execFileSync(process.execPath, [
    join(root, "node_modules/vitest/vitest.mjs"), "run", ...adapters.map((name) => `test/packages/client/${name}`)
  ], { cwd: root, stdio: "inherit" })
}
