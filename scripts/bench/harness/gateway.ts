/* A gateway that carries calls to a provider that answers at once. Advice is compared with its processor time. */
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { join } from "node:path"
import { freePort } from "../../../test/support/PostgresCluster.ts"
import { type Ask, numberedText } from "./asks.ts"
import { bare, type Server, stop } from "./processes.ts"

const name = "@portkey-ai/gateway"
const version = "1.15.2"
/** A folder in `node_modules`, which git ignores. */
const folder = new URL("../../../node_modules/.cache/sextant-peer", import.meta.url).pathname
const program = join(folder, "node_modules", name, "build/start-server.js")

const install = (): void => {
  if (existsSync(program)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), `{"private":true}`)
  execFileSync("npm", ["install", "--silent", `${name}@${version}`], { cwd: folder, stdio: "inherit" })
}

const completion = JSON.stringify({
  id: "chatcmpl-1", object: "chat.completion", created: 1, model: "gpt-5",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Done. ".repeat(50) } }],
  usage: { prompt_tokens: 400, completion_tokens: 100, total_tokens: 500 }
})

/** The gateway with its provider on loopback. */
interface Gateway {
  readonly server: Server
  /** A call with the text of {@link numberedText}. */
  readonly call: (index: number) => Ask
  readonly close: () => Promise<void>
}

const triesMax = 300
const betweenTriesMs = 100

/** Installs the gateway where it is missing, and starts it. */
export const startGateway = async (): Promise<Gateway> => {
  install()
  const provider = await bare(completion)
  const port = await freePort()
  const child = spawn(process.execPath, [program, `--port=${port}`, "--headless"], { cwd: folder, stdio: "ignore" })
  const server = { port, pid: child.pid ?? 0, child }
  const call = (index: number): Ask => ({
    kind: "recommend",
    path: "/v1/chat/completions",
    headers: { "x-portkey-provider": "openai", "x-portkey-custom-host": `http://127.0.0.1:${provider.port}/v1` },
    body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: numberedText(index) }] })
  })
  for (let tries = 0; ; tries++) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(() => true, () => false)
    if (answered) break
    if (tries === triesMax || child.exitCode !== null) throw new Error("The gateway does not answer")
    await setTimeout(betweenTriesMs)
  }
  return { server, call, close: async () => { await stop(server); await stop(provider) } }
}
