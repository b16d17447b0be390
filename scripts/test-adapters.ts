/*
 * Installs the frameworks that the client's adapters are tested with, each version from its own lock file, and runs
 * the tests of the adapters. Names of adapters select: `npm run test:adapters -- openai`; with `--install` nothing is run.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { install } from "./Install.ts"

/** Installations at once, count: each waits for the network most of its time. Chosen. */
const installations = 6

const root = join(import.meta.dirname, "..")
const peers = join(root, "test/packages/client/peers")
const given = process.argv.slice(2).filter((word) => word !== "--install")
const isInstallOnly = process.argv.includes("--install")
const adapters = existsSync(peers) ? readdirSync(peers).filter((name) => given.length === 0 || given.includes(name)) : []
const folders = adapters
  .flatMap((adapter) => readdirSync(join(peers, adapter)).map((version) => join(peers, adapter, version)))
  .filter((folder) => existsSync(join(folder, "package-lock.json")))

const waiting = folders.values()
await Promise.all(Array.from({ length: installations }, async () => {
  for (const folder of waiting) await install(folder)
}))
if (!isInstallOnly) {
  if (adapters.length === 0) throw new Error(`No adapter of that name has a folder in ${peers}`)
  execFileSync(process.execPath, [
    join(root, "node_modules/vitest/vitest.mjs"), "run", "test/examples",
    ...adapters.map((name) => `test/packages/client/${name}`)
  ], { cwd: root, stdio: "inherit" })
}
