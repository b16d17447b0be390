/*
 * Packs the package and tries it in an empty project: two linters, an install, the types of
 * `sextant-server/client`, the client in an ES module, and `sextant` serving, once for each Node given by path
 * (`--node /usr/bin/node`, more than once; this one by default). Needs the registry.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const linters = ["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"]

const root = join(import.meta.dirname, "../..")
const nodes = process.argv.flatMap((word, i) => process.argv[i - 1] === "--node" ? [word] : [])
const directory = mkdtempSync(join(tmpdir(), "sextant-package-"))
const run = (command: string, args: ReadonlyArray<string>, cwd = directory) => {
  console.log(`$ ${command} ${args.join(" ")}`)
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
}

const readyWithin = 60_000

const serves = (node: string) =>
  new Promise<void>((resolve, reject) => {
    const key = `sxt_acme_k1_${"s".repeat(32)}`
    const service = spawn(node, ["node_modules/.bin/sextant"], {
      cwd: directory,
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", SEXTANT_BOOTSTRAP_KEYS: key, SEXTANT_CATALOG_REFRESH: "off" },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const timer = setTimeout(() => {
      service.kill("SIGKILL")
      reject(new Error("not ready in time"))
    }, readyWithin)
    let said = ""
    let isAsked = false
    service.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk
      const [, url] = /^Sextant is ready at (\S+)/m.exec(said) ?? []
      if (url === undefined || isAsked) return
      isAsked = true
      console.log(run(node, ["use.mjs", url, key]).trim())
      service.kill("SIGTERM")
    })
    service.once("exit", (code) => {
      clearTimeout(timer)
      if (isAsked && code === 0) resolve()
      else reject(new Error(`sextant ended with ${code}`))
    })
  })

const typed = `import { createClient } from "sextant-server/client"
const client = createClient({ baseUrl: "http://localhost:8080", apiKey: "k" })
export const model: Promise<string> = client.recommend({ task: { task: "x" } }).then((advice) => advice.recommendedModel.modelId)
// @ts-expect-error a task is needed
void client.recommend({})
`
const used = `import { createClient } from "sextant-server/client"
const [, , baseUrl, apiKey] = process.argv
const client = createClient({ baseUrl, apiKey })
const advice = await client.recommend({ task: { task: "Fix this failing unit test" } })
const { accepted } = await client.feedback({ recommendationId: advice.recommendationId,
  chosenModelId: advice.recommendedModel.modelId, outcome: "success" })
console.log(process.version, advice.recommendedModel.modelId, "accepted", accepted)
await client.close()
if (!accepted) process.exitCode = 1
`

try {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", directory], root)
    .replace(/^[^[]*(?=\[\s*\{)/, "")) as ReadonlyArray<{ readonly filename: string; readonly size: number }>
  if (packed === undefined) throw new Error("npm packed nothing")
  console.log(`${packed.filename}: ${(packed.size / 1e6).toFixed(1)} MB`)
  const tarball = join(directory, packed.filename)
  console.log(run("npx", ["--yes", linters[0] ?? "", tarball]))
  console.log(run("npx", ["--yes", linters[1] ?? "", tarball, "--profile", "esm-only"]))
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "consumer", type: "module", private: true,
    allowScripts: { node: true } }))
  run("npm", ["install", "--no-audit", "--no-fund", tarball])
  writeFileSync(join(directory, "typed.ts"), typed)
  writeFileSync(join(directory, "use.mjs"), used)
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--skipLibCheck",
    "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "typed.ts"])
  for (const node of nodes.length === 0 ? [process.execPath] : nodes) await serves(node)
  console.log(JSON.parse(readFileSync(join(directory, "node_modules/sextant-server/package.json"), "utf8")).version, "works")
} finally {
  rmSync(directory, { recursive: true, force: true })
}
