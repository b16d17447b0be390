/*
 * Makes every artefact into the folder `.release`, checks each, and publishes both clients, in the bytes
 * that the service serves: `npm run release`, which the workflow `release` runs for a tag. Nothing is uploaded before
 * every check holds; `-- --dry-run` does the same without the uploads. `--only names,npm,python,sbom,image` does some of
 * the checks of a dry run. `--pypi <url>` is another index; npm's registry is npm's own setting. Provenance comes from
 * GitHub's identity of the run, which npm and `pypi_attestations` sign with.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { version } from "../src/domain/Version.ts"
import { buildClients, sdist } from "./build-clients.ts"
import { examiner, installTools, pack } from "./checks/package/packing.ts"
import { buildFiles, contextOf, contextProblems } from "./release/Context.ts"
import { type Lock, named, type Sbom, sbomProblems } from "./release/Sbom.ts"

const root = join(import.meta.dirname, "..")
const name = "sextant-client"

const output = (command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim()

const run = (command: string, ...args: ReadonlyArray<string>): void => {
  console.log(`$ ${[command, ...args].join(" ")}`)
  execFileSync(command, args, { cwd: root, stdio: "inherit" })
}

/** The versions and the description of a package in an index. */
interface Published {
  readonly versions: ReadonlyArray<string>
  readonly description: string
}

/** The reason why this version cannot be published in an index; null if it can. */
const nameProblem = (index: string, published: Published | null, description: string): string | null => {
  if (published === null) return null
  // The index refuses another's name by itself, but only after the first package is out.
  if (published.description !== description) return `${index}: the name ${name} is another's package`
  return published.versions.includes(version) ? `${index}: ${name} ${version} is published already` : null
}

const answered = async (url: string): Promise<Record<string, unknown> | null> => {
  const response = await fetch(url, { headers: { accept: "application/json" } }).catch((cause: unknown) => {
    throw new Error(`${url} does not answer`, { cause })
  })
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
  return Object(await response.json())
}

const onNpm = async (registry: string): Promise<Published | null> => {
  const found = await answered(`${registry.replace(/\/$/, "")}/${name}`)
  return found && { versions: Object.keys(Object(found["versions"])), description: String(found["description"]) }
}

const onPyPi = async (index: string): Promise<Published | null> => {
  const found = await answered(`${index.replace(/\/$/, "")}/pypi/${name}/json`)
  return found && {
    versions: Object.keys(Object(found["releases"])), description: String(Object(found["info"]).summary)
  }
}

/** Reasons why a run cannot give provenance: it is no run of GitHub, or the package names another repository. */
const provenanceProblems = (manifest: { readonly repository?: unknown }): ReadonlyArray<string> => {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: identity, GITHUB_REPOSITORY: repository = "" } = process.env
  const named = String(Object(manifest.repository).url)
  return [
    ...(identity === undefined ? ["provenance: this is no run of GitHub Actions with `id-token: write`"] : []),
    ...(repository !== "" && named.replace(/\.git$/, "").endsWith(`/${repository}`) ? [] : [
      `provenance: \`repository.url\` of packages/client/package.json must name the repository of the run`
    ])
  ]
}

const sourceProblems = (): ReadonlyArray<string> => [
  ...(output("git", "status", "--porcelain") === "" ? [] : ["source: the working tree has changes"]),
  ...(output("git", "tag", "--points-at", "HEAD").split("\n").includes(`v${version}`) ? [] : [
    `source: this commit has no tag v${version}`
  ])
]

const { values: { "dry-run": isDry, only, pypi } } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false }, only: { type: "string" },
    pypi: { type: "string", default: "https://pypi.org" }
  }
})
const checks = ["names", "npm", "python", "sbom", "image"] as const
const wanted = checks.filter((name) => only?.split(",").includes(name) ?? true)
if (only !== undefined && (!isDry || wanted.length < only.split(",").length)) {
  throw new Error(`--only takes ${checks.join(", ")}, and needs --dry-run`)
}
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const folder = join(root, ".release")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const [tarball = "", wheel = ""] = buildClients(folder)
/** A folder for tools and for a build of the image's files. */
const scratch = mkdtempSync(join(tmpdir(), "sextant-release-"))
process.once("exit", () => rmSync(scratch, { recursive: true, force: true }))

