/**
 * Measures the time that our hooks add to a subagent of Claude Code: `npm run test:agents -- --latency [--runs 10]`.
 * Claude Code measures it itself (`hook_execution_complete`), by a command and by our warm MCP server. The fake service
 * answers after 15 ms, as Sextant does. A command is a Node process, so the start of an idle one is measured too.
 */
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startFakeSextant } from "../../test/packages/client/agents/FakeSextant.ts"
import { runCli, scenarios } from "../../test/packages/client/agents/real/Clis.ts"
import { startProvider } from "../../test/packages/client/agents/real/Provider.ts"
import { answered, createWorld, spawnOf } from "../../test/packages/client/agents/World.ts"
import { median } from "./harness/figures.ts"

const { values: options } = parseArgs({ options: { latency: { type: "boolean" }, runs: { type: "string", default: "10" } } })
const runs = Number(options.runs)

/** Durations that Claude Code has told, in ms, by the event of the hook. */
const told: Array<{ readonly event: string; readonly ms: number }> = []
const receiver = createServer(async (request, response) => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += chunk
  response.writeHead(200, { "content-type": "application/json" }).end("{}")
  if (request.url !== "/v1/logs") return
  for (const { scopeLogs } of JSON.parse(text).resourceLogs) {
    for (const { attributes } of scopeLogs.flatMap((scope: any) => scope.logRecords)) {
      const of = (name: string) => Object.values(attributes.find((one: any) => one.key === name)?.value ?? {})[0]
      if (of("event.name") === "hook_execution_complete") told.push({ event: String(of("hook_event")), ms: Number(of("total_duration_ms")) })
    }
  }
})
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
const bound = receiver.address()

const provider = await startProvider(scenarios)
const service = await startFakeSextant(0, 15)

const measure = async (isWarm: boolean) => {
  const world = createWorld(service)
  const servers = join(world.project, ".mcp.json")
  if (isWarm) {
    world.write(servers, JSON.stringify({ mcpServers: { sextant: { command: process.execPath, args: [world.program, "mcp"] } } }))
  }
  await world.client(["agents", "install", "claude-code"])
  told.length = 0
  for (let run = 0; run < runs; run++) {
    await runCli(world, "claude", ["-p", "Do it. scenario:spawn", ...isWarm ? ["--mcp-config", servers] : []], {
      provider,
      environment: {
        CLAUDE_CODE_ENABLE_TELEMETRY: "1", OTEL_LOGS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_LOGS_EXPORT_INTERVAL: "500", OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`
      }
    })
  }
  return (event: string) => told.filter((one) => one.event === event).map(({ ms }) => ms)
}

/** The start and end of a Node process that does nothing: here, or in a session of its own, as Claude Code starts hooks. */
const startMs = (detached: boolean) =>
  new Promise<number>((resolve) => {
    const from = performance.now()
    spawn(process.execPath, ["-e", "0"], { detached, stdio: "ignore" }).once("close", () => resolve(performance.now() - from))
  })
const startsMs = async (detached: boolean) => {
  const all: Array<number> = []
  for (let run = 0; run < runs; run++) all.push(await startMs(detached))
  return all
}
const show = (what: string, all: ReadonlyArray<number>, goalMs: string) =>
  console.log(`${what.padEnd(46)} median ${String(Math.round(median(all))).padStart(4)} ms of ${all.length}${goalMs}`)

console.log(`load average ${loadavg()[0]?.toFixed(1)}`)
show("a Node process that does nothing", await startsMs(false), "")
show("the same in a session of its own", await startsMs(true), "")
const alone = createWorld(service)
await alone.client(["agents", "install", "claude-code"])
alone.write(join(alone.project, "transcript.jsonl"), `${JSON.stringify(answered("1", [], { isSidechain: false }))}\n`)
const direct: Array<number> = []
for (let run = 0; run < runs; run++) {
  const from = performance.now()
  const { stdout } = await alone.hook("claude-code", spawnOf(alone))
  if (stdout === "") throw new Error("the hook had no answer in time")
  direct.push(performance.now() - from)
}
show("the command alone, started by this program", direct, "")
const byCommand = await measure(false)
show("question, by a command", byCommand("PreToolUse"), ", at most 120")
show("report, by a command", byCommand("SubagentStop"), "")
const warm = await measure(true)
show("question, warm by the MCP server", warm("PreToolUse"), ", at most 50")
show("report, warm by the MCP server", warm("SubagentStop"), "")
receiver.close()
receiver.closeAllConnections()
provider.close()
service.close()
