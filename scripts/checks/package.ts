/*
 * Packs both packages and examines them; tries the server's in an empty project: an install, the types of
 * `sextant-server/client`, the client in an ES module, and `sextant` serving, with every Node given by path
 * (`--node /usr/bin/node`, more than once; this one by default). The client's is tried by `test/clients/Served.test.ts`
 * and `check:runtimes`. Needs the registry.
 */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { examiner, givenNodes, pack, root, run } from "./package/packing.ts"

const readyWithin = 60_000

/** Starts the packed service, uses it by its own client, and stops it. */
const serves = (directory: string, node: string) =>
  new Promise<void>((done, reject) => {
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
      console.log(run(directory, node, "use.mjs", url, key).trim())
      for (const page of ["/docs", "/docs/reference", "/dashboard"]) {
        console.log(run(directory, "curl", "--silent", "--fail", "--output", "/dev/null", "--write-out", "%{url} %{http_code}", url + page))
      }
      service.kill("SIGTERM")
    })
    service.once("exit", (code) => {
      clearTimeout(timer)
      if (isAsked && code === 0) done()
      else reject(new Error(`sextant ended with ${code}`))
    })
  })

const typed = `import { Effect } from "effect"
import { SextantClient } from "sextant-server/client"
export const model = SextantClient.use((client) => client.recommend({ task: { task: "x" } })).pipe(
  Effect.map((advice): string => advice.recommendedModel.modelId)
)
// @ts-expect-error a task is needed
void SextantClient.use((client) => client.recommend({}))
`
const used = `import { Effect } from "effect"
import { SextantClient } from "sextant-server/client"
const [, , baseUrl, apiKey] = process.argv
await Effect.runPromise(Effect.gen(function*() {
  const client = yield* SextantClient
  const advice = yield* client.recommend({ task: { task: "Fix this failing unit test" } })
  const { accepted } = yield* client.feedback({ recommendationId: advice.recommendationId,
    chosenModelId: advice.recommendedModel.modelId, outcome: "success" })
  console.log(process.version, advice.recommendedModel.modelId, "accepted", accepted)
  if (!accepted) process.exitCode = 1
}).pipe(Effect.provide(SextantClient.layer({ baseUrl, apiKey }))))
`

/** Installs and tries the packed server in an empty project. */
const serverWorks = async (tarball: string, directory: string, nodes: ReadonlyArray<string>): Promise<void> => {
  const project = join(directory, "server")
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", type: "module", private: true,
    allowScripts: { node: true } }))
  run(project, "npm", "install", "--no-audit", "--no-fund", tarball)
  writeFileSync(join(project, "typed.ts"), typed)
  writeFileSync(join(project, "use.mjs"), used)
  run(project, process.execPath, join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--skipLibCheck",
    "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "typed.ts")
  for (const node of nodes) await serves(project, node)
  const manifest: unknown = JSON.parse(readFileSync(join(project, "node_modules/sextant-server/package.json"), "utf8"))
  console.log("sextant-server", Object(manifest).version, "works")
}

const nodes = givenNodes.length === 0 ? [process.execPath] : givenNodes
const directory = mkdtempSync(join(tmpdir(), "sextant-package-"))
try {
  const examine = examiner(directory)
  examine(pack("packages/client", directory))
  const server = pack(".", directory)
  examine(server)
  await serverWorks(server, directory, nodes)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
