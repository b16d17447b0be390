/* Finds a program's providers and SDK by the names of variables and packages. No variable's value is read. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Environment } from "../Service.ts"
import { type Provider, providers } from "./Providers.ts"

export interface Found {
  readonly provider: string
  readonly because: string
}

interface Manifest {
  readonly packages: ReadonlySet<string>
  readonly problem: string | null
}

const namesIn = (dependencies: unknown): ReadonlyArray<string> =>
  typeof dependencies === "object" && dependencies !== null ? Object.keys(dependencies) : []

/** Returns the packages that the nearest `package.json` names, in the folder or a folder above. */
export const nearestPackages = (directory: string): Manifest => {
  for (let folder = directory;; folder = dirname(folder)) {
    const path = join(folder, "package.json")
    try {
      const manifest = Object(JSON.parse(readFileSync(path, "utf8")))
      const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest
      const all = [dependencies, devDependencies, optionalDependencies, peerDependencies]
      return { packages: new Set(all.flatMap(namesIn)), problem: null }
    } catch (error) {
      const { code, message } = Object(error)
      if (code !== "ENOENT" && code !== "ENOTDIR") {
        return { packages: new Set(), problem: `${path}: ${message}` }
      }
      if (dirname(folder) === folder) return { packages: new Set(), problem: null }
    }
  }
}

const packagesOf = ({ aiSdk, langchain, packages }: Provider): ReadonlyArray<string> =>
  [...packages, ...[aiSdk, langchain].flatMap((binding) => binding === undefined ? [] : [binding.package])]

export const findProviders = (
  environment: Environment,
  packages: ReadonlySet<string>
): ReadonlyArray<Found> =>
  providers.flatMap((provider) => {
    const because = provider.variables.find((name) => Object.hasOwn(environment, name))
      ?? packagesOf(provider).find((name) => packages.has(name))
    return because === undefined ? [] : [{ provider: provider.name, because }]
  })