/** Checks that the names are free, and that this run may publish under them. */
const names = async (): Promise<ReadonlyArray<string>> => {
  const manifest = JSON.parse(read("packages/client/package.json"))
  const [, summary = ""] = /^description = "(.*)"$/m.exec(read("clients/python/pyproject.toml")) ?? []
  const registry = output("npm", "config", "get", "registry")
  return [
    nameProblem(registry, await onNpm(registry), manifest.description), nameProblem(pypi, await onPyPi(pypi), summary),
    ...provenanceProblems(manifest), ...sourceProblems()
  ].filter((problem) => problem !== null)
}

/** Checks npm's packages with publint, and their types with attw. */
const npm = (): ReadonlyArray<string> => {
  const examine = examiner(scratch)
  return [tarball, pack(".", folder)].flatMap((archive) => {
    try {
      examine(archive)
      return []
    } catch {
      return [`npm: publint or attw refuses ${basename(archive)}`]
    }
  })
}

/** The command of twine, which is installed in a new environment if it is missing. */
const twine = (): ReadonlyArray<string> => {
  try {
    output("python3", "-m", "twine", "--version")
    return ["python3", "-m", "twine"]
  } catch {
    const place = join(scratch, "python")
    try {
      run("python3", "-m", "venv", place)
      run(join(place, "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "twine==7.0.0")
    } catch (cause) {
      throw new Error(`twine could not be had: it needs Python 3 with venv, and PyPI (${cause})`, { cause })
    }
    return [join(place, "bin/python"), "-m", "twine"]
  }
}

/** Checks the wheel and the sources of the Python client. */
const python = (): ReadonlyArray<string> => {
  const { bytes, name } = sdist()
  writeFileSync(join(folder, name), bytes)
  const [command = "", ...args] = twine()
  run(command, ...args, "check", "--strict", wheel, join(folder, name))
  return []
}

/** Writes and checks the list of the server's packages. */
const sbom = (): ReadonlyArray<string> => {
  const lock: Lock = JSON.parse(read("package-lock.json"))
  const list = named(JSON.parse(output("npm", "run", "--silent", "sbom")) as Sbom, lock)
  const path = join(folder, `sextant-server-${version}.cdx.json`)
  writeFileSync(path, JSON.stringify(list, null, 2))
  run(process.execPath, join(installTools(scratch), "cyclonedx.mjs"), path)
  return sbomProblems(list, lock)
}

/** Packs the image's context, and builds the files that its first stage copies. */
const image = (): ReadonlyArray<string> => {
  const files = output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
  const context = contextOf(files.filter((file) => existsSync(join(root, file))), read(".dockerignore"))
  const archive = join(folder, `sextant-${version}-context.tar`)
  const list = join(scratch, "context.txt")
  writeFileSync(list, ["Dockerfile", ...context].join("\n"))
  run("tar", "--create", "--file", archive, "--files-from", list)
  const problems = contextProblems(read("Dockerfile"), context)
  if (problems.length > 0) return problems
  const build = join(scratch, "build")
  for (const [to, from] of buildFiles(read("Dockerfile"), context)) {
    mkdirSync(dirname(join(build, to)), { recursive: true })
    cpSync(join(root, from), join(build, to))
  }
  symlinkSync(join(root, "node_modules"), join(build, "node_modules"))
  run("npm", "--prefix", build, "run", "--silent", "build")
  run(process.execPath, "-e", `JSON.parse(require("node:child_process").execFileSync(process.execPath,
    [${JSON.stringify(join(build, "dist/src/cli/launch.js"))}, "openapi"], { maxBuffer: 1e8 }))`)
  return existsSync(join(build, "dist/src/http/docs/site/index.html")) ? [] : ["image: the build has no documentation"]
}

const steps = { names, npm, python, sbom, image }
for (const path of [tarball, wheel]) {
  console.log(`${createHash("sha256").update(readFileSync(path)).digest("hex")}  ${basename(path)}`)
}
const problems: Array<string> = []
for (const name of wanted) {
  try {
    problems.push(...await steps[name]())
  } catch (error) {
    problems.push(`${name}: ${error instanceof Error ? error.message : error}`)
  }
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
console.log(`${problems.length === 0 ? "Every check holds" : `${problems.length} checks do not hold`}; the artefacts are in ${folder}`)
if (isDry && wanted.includes("names")) run("npm", "publish", tarball, "--dry-run", "--access", "public")
if (!isDry && problems.length === 0) {
  run("python3", "-m", "pypi_attestations", "sign", wheel)
  run("npm", "publish", tarball, "--provenance", "--access", "public")
  run("python3", "-m", "twine", "upload", "--attestations", wheel, `${wheel}.publish.attestation`)
}
