// Gemini CLI's hooks on the events that it sends: one question per task, whatever the number of requests.
import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { staged } from "./Stage.ts"

const { service, world } = staged("flash", "gemini", "--models", "pro,flash", "--default", "pro")

const silent = { code: 0, stdout: "", stderr: "" }
const hook = (name: string, more: Record<string, unknown> = {}) =>
  world.hook("gemini", {
    session_id: "s", transcript_path: join(world.project, "chat.jsonl"), cwd: world.project, hook_event_name: name, ...more
  })
const request = (model: string) =>
  hook("BeforeModel", { llm_request: { model, messages: [{ role: "user", content: "private" }], config: {} } })
const picked = JSON.stringify({ hookSpecificOutput: { hookEventName: "BeforeModel", llm_request: { model: "flash" } } })

describe("a task of Gemini CLI", () => {
  it("is asked about once, runs on the pick in every request, and keeps it when told to go on", async () => {
    assert.deepStrictEqual(await hook("BeforeAgent", { prompt: "Fix it" }), silent)
    for (let times = 0; times < 2; times++) assert.strictEqual((await request("pro")).stdout, picked)
    await hook("BeforeAgent", { prompt: "continue" })
    assert.strictEqual((await request("pro")).stdout, picked)
    assert.strictEqual(service.sent.length, 1)
    assert.strictEqual(service.questions()[0]?.["baseline_model_id"], "pro")
    await hook("BeforeAgent", { prompt: "Now the other one" })
    assert.strictEqual(service.questions()[1]?.["incumbent_model_id"], "flash")
    assert.notInclude(JSON.stringify(service.sent), "private")
  })

  it("keeps a model that is not the default one, which a person or the tool itself has chosen", async () => {
    await hook("BeforeAgent", { prompt: "Fix it" })
    assert.deepStrictEqual(await request("flash-lite"), silent)
  })

  it("runs as without us while the service fails, also after a task that had a pick", async () => {
    await hook("BeforeAgent", { prompt: "Fix it" })
    for (const mode of ["down", "garbage", 401] as const) {
      service.set(mode)
      assert.deepStrictEqual(await hook("BeforeAgent", { prompt: `Fix ${mode}` }), silent)
      assert.deepStrictEqual(await request("pro"), silent)
    }
  })

  it("is reported from the chat's record since it began: each answer once, and its last check", async () => {
    const answer = (id: string, at: number, more: Record<string, unknown> = {}) => ({
      id, timestamp: new Date(at).toISOString(), type: "gemini", model: "flash", content: "private",
      tokens: { input: 100, output: 10, cached: 60, thoughts: 3, tool: 0, total: 113 }, ...more
    })
    const ran = (output: string, command = "npm test") => ({
      toolCalls: [{ name: "run_shell_command", args: { command }, status: "success", result: [{ functionResponse: { response: { output } } }] }]
    })
    await hook("BeforeAgent", { prompt: "Fix it" })
    const now = Date.now() + 1_000
    const rows = [
      answer("old", 1), answer("a", now), answer("a", now, ran("Output: FAIL\nExit Code: 1")), answer("b", now, ran("Output: ok", "ls")), answer("c", now)
    ]
    world.write(join(world.project, "chat.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""))
    assert.deepStrictEqual(await hook("AfterAgent", { prompt: "Fix it", prompt_response: "private" }), silent)
    const [{ latency_ms, ...report } = {}] = service.reports()
    assert.isAtLeast(latency_ms, 0)
    assert.deepStrictEqual(report, {
      recommendation_id: "rec-1", chosen_model_id: "flash", outcome: "failure", evidence_source: "gate", input_tokens: 300,
      cached_input_tokens: 180, cache_write_input_tokens: 0, output_tokens: 39, reasoning_tokens: 9, iterations: 3, signals: { ended: "finished" }, idempotency_key: "rec-1:3"
    })
  })
})
