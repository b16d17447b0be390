/*
 * Publishes both clients, in the bytes that the service serves: `npm run release`, which the workflow `release` runs for
 * a tag. Nothing is uploaded before every check holds; `-- --dry-run` does the same without the uploads. `--pypi <url>`
 * is another index; npm's registry is npm's own setting. Provenance comes from GitHub's identity of the run, which npm
 * and `pypi_attestations` sign with.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { version } from "../src/domain/Version.ts"
import { buildClients } from "./build-clients.ts"

const root = join(import.meta.dirname, "..")
const name = "sextant-client"

const output = (command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim()

const run = (command: string, ...args: ReadonlyArray<string>): void => {
  console.log(`$ ${[command, ...args].join(" ")}`)
  execFileSync(command, args, { cwd: root, stdio: "inherit" })
}

/** What an index says of the name: its versions and its description; null where the name is free. */
interface Published {
  readonly versions: ReadonlyArray<string>
  readonly description: string
}

/** Why this version cannot be published under the name in that index; null where it can. */
const nameProblem = (index: string, published: Published | null, description: string): string | null => {
  if (published === null) return null
  // The index refuses another's name by itself, but only after the first package is out.
  if (published.description !== description) return `${index}: the name ${name} is another's package`
  return published.versions.includes(version) ? `${index}: ${name} ${version} is published already` : null
}

const answered = async (url: string): Promise<Record<string, unknown> | null> => {
  const response = await fetch(url, { headers: { accept: "application/json" } })
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

/** What keeps a run from provenance: the source that it would name is not this one, or cannot be proved. */
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

const { values: { "dry-run": isDry, pypi } } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, pypi: { type: "string", default: "https://pypi.org" } }
})
const manifest = JSON.parse(readFileSync(join(root, "packages/client/package.json"), "utf8"))
const [, summary = ""] = /^description = "(.*)"$/m.exec(readFileSync(join(root, "clients/python/pyproject.toml"), "utf8")) ?? []
const registry = output("npm", "config", "get", "registry")
const [tarball = "", wheel = ""] = buildClients()

for (const path of [tarball, wheel]) {
  console.log(`${createHash("sha256").update(readFileSync(path)).digest("hex")}  ${basename(path)}`)
}
const problems = [
  nameProblem(registry, await onNpm(registry), manifest.description), nameProblem(pypi, await onPyPi(pypi), summary),
  ...provenanceProblems(manifest), ...sourceProblems()
].filter((problem) => problem !== null)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
if (isDry) run("npm", "publish", tarball, "--dry-run", "--access", "public")
else if (problems.length === 0) {
  run("python3", "-m", "pypi_attestations", "sign", wheel)
  run("npm", "publish", tarball, "--provenance", "--access", "public")
  run("python3", "-m", "twine", "upload", "--attestations", wheel, `${wheel}.publish.attestation`)
}
