// opencode's plugin, called as opencode calls it, in a process of its own: nothing that fails reaches the turn.
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { join } from "node:path"
import type { Mode } from "./FakeSextant.ts"
import { staged } from "./Stage.ts"

const { service, world } =
  staged("small#low", "opencode", "--models", "fake/small,fake/big,gone=fake/gone", "--default", "fake/big")

/** Runs a script with the plugin's hooks; yields what `show` was given. */
const inOpencode = (script: string): Promise<any> =>
  new Promise((resolve, reject) => {
    const plugin = join(world.home, ".sextant", "agents", "Opencode.js")
    const whole = `
      import { Sextant } from ${JSON.stringify(plugin)}
      const config = { providers: async () => ({ data: { providers: [{ id: "fake", models: { small: {}, big: {} } }] } }) }
      const hooks = await Sextant({ client: { config } })
      const message = (fields = {}) => ({ id: "m1", sessionID: "s1", agent: "build", model: { providerID: "sextant", modelID: "auto" }, ...fields })
      const send = async (one, text = "Fix the parser") => {
        await hooks["chat.message"]({}, { message: one, parts: [{ type: "text", text }, { type: "text", text: "private", synthetic: true }] })
        return one.model
      }
      const tell = (info) => hooks.event({ event: { type: "message.updated", properties: { sessionID: "s1", info } } })
      const answer = (id, more = {}) => ({
        id, parentID: "m1", role: "assistant", providerID: "fake", modelID: "small", cost: 0.5, time: { created: 1, completed: 2 },
        tokens: { input: 40, output: 7, reasoning: 3, cache: { read: 50, write: 10 } }, ...more
      })
      const show = (value) => console.log(JSON.stringify(value))
      ${script}`
    const child = spawn(process.execPath, ["--input-type=module", "-e", whole], {
      env: { PATH: process.env["PATH"] ?? "", HOME: world.home }
    })
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (chunk) => stdout += chunk)
    child.stderr.on("data", (chunk) => stderr += chunk)
    child.once("close", (code) => code === 0 && stdout !== "" ? resolve(JSON.parse(stdout)) : reject(new Error(stderr)))
  })

describe("the plugin of opencode", () => {
  it("adds sextant/auto to the models, and keeps those that there are", async () => {
    const { provider } = await inOpencode("const c = { provider: { fake: { models: {} } } }; await hooks.config(c); show(c)")
    assert.deepStrictEqual([Object.keys(provider), Object.keys(provider.sextant.models)], [["fake", "sextant"], ["auto"]])
  })

  it("names the model and the variant of a message, and of a subagent that inherits them", async () => {
    const models = await inOpencode(`
      const first = await send(message())
      await hooks.event({ event: { type: "session.created", properties: { info: { id: "s2", parentID: "s1" } } } })
      const inherited = await send(message({ id: "m2", sessionID: "s2", model: { providerID: "fake", modelID: "small" } }))
      await hooks.event({ event: { type: "session.created", properties: { info: { id: "s3", parentID: "s1" } } } })
      const defined = await send(message({ id: "m3", sessionID: "s3", model: { providerID: "fake", modelID: "own" } }))
      show([first, inherited, defined])`)
    assert.deepStrictEqual(models, [
      { providerID: "fake", modelID: "small", variant: "low" }, { providerID: "fake", modelID: "small", variant: "low" },
      { providerID: "fake", modelID: "own" }
    ])
    assert.strictEqual(service.questions().length, 2)
    assert.notInclude(JSON.stringify(service.sent), "private")
  })

  it("leaves a session alone whose model a person named, and asks nothing when told to go on", async () => {
    const [named, onward] = await inOpencode(`
      show([await send(message({ model: { providerID: "fake", modelID: "small" } })), await send(message({ id: "m2" }), "continue")])`)
    assert.deepStrictEqual([named, onward], [{ providerID: "fake", modelID: "small" }, { providerID: "fake", modelID: "big" }])
    assert.deepStrictEqual(service.sent, [])
  })

  for (const [mode, name] of [
    ["down", "small"], ["garbage", "small"], [401, "small"], [500, "small"], ["up", "gone"], ["up", "never-heard-of"]
  ] as ReadonlyArray<readonly [Mode, string]>) {
    it(`runs the default model while the service is ${mode} and names ${name}`, async () => {
      service.set(mode)
      service.name(name)
      assert.deepStrictEqual(await inOpencode("show(await send(message()))"), { providerID: "fake", modelID: "big" })
    })
  }

  it("never throws, whatever it is given", async () => {
    assert.strictEqual(await inOpencode(`
      await hooks["tool.execute.after"]({}, {})
      await hooks["tool.execute.after"](null, null)
      for (const event of [{}, { type: "message.updated" }, { type: "message.updated", properties: { info: { role: "assistant" } } }]) await hooks.event({ event })
      await hooks.config({ provider: Object.freeze({}) })
      await hooks["chat.message"]({}, { message: message(), parts: [null] })
      show("alive")`), "alive")
  })

  it("reports a message's calls once each, their cost, and the exit code of its check", async () => {
    await inOpencode(`
      await send(message())
      await tell(answer("a1", { finish: "tool-calls" }))
      await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s1", args: { command: "npm test" } }, { metadata: { exit: 1, output: "private" } })
      await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s1", args: { command: "ls" } }, { metadata: { exit: 0 } })
      await tell({ ...answer("a2"), time: { created: 1 } })
      for (const times of [1, 2]) await tell(answer("a2", { finish: "stop" }))
      show("done")`)
    const [{ latency_ms, ...report } = {}] = service.reports()
    assert.isAtLeast(latency_ms, 0)
    assert.deepStrictEqual(report, {
      recommendation_id: "rec-1", chosen_model_id: "small", chosen_effort: "low", outcome: "failure", evidence_source: "gate",
      input_tokens: 200, cached_input_tokens: 100, cache_write_input_tokens: 20, output_tokens: 20, reasoning_tokens: 6, iterations: 2, signals: { ended: "finished" },
      actual_cost_usd: 1, idempotency_key: "rec-1:2"
    })
    assert.strictEqual(service.reports().length, 1)
    assert.notInclude(JSON.stringify(service.sent), "private")
  })
})
