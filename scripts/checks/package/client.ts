/*
 * Tries the packed client in an empty project: every export is imported by each Node without any framework beside it,
 * its types compile without those of Node, a program chooses the default while there is no service, and the command
 * says its version.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Packed, root, run } from "./packing.ts"

/** Most bytes of the packed client, and of what its install puts on the disk. */
const packedBytesMax = 200_000

const typed = `import { createSextant, measuredIterable } from "sextant-client"
const sextant = createSextant({ baseUrl: "http://localhost:8080", apiKey: "k", models: ["a", "b"], defaultModelId: "b" })
export const model: Promise<"a" | "b"> = sextant.choose("x").then((choice) => choice.modelId)
export const measured = measuredIterable
// @ts-expect-error the default is one of the models
createSextant({ baseUrl: "http://localhost:8080", apiKey: "k", models: ["a", "b"], defaultModelId: "c" })
`

/** Port 9 is the discard service, which nothing here runs. */
const used = `import { createSextant } from "sextant-client"
for (const entry of process.argv.slice(2)) await import(entry)
const sextant = createSextant({ baseUrl: "http://127.0.0.1:9", apiKey: "k", models: ["a", "b"], defaultModelId: "b" })
const choice = await sextant.choose("x")
const ran = await choice.run((model) => model)
console.log(process.version, process.argv.length - 2, "entries imported,", ran, choice.source, choice.reason)
if (ran !== "b" || choice.source !== "default") process.exitCode = 1
`

export const clientWorks = (packed: Packed, directory: string, nodes: ReadonlyArray<string>): void => {
  if (packed.bytes > packedBytesMax) throw new Error(`The client has ${packed.bytes} bytes, over ${packedBytesMax}`)
  const strangers = packed.files.filter((path) => !/^(dist\/.*\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(path))
  if (strangers.length > 0) throw new Error(`The client's package holds ${strangers.join(", ")}`)

  const project = join(directory, "client")
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", type: "module", private: true }))
  run(project, "npm", "install", "--no-audit", "--no-fund", packed.tarball)
  const installed = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly optional?: boolean; readonly peer?: boolean }>>
  }
  const others = Object.keys(installed.packages).filter((path) => path !== "" && path !== "node_modules/sextant-client")
  if (others.length > 0) throw new Error(`The client installs ${others.join(", ")}`)

  const { exports, version } = JSON.parse(
    readFileSync(join(project, "node_modules/sextant-client/package.json"), "utf8")
  ) as { readonly version: string; readonly exports: Readonly<Record<string, unknown>> }
  const entries = Object.keys(exports).filter((name) => name !== "./package.json")
    .map((name) => `sextant-client${name.slice(1)}`)
  writeFileSync(join(project, "typed.ts"), typed)
  writeFileSync(join(project, "use.mjs"), used)
  for (const [module, resolution] of [["nodenext", "nodenext"], ["esnext", "bundler"]] as const) {
    run(
      project, process.execPath, join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--target",
      "es2022", "--module", module, "--moduleResolution", resolution, "--lib", "es2023,dom", "--types", "", "typed.ts"
    )
  }
  for (const node of nodes) {
    console.log(run(project, node, "use.mjs", ...entries).trim())
    const said = run(project, node, "node_modules/.bin/sextant-client", "--version").trim()
    if (said !== version) throw new Error(`The command says that it is version ${said}`)
  }
  console.log(`sextant-client ${version} works: ${statSync(packed.tarball).size} bytes packed`)
}
