import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")
const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"))

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
}
interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
}

const manifest = read("package.json") as Manifest
const lock = read("package-lock.json") as {
  readonly lockfileVersion: number
  readonly packages: Readonly<Record<string, Locked>>
}
const runtime = Object.keys(manifest.dependencies)

describe("what the package is made of", () => {
  it("is at most ten packages, each pinned and justified in docs/running/contributing.md", () => {
    assert.isAtMost(runtime.length, 10)
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
      assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
    }
    const page = readFileSync(join(root, "docs/running/contributing.md"), "utf8")
    for (const name of runtime) assert.include(page, `\`${name}\``)
  })

  it("is exactly what the lock file names, from the registry, with a strong hash each", () => {
    assert.strictEqual(lock.lockfileVersion, 3)
    const ours = (path: string): boolean => path === "" || path.startsWith("packages/")
    const entries = Object.entries(lock.packages).filter(([path, { link, resolved }]) =>
      !ours(path) && !(link === true && resolved?.startsWith("packages/") === true))
    assert.isAbove(entries.length, 50)
    for (const [path, { integrity, link, resolved, version }] of entries) {
      assert.isUndefined(link, path)
      assert.match(version ?? "", /^\d/, path)
      assert.match(integrity ?? "", /^sha512-/, path)
      if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path)
    }
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      assert.strictEqual(lock.packages[`node_modules/${name}`]?.version, version, name)
    }
  })

  it("is listed by `npm run sbom`: versions, strong hashes, and what is for development", () => {
    const printed = execFileSync("npm", ["run", "--silent", "sbom"], { cwd: root, encoding: "utf8" })
    const { components } = JSON.parse(printed) as {
      readonly components: ReadonlyArray<{
        readonly purl: string
        readonly hashes?: ReadonlyArray<{ readonly alg: string }>
        readonly properties?: ReadonlyArray<{ readonly name: string }>
      }>
    }
    const listed = new Map(components.map(({ hashes = [], properties = [], purl }) => [decodeURIComponent(purl), [
      ...hashes.map(({ alg }) => alg), ...properties.map(({ name }) => name.split(":").at(-1))
    ]]))
    for (const [path, { dev, link, version }] of Object.entries(lock.packages)) {
      const name = path.split("node_modules/").at(-1) ?? ""
      if (!path.includes("node_modules/") || link === true) continue
      const kind = dev === true ? ["SHA-512", "development"] : ["SHA-512"]
      assert.deepStrictEqual(listed.get(`pkg:npm/${name}@${version}`), kind, path)
    }
  })

  it("is checked with packages that lock files name, from the registry, with a strong hash", () => {
    const files = globSync(["scripts/checks/*/package-lock.json", "test/packages/client/peers/*/*/package-lock.json"], {
      cwd: root
    })
    assert.isAtLeast(files.length, 3)
    for (const file of files) {
      const { packages } = read(file) as typeof lock
      for (const [path, { integrity, link, resolved }] of Object.entries(packages)) {
        if (path === "") continue
        assert.isUndefined(link, `${file}: ${path}`)
        assert.match(integrity ?? "", /^sha512-/, `${file}: ${path}`)
        if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, `${file}: ${path}`)
      }
    }
  })

  it("starts by a launcher that runs on any Node from 20 on", () => {
    assert.strictEqual(manifest.bin["sextant"], "./dist/src/cli/launch.js")
    const imports = [...readFileSync(join(root, "src/cli/launch.ts"), "utf8").matchAll(/^import .* from "([^"]+)"/gm)]
    assert.deepStrictEqual(imports.filter(([, name = ""]) => !name.startsWith("node:")), [])
  })
})
