/*
 * Measures what the client adds to a bundle, minified and compressed, and fails where an entry is over its limit:
 * `sextant-client` itself, and each adapter without it.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

/** Most bytes, gzipped: of the client (6 KiB), of an adapter, and of an entry that has a limit of its own. */
const clientMax = 6_144
const adapterMax = 4_500
const ownMax: Readonly<Record<string, number>> = { gates: 2_300, judge: 2_400 }

const sources = join(import.meta.dirname, "../../packages/client/src")

/** One entry of the package, and what it adds to a bundle. */
export interface Entry {
  readonly name: string
  readonly bytes: number
  readonly bytesMax: number
}

/** Bytes of the program that imports `code`, gzipped; what `isExternal` names is not counted. */
const bytesOf = async (code: string, isExternal: (id: string) => boolean): Promise<number> => {
  const bundle = await rolldown({
    input: "program",
    external: (id) => id !== "program" && isExternal(id),
    plugins: [{
      name: "program",
      resolveId: (id) => id === "program" ? id : null,
      load: (id) => id === "program" ? code : null
    }]
  })
  const { output: [{ code: minified }] } = await bundle.generate({ format: "esm", minify: true })
  return gzipSync(minified, { level: 9 }).length
}

/** Every entry: the client is `createSextant`; an adapter is a folder with an `index.ts`. */
export const measureEntries = async (): Promise<ReadonlyArray<Entry>> => {
  const client = `export { createSextant } from ${JSON.stringify(join(sources, "index.ts"))}`
  const adapters = readdirSync(sources).filter((name) => existsSync(join(sources, name, "index.ts")))
  return [
    { name: "sextant-client", bytes: await bytesOf(client, () => false), bytesMax: clientMax },
    ...await Promise.all(adapters.map(async (name) => ({
      name: `sextant-client/${name}`,
      // The client's own files lie beside the folder, a peer has a bare name: neither is the adapter's. What adapters
      // share lies in a folder too, and counts in each.
      bytes: await bytesOf(
        `export * from ${JSON.stringify(join(sources, name, "index.ts"))}`,
        (id) => /^\.\.\/[^/]+$/.test(id) || /^[^./]/.test(id)
      ),
      bytesMax: ownMax[name] ?? adapterMax
    })))
  ]
}

if (import.meta.main) {
  for (const { bytes, bytesMax, name } of await measureEntries()) {
    console.log(`${name}: ${bytes} bytes gzipped, at most ${bytesMax}`)
    if (bytes > bytesMax) process.exitCode = 1
  }
}
