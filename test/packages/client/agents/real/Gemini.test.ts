// Gemini CLI as npm has it: one question per task, the pick in every request of it, and a person's own model kept.
import { assert, beforeEach, it } from "@effect/vitest"
import { join } from "node:path"
import type { Mode } from "../FakeSextant.ts"
import { install } from "../Stage.ts"
import { onStage, runCli, withCli, withTests } from "./Clis.ts"

const own = JSON.stringify({
  security: { auth: { selectedType: "gemini-api-key" } }, privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true, disableUpdateNag: true }, model: { name: "gemini-2.5-pro" }
})

withCli("gemini", () => {
  const { provider, service: fake, world } = onStage("gemini-2.5-flash")
  beforeEach(async () => {
    withTests(world)
    world.write(join(world.home, ".gemini", "settings.json"), own)
    await install(world, "gemini", "--models", "gemini-2.5-pro,gemini-2.5-flash", "--default", "gemini-2.5-pro")
    fake.sent.length = 0
  })

  const gemini = async (...args: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await runCli(world, "gemini", ["-y", ...args], { provider })
    assert.strictEqual(code, 0, stderr)
    return stdout
  }
  const ranBy = () => provider.requests.filter(({ scenario }) => scenario === "tested").map(({ model }) => model)

  it("is asked once, runs the task's every request on the pick, and reports gate and usage", async () => {
    assert.include(await gemini("-p", "Do it. scenario:tested"), "The tests fail.")
    assert.deepStrictEqual(ranBy(), ["gemini-2.5-flash", "gemini-2.5-flash"])
    assert.strictEqual(fake.questions().length, 1)
    assert.strictEqual(fake.questions()[0]?.["task"].task, "Do it. scenario:tested")
    const [report] = fake.reports()
    assert.deepStrictEqual([report?.["chosen_model_id"], report?.["outcome"], report?.["evidence_source"], report?.["iterations"]], ["gemini-2.5-flash", "failure", "gate", 2])
    assert.deepStrictEqual([report?.["output_tokens"], report?.["reasoning_tokens"]], [30, 6])
  })

  it("keeps a model that a person named", async () => {
    await gemini("-m", "gemini-2.5-flash-lite", "-p", "Do it. scenario:tested")
    assert.deepStrictEqual(new Set(ranBy()), new Set(["gemini-2.5-flash-lite"]))
  })

  for (const mode of ["down", "garbage", 401] as ReadonlyArray<Mode>) {
    it(`runs the default model while the service is ${mode}`, async () => {
      fake.set(mode)
      assert.include(await gemini("-p", "Do it. scenario:tested"), "The tests pass.")
      assert.deepStrictEqual(new Set(ranBy()), new Set(["gemini-2.5-pro"]))
    })
  }

  it("has afterwards the settings that it had", async () => {
    assert.strictEqual((await world.client(["agents", "uninstall"])).code, 0)
    assert.strictEqual(world.read(join(world.home, ".gemini", "settings.json")), own)
  })
})
