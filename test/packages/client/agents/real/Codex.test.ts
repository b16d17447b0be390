// codex as npm has it: the main model by `run`, usage by its hook, spawned agents only where a person has opted in.
import { assert, beforeEach, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Stage from "../Stage.ts"
import { environmentOf, onStage, runCli, withCli } from "./Clis.ts"

withCli("codex", () => {
  const { provider, service: fake, world } = onStage("gpt-6-luna#low")
  beforeEach(() => {
    world.write(join(world.home, ".codex", "config.toml"), `model = "big"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.fake]
name = "fake"
base_url = "${provider.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[analytics]
enabled = false
`)
  })

  const exec = ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
  const run = (...args: ReadonlyArray<string>) =>
    world.client(["run", ...args], environmentOf(world, { provider }))
  const install = (...more: ReadonlyArray<string>) => Stage.install(world, "codex", ...more)

  it("runs by `run` on the pick, and reports the turns that it prints", async () => {
    const { code, stderr } = await run("--gate", "true", "--", "codex", ...exec, "Do it. scenario:plain")
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(provider.requests.map(({ effort, model }) => `${model} ${effort}`), ["gpt-6-luna low"])
    const [report] = fake.reports()
    assert.deepStrictEqual([report?.["outcome"], report?.["chosen_model_id"], report?.["chosen_effort"], report?.["iterations"]], ["success", "gpt-6-luna", "low", 1])
    assert.isAbove(report?.["cached_input_tokens"], 100)
  })

  it("reports by `run` what its hook saw of each call, where the tool prints nothing of it", async () => {
    await install()
    const quiet = exec.filter((word) => word !== "--json")
    const { code, stderr } = await run("--", "codex", ...quiet, "Do it. scenario:plain")
    assert.strictEqual(code, 0, stderr)
    assert.isAbove(fake.reports()[0]?.["input_tokens"], 1_000)
    assert.strictEqual(fake.reports()[0]?.["evidence_source"], "none")
  })

  it("leaves spawned agents alone, unless a person has opted in", async () => {
    await install()
    await runCli(world, "codex", [...exec, "Do it. scenario:spawn-wait"], { provider })
    assert.deepStrictEqual(new Set(provider.requests.map(({ model }) => model)), new Set(["big"]))
    assert.deepStrictEqual(fake.sent.filter(({ path }) => path !== "/v1/models"), [])
    await install("--rewrite-spawns")
    provider.requests.length = 0
    fake.sent.length = 0
    const { stdout } = await runCli(world, "codex", [...exec, "Do it. scenario:spawn-wait"], { provider })
    assert.include(provider.requests.map(({ effort, model }) => `${model} ${effort}`), "gpt-6-luna low", stdout)
    assert.strictEqual(fake.questions()[0]?.["baseline_model_id"], "big")
    const [report] = fake.reports()
    assert.deepStrictEqual([report?.["chosen_model_id"], report?.["outcome"], report?.["evidence_source"]], ["gpt-6-luna", "partial", "none"])
    assert.isAbove(report?.["input_tokens"], 1_000)
  })

  it("ends as without us while the service is down, and is afterwards as it was", async () => {
    await install("--rewrite-spawns")
    fake.set("down")
    const { code, stdout } = await runCli(world, "codex", [...exec, "Do it. scenario:spawn-wait"], { provider })
    assert.strictEqual(code, 0)
    assert.include(stdout, "The subagent is done.")
    assert.deepStrictEqual(new Set(provider.requests.map(({ model }) => model)), new Set(["big"]))
    assert.strictEqual((await world.client(["agents", "uninstall"])).code, 0)
    assert.isFalse(existsSync(join(world.home, ".codex", "hooks.json")))
  })
})
