import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

const root = join(import.meta.dirname, "../..")

/** The command line's sources. */
export const sources = "src/cli/main.ts"

/** Names the program that {@link bundleProgram} made; set by globalSetup.ts. */
export const programVariable = "SEXTANT_TEST_PROGRAM"

/**
 * The program that tests start as `sextant`. In a run of tests it is a bundle, which starts in half the time of the
 * sources.
 */
export const program = process.env[programVariable] ?? join(root, sources)

const cache = join(root, "node_modules/.cache/tests-program")

/**
 * The URL of a copy of the bundled facts without the models' last days, so that no test depends on its date.
 * `test/engine/recommend/candidates/Retirement.test.ts` has the dates.
 */
const undatedFacts = (): string => {
  const { models } = JSON.parse(readFileSync(join(root, "src/catalog/file/facts.json"), "utf8")) as {
    readonly models: ReadonlyArray<{ readonly facts: object }>
  }
  const text = JSON.stringify({ models: models.map((row) => ({ ...row, facts: { ...row.facts, retires_on: null } })) })
  const file = join(cache, `facts-${createHash("sha256").update(text).digest("hex").slice(0, 16)}.json`)
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, text)
  return pathToFileURL(file).href
}

/**
 * Bundles the command line with its packages, so that a process loads tens of files and not a thousand. A module keeps
 * the URL of its source, so that it finds its data and workers there. Runs with equal sources share one folder, and the
 * compiled code in it.
 */
export const bundleProgram = async (): Promise<string> => {
  const { build } = await import("rolldown")
  const facts = undatedFacts()
  const { output } = await build({
    input: join(root, sources),
    platform: "node",
    // Its namespace is re-exported, which a bundler cannot see through.
    external: ["undici"],
    plugins: [{
      name: "own-urls",
      transform: (code, id) => code.includes("import.meta.") ?
        code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
          .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
          .replaceAll("\"./facts.json\"", JSON.stringify(facts)) :
        null
    }],
    output: { format: "esm", keepNames: true },
    logLevel: "warn",
    write: false
  })
  const files = output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source] as const)
  const hash = createHash("sha256")
  for (const [name, text] of files) hash.update(name).update(text)
  const directory = join(cache, hash.digest("hex").slice(0, 16))
  if (!existsSync(directory)) {
    const own = `${directory}-${process.pid}`
    mkdirSync(own, { recursive: true })
    for (const [name, text] of files) writeFileSync(join(own, name), text)
    try {
      renameSync(own, directory)
    } catch (error) {
      // Another run was faster.
      if (!existsSync(directory)) throw error
      rmSync(own, { recursive: true })
    }
  }
  return join(directory, "main.js")
}
