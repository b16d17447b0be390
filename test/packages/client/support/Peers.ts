// The frameworks that the adapters are tested with: each version has a folder with a lock file of its own.
import { describe, it } from "@effect/vitest"
import { existsSync, readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** Folders `<adapter>/<version>`, each with a `package.json` and a `package-lock.json`; installed by `npm run test:adapters`. */
export const peersFolder = join(import.meta.dirname, "../peers")

export interface Peers {
  /** Name of the version's folder. */
  readonly version: string
  readonly folder: string
  /** Imports a package of that version. The types are the test's to know. */
  readonly load: <Module>(name: string) => Promise<Module>
}

/** The versions of an adapter's peers, the oldest first. */
const versionsOf = (adapter: string): ReadonlyArray<string> =>
  readdirSync(join(peersFolder, adapter)).filter((version) => existsSync(join(peersFolder, adapter, version, "package.json")))
    .sort((one, other) => one.localeCompare(other, "en", { numeric: true }))

/** An installed version; null for another. */
const peersOf = (adapter: string, version: string): Peers | null => {
  const folder = join(peersFolder, adapter, version)
  if (!existsSync(join(folder, "node_modules"))) return null
  // The package of the folder asks for the module, as its own program would.
  const { resolve } = createRequire(join(folder, "package.json"))
  return { version, folder, load: (name) => import(pathToFileURL(resolve(name)).href) }
}

const skip = (name: string): void => void describe.skip(name, () => it("is not installed: npm run test:adapters", () => {}))

const onVersion = (adapter: string, version: string, declare: (peers: Peers) => void): void => {
  const peers = peersOf(adapter, version)
  const name = `${adapter} ${version}`
  if (peers === null) skip(name)
  else describe(name, () => declare(peers))
}

/** Declares a suite for each version of an adapter's peers, shown as skipped where they are not installed. */
export const onEachVersion = (adapter: string, declare: (peers: Peers) => void): void => {
  for (const version of versionsOf(adapter)) onVersion(adapter, version, declare)
}

/** Declares one suite for all versions together, the oldest first; skipped unless all are installed. */
export const onAllVersions = (adapter: string, declare: (all: ReadonlyArray<Peers>) => void): void => {
  const versions = versionsOf(adapter)
  const all = versions.flatMap((version) => peersOf(adapter, version) ?? [])
  if (all.length < versions.length) skip(adapter)
  else describe(`${adapter} ${versions.join(" and ")}`, () => declare(all))
}

/** Declares a suite for the newest version alone, in the same way. */
export const onNewestVersion = (adapter: string, declare: (peers: Peers) => void): void =>
  onVersion(adapter, versionsOf(adapter).at(-1) ?? "", declare)
