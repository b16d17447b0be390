// Claude Code as npm has it: install, run, pick applied, reported, learned, uninstall; and every failure of ours.
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { measuredCard, snapshot } from "../../../../support/builders.ts"
import { type RealService, startRealService } from "../../support/RealService.ts"
import type { Mode } from "../FakeSextant.ts"
import * as Stage from "../Stage.ts"
import { createWorld } from "../World.ts"
import { environmentOf, onStage, runCli, withCli, withTests } from "./Clis.ts"

const own = "{\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] }]\n  }\n}\n"

withCli("claude", () => {
  const { provider, service: fake, world } = onStage("claude-haiku-5-5#low")
  let real: RealService
  beforeAll(async () => {
    real = await startRealService(snapshot([
      { ...measuredCard("claude-haiku-5-5", 0.66, 0.1), provider: "anthropic" },
      { ...measuredCard("claude-sonnet-5-5", 0.78, 1), provider: "anthropic" },
      { ...measuredCard("claude-opus-5-5", 0.91, 10), provider: "anthropic" }
    ]))
  })
  afterAll(() => real.close())

  const install = async (service: { readonly url: string; readonly key: string }, ...more: ReadonlyArray<string>) => {
    Object.assign(world, createWorld(service))
    withTests(world)
    world.write(join(world.home, ".claude", "settings.json"), own)
    await Stage.install(world, "claude-code", ...more)
  }
  const claude = async (prompt: string, ...more: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await runCli(world, "claude", [
      "-p", prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events", "--permission-mode", "bypassPermissions", ...more
    ], { provider, environment: { IS_SANDBOX: "1" } })
    assert.strictEqual(code, 0, stderr + stdout)
    return stdout
  }
  /** The models and efforts that the provider saw of subagents. */
  const ranBy = () => provider.requests.filter(({ scenario }) => scenario === "tested").map(({ effort, model }) => `${model} ${effort}`)

  it("goes the whole way: question, pick, gate, report, another pick, and its settings back", async () => {
    await install({ url: real.baseUrl, key: real.apiKey })
    const picks: Array<string> = []
    for (let turn = 0; turn < 3; turn++) {
      await claude("Do it. scenario:spawn")
      picks.push(ranBy().at(-1) ?? "")
    }
    assert.strictEqual(real.asked.length, 3)
    assert.strictEqual(real.asked[0]?.baseline_model_id, "claude-opus-5-5")
    assert.deepStrictEqual(real.reports.map(({ answer, sent }) => [answer.accepted, sent.evidence_source, sent.iterations]), [
      [true, "gate", 2], [true, "gate", 2], [true, "gate", 2]
    ])
    // What ran is what is reported, and what was learned moves the pick: a failed gate sends it elsewhere.
    assert.deepStrictEqual(real.reports.map(({ sent }) => sent.chosen_model_id), picks.map((pick) => pick.split(" ")[0]))
    assert.deepStrictEqual(real.reports.map(({ sent }) => sent.outcome === "failure"), picks.map((pick) => pick.includes("haiku")))
    if (picks[0]?.includes("haiku")) assert.notInclude(picks.at(-1), "haiku")
    assert.deepStrictEqual(real.reports[0]?.answer.warnings.filter((word) => word.startsWith("unknown")), [])
    assert.strictEqual((await world.client(["agents", "uninstall"])).code, 0)
    assert.strictEqual(readFileSync(join(world.home, ".claude", "settings.json"), "utf8"), own)
    await claude("Do it. scenario:spawn")
    assert.strictEqual(real.asked.length, 3)
  })

  it("runs a subagent at the pick's effort, in the background too, and reports before the end", async () => {
    await install(fake)
    await claude("Do it. scenario:spawn")
    assert.deepStrictEqual(ranBy(), ["claude-haiku-5-5 low", "claude-haiku-5-5 low"])
    const [{ chosen_effort, chosen_model_id, evidence_source, outcome } = {}] = fake.reports()
    assert.deepStrictEqual([chosen_model_id, chosen_effort, outcome, evidence_source], ["claude-haiku-5-5", "low", "failure", "gate"])
  })

  it("is answered by our MCP server where it has that, without telling the model of the tool", async () => {
    withTests(world)
    const servers = join(world.project, ".mcp.json")
    world.write(servers, JSON.stringify({ mcpServers: { sextant: { command: process.execPath, args: [world.program, "mcp"] } } }))
    await Stage.install(world, "claude-code")
    const said = await claude("Do it. scenario:spawn", "--mcp-config", servers)
    assert.deepStrictEqual(ranBy(), ["claude-haiku-5-5 low", "claude-haiku-5-5 low"])
    assert.strictEqual(fake.reports().length, 1)
    assert.include(said, "mcp__sextant__recommend_model")
    assert.notInclude(said, "mcp__sextant__hook")
  })

  for (const mode of ["down", "silent", "garbage", 401, 500] as ReadonlyArray<Mode>) {
    it(`ends as without us while the service is ${mode}, and shows nothing of it`, async () => {
      await install(fake)
      if (mode === "silent") Stage.waits(world, 400)
      fake.set(mode)
      const said = await claude("Do it. scenario:spawn")
      assert.deepStrictEqual(ranBy().map((one) => one.split(" ")[0]), ["claude-opus-5-5", "claude-opus-5-5"])
      // The tool warns of a hook that fails, or is late.
      assert.notMatch(said, /usable answer|answer in time/)
      const answers = said.split("\n").filter((line) => line.includes("\"hook_response\"")).map((line) => JSON.parse(line))
      assert.deepStrictEqual(answers.map(({ exit_code, output, stderr }) => [exit_code, output, stderr]), answers.map(() => [0, "", ""]))
      assert.include(said, "The subagent is done.")
    })
  }

  it("ends as without us when the hook is broken, or gone", async () => {
    await install(fake)
    world.write(join(world.home, ".sextant", "agents", "Hooks.js"), "process.kill(process.pid, 'SIGKILL')")
    assert.include(await claude("Do it. scenario:spawn"), "The subagent is done.")
    world.write(join(world.home, ".sextant", "agents", "Hook.js"), "throw new Error('broken')")
    assert.include(await claude("Do it. scenario:spawn"), "The subagent is done.")
    assert.deepStrictEqual(new Set(ranBy().map((one) => one.split(" ")[0])), new Set(["claude-opus-5-5"]))
  })

  it("keeps a model that was named, and a rule that refuses the subagent", async () => {
    await install(fake)
    fake.name("claude-haiku-5-5")
    await claude("Do it. scenario:spawn-named")
    assert.deepStrictEqual(new Set(ranBy().map((one) => one.split(" ")[0])), new Set(["claude-opus-5-5"]))
    provider.requests.length = 0
    await claude("Do it. scenario:spawn", "--disallowedTools", "Agent", "Task")
    assert.deepStrictEqual(ranBy(), [])
  })

  it("in shadow runs as it would, and what ran is reported", async () => {
    await install(fake, "--shadow")
    await claude("Do it. scenario:spawn")
    assert.deepStrictEqual(new Set(ranBy().map((one) => one.split(" ")[0])), new Set(["claude-opus-5-5"]))
    assert.strictEqual(fake.questions()[0]?.["shadow"], true)
    assert.strictEqual(fake.reports()[0]?.["chosen_model_id"], "claude-opus-5-5")
  })

  it("runs by `run` on the pick, tries again only with --retry, and exits as the gate does", async () => {
    const run = (...args: ReadonlyArray<string>) =>
      world.client(["run", ...args, "--", "claude", "-p", "Do it. scenario:plain"], environmentOf(world, { provider, environment: {} }))
    const failed = await run("--gate", "exit 3")
    assert.strictEqual(failed.code, 3, failed.stderr)
    assert.strictEqual(failed.stdout, "Done.\n")
    assert.deepStrictEqual(provider.requests.map(({ effort, model }) => `${model} ${effort}`), ["claude-haiku-5-5 low"])
    const [question] = fake.questions()
    assert.deepStrictEqual([question?.["verification"], question?.["attempts"]], [undefined, undefined])
    const [report] = fake.reports()
    assert.deepStrictEqual([report?.["outcome"], report?.["evidence_source"], report?.["iterations"]], ["failure", "gate", 1])
    assert.isAbove(report?.["input_tokens"], 1_000)
    fake.sent.length = 0
    assert.strictEqual((await run("--retry", "--max-attempts", "2", "--gate", "exit 1")).code, 1)
    assert.deepStrictEqual(fake.questions().map(({ attempts, max_attempts, verification }) => [attempts?.length ?? 0, max_attempts, verification]), [
      [0, 2, { kind: "gate" }], [1, 1, { kind: "gate" }]
    ])
    assert.strictEqual(fake.reports().length, 2)
    fake.set("down")
    const alone = await run("--gate", "exit 1")
    assert.deepStrictEqual([alone.code, alone.stdout], [0, "Done.\n"])
    assert.match(alone.stderr, /as you typed it \(unreachable\)/)
  })
})
