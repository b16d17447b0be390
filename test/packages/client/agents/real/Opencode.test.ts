// opencode as npm has it, with the plugin: `sextant/auto` among its models, and what may fail never fails a turn.
import { assert, beforeEach, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Mode } from "../FakeSextant.ts"
import { install, waits } from "../Stage.ts"
import { environmentOf, onStage, runCli, withCli, withTests } from "./Clis.ts"

withCli("opencode", () => {
  const { provider, service: fake, world } = onStage("small#low")
  beforeEach(async () => {
    withTests(world)
    const model = { name: "m", tool_call: true, reasoning: true, limit: { context: 200_000, output: 8_192 }, cost: { input: 1, output: 4, cache_read: 0.1 } }
    world.write(join(world.project, "opencode.json"), JSON.stringify({
      enabled_providers: ["fake", "sextant"], model: "sextant/auto", small_model: "fake/mid", share: "disabled", autoupdate: false,
      permission: { bash: "allow", edit: "allow" },
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible", name: "Fake", options: { baseURL: `${provider.url}/v1`, apiKey: "dummy" },
          models: { small: model, mid: model, big: model }
        }
      }
    }))
    await install(world, "opencode", "--models", "fake/small,fake/big,gone=fake/gone", "--default", "fake/big")
    fake.sent.length = 0
  })

  const opencode = async (prompt: string, ...more: ReadonlyArray<string>) => {
    const ended = await runCli(world, "opencode", ["run", prompt, "--format", "json", ...more], { provider })
    assert.strictEqual(ended.code, 0, ended.stderr + ended.stdout)
    return ended.stdout
  }
  /** The models that worked; `mid` writes titles. */
  const ranBy = () =>
    provider.requests.filter(({ model, scenario }) => scenario === "tested" && model !== "mid").map(({ effort, model }) => `${model} ${effort}`)

  it("runs sextant/auto on the pick at its effort, and reports usage, cost and the gate", async () => {
    await opencode("Do it. scenario:tested")
    assert.deepStrictEqual(ranBy(), ["small low", "small low"])
    assert.strictEqual(fake.questions()[0]?.["baseline_model_id"], "big")
    const [report] = fake.reports()
    assert.deepStrictEqual([report?.["chosen_model_id"], report?.["outcome"], report?.["evidence_source"], report?.["iterations"]], ["small", "failure", "gate", 2])
    assert.isAbove(report?.["actual_cost_usd"], 0)
    assert.isAbove(report?.["input_tokens"], report?.["cached_input_tokens"])
  })

  it("asks for a subagent by itself, whose parent runs sextant/auto", async () => {
    await opencode("Do it. scenario:spawn")
    assert.deepStrictEqual(fake.questions().map(({ task }) => task.tags[1]), ["agent:build", "agent:general"])
    assert.strictEqual(fake.reports().length, 2)
  })

  it("keeps a model that a person named", async () => {
    await opencode("Do it. scenario:tested", "--model", "fake/big")
    assert.deepStrictEqual(new Set(ranBy().map((one) => one.split(" ")[0])), new Set(["big"]))
    assert.deepStrictEqual(fake.sent, [])
  })

  for (const [what, mode, named] of [
    ["the service is down", "down", "small"], ["the service is silent", "silent", "small"], ["the key is refused", 401, "small"],
    ["the pick is no model of opencode", "up", "gone"]
  ] as ReadonlyArray<readonly [string, Mode, string]>) {
    it(`runs the default model when ${what}`, async () => {
      fake.set(mode)
      fake.name(named)
      if (mode === "silent") waits(world, 400)
      assert.include(await opencode("Do it. scenario:tested"), "The tests pass.")
      assert.deepStrictEqual(new Set(ranBy().map((one) => one.split(" ")[0])), new Set(["big"]))
    })
  }

  it("runs by `run` on the pick, and is afterwards as it was", async () => {
    assert.strictEqual((await world.client(["agents", "uninstall"])).code, 0)
    assert.isFalse(existsSync(join(world.home, ".config", "opencode", "plugin")))
    const { code, stderr } = await world.client(
      ["run", "--models", "fake/small,fake/big", "--gate", "true", "--", "opencode", "run", "--format", "json", "Do it. scenario:plain"],
      environmentOf(world, { provider })
    )
    assert.strictEqual(code, 0, stderr)
    assert.include(provider.requests.filter(({ scenario }) => scenario === "plain").map(({ effort, model }) => `${model} ${effort}`), "small low")
    const [report] = fake.reports()
    assert.deepStrictEqual([report?.["outcome"], report?.["chosen_model_id"]], ["success", "small"])
    assert.isAbove(report?.["actual_cost_usd"], 0)
  })
})
