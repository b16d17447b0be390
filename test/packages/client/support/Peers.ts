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

const onVersion = (adapter: string, version: string, declare: (peers: Peers) => void): void => {
  const folder = join(peersFolder, adapter, version)
  if (!existsSync(join(folder, "node_modules"))) {
    describe.skip(`${adapter} ${version}`, () => it("is not installed: npm run test:adapters", () => {}))
    return
  }
  // The package of the folder asks for the module, as its own program would.
  const { resolve } = createRequire(join(folder, "package.json"))
  describe(`${adapter} ${version}`, () =>
    declare({ version, folder, load: (name) => import(pathToFileURL(resolve(name)).href) }))
}

/** Declares a suite for each version of an adapter's peers, shown as skipped where they are not installed. */
export const onEachVersion = (adapter: string, declare: (peers: Peers) => void): void => {
  for (const version of versionsOf(adapter)) onVersion(adapter, version, declare)
}

/** Declares a suite for the newest version alone, in the same way. */
export const onNewestVersion = (adapter: string, declare: (peers: Peers) => void): void =>
  onVersion(adapter, versionsOf(adapter).at(-1) ?? "", declare)
