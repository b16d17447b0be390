import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"

/*
 * Checks the pages that people read against the repository: links, paths, commands and variables. A page
 * that names what is not there fails here, with the page's name.
 */

const root = join(import.meta.dirname, "../..")
const textOf = (path: string): string => readFileSync(join(root, path), "utf8")

const pages = [
  "README.md", "AGENTS.md", "packages/client/README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md")).map((path) => `docs/${path}`),
  ...["clients", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith("README.md") && !path.includes("node_modules"))
      .map((path) => `${folder}/${path}`))
]

const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })

/** Names of all files that a page may mention without their folder. */
const fileNames = new Set(["src", "test", "scripts", "deploy", "otel"].flatMap(filesUnder).map((path) => basename(path)))

const scripts = Object.keys((JSON.parse(textOf("package.json")) as { scripts: Record<string, string> }).scripts)

/** An anchor as GitHub makes it of a heading. */
const anchorOf = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")

const anchorsOf = (path: string): ReadonlyArray<string> =>
  [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading))

const linksOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)

const isThere = (page: string, link: string): boolean => {
  const [path = "", anchor] = link.split("#")
  const target = path === "" ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsOf(target).includes(anchor)
}

/** What stands in backticks: commands, paths and names. */
const codeIn = (text: string): ReadonlyArray<string> =>
  [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code)

const ownFolder = /^(?:src|test|scripts|docs|otel|deploy|examples|\.ci)\//
const sourceFile = /^[A-Za-z][\w.-]*\.(?:ts)$/

const isPathThere = (word: string): boolean => {
  if (ownFolder.test(word)) {
    const folder = word.replace(/\/\*$/, "")
    return [folder, `${folder}.ts`, `${folder}.test.ts`].some((path) => existsSync(join(root, path)))
  }
  return !sourceFile.test(word) || fileNames.has(word)
}

/** Words of a piece of code that may be paths; `<name>` and `…` stand for something of the reader's. */
const wordsOf = (code: string): ReadonlyArray<string> =>
  code.split(/\s+/).filter((word) => !/[<>…{}$=*]/.test(word.replace(/\/\*$/, "")))

describe.each(pages)("%s", (page) => {
  it("links only to pages and headings that exist", () => {
    const missing = linksOf(textOf(page)).filter((link) => !/^https?:/.test(link) && !isThere(page, link))
    assert.deepStrictEqual(missing, [])
  })

  it("names only files and folders that exist", () => {
    assert.deepStrictEqual(codeIn(textOf(page)).flatMap(wordsOf).filter((word) => !isPathThere(word)), [])
  })

  it("runs the programs of the repository under its own Node, and not the machine's", () => {
    const isMachines = (code: string): boolean => /^node (?:src|scripts|test)\//.test(code)
    const lines = textOf(page).split("\n")
    assert.deepStrictEqual([...codeIn(textOf(page)).filter(isMachines), ...lines.filter(isMachines)], [])
  })

  it("names only npm scripts that package.json has", () => {
    const named = [...textOf(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = ""]) => name)
    assert.deepStrictEqual(named.filter((name) => !scripts.includes(name)), [])
  })
})

describe("the page of configuration", () => {
  const variable = /"((?:SEXTANT|DATABASE|OTEL)_[A-Z_]+|PORT|HOST)"/g
  const sources = ["src/cli/Config.ts", "src/cli/Variables.ts", "src/telemetry/otlp/TelemetryConfig.ts"].map(textOf).join("\n")
  /** Read by OpenTelemetry's exporters themselves. */
  const ofExporters = ["HEADERS", "TIMEOUT", "COMPRESSION", "CERTIFICATE"].map((name) => `OTEL_EXPORTER_OTLP_${name}`)
  const read = new Set([
    ...[...sources.matchAll(variable)].map(([, name = ""]) => name),
    ...[...sources.matchAll(/secret\("(\w+)"\)/g)].map(([, name]) => `${name}_FILE`),
    ...ofExporters
  ])
  // The first cell of a row names the variables that the row is about.
  const documented = new Set([...textOf("docs/running/configuration.md").matchAll(/^\| (`[A-Z].*?) \|/gm)]
    .flatMap(([, cell = ""]) => codeIn(cell)))

  it("names every variable that the program reads", () => {
    assert.isAbove(read.size, 40)
    assert.deepStrictEqual([...read].filter((name) => !documented.has(name)), [])
  })

  it("names no variable that the program does not read", () => {
    assert.deepStrictEqual([...documented].filter((name) => !read.has(name)), [])
  })
})

describe("the scripts", () => {
  const pathsIn = (text: string): ReadonlyArray<string> =>
    [...text.matchAll(/(?:^|[\s"])(?:\.\/)?((?:scripts|src|test)\/[\w./-]+\.ts)/g)].map(([, path = ""]) => path)
  const isGone = (path: string): boolean => !existsSync(join(root, path))

  it("of package.json run only files that exist", () => {
    assert.deepStrictEqual(pathsIn(textOf("package.json")).filter(isGone), [])
  })

  it("of the benchmarks and drills preload and spawn only files that exist", () => {
    const texts = ["scripts/bench", "scripts/drills", "scripts/checks", "scripts/demo"].flatMap((folder) =>
      filesUnder(folder).filter((path) => path.endsWith(".ts")).map((path) => textOf(join(folder, path))))
    const spawned = texts.flatMap((text) =>
      [...text.matchAll(/"(?:\.\/)?(scripts\/[\w./-]+\.ts)"/g)].map(([, path = ""]) => path))
    assert.isAtLeast(spawned.length, 2)
    assert.deepStrictEqual(spawned.filter(isGone), [])
  })
})

it("All pages of both books have at most 17,000 words", () => {
  const words = pages.filter((page) => page.startsWith("docs/")).flatMap((page) => textOf(page).split(/\s+/)).filter((word) => word !== "")
  assert.isAtMost(words.length, 17_000)
})

it("The README stays short enough for three minutes", () => {
  assert.isAtMost(textOf("README.md").trimEnd().split("\n").length, 90)
})

it("AGENTS.md stays short enough for a first day", () => {
  assert.isAtMost(textOf("AGENTS.md").trimEnd().split("\n").length, 70)
})
