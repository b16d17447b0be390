// codex's hooks on the events that it sends: what is asked and reported, and what is never granted.
import { assert, describe, it } from "@effect/vitest"
import { install, staged } from "./Stage.ts"
import { createWorld } from "./World.ts"

const { service, world } = staged("gpt-6-luna#low", "codex", "--rewrite-spawns")

const silent = { code: 0, stdout: "", stderr: "" }
const event = (name: string, more: Record<string, unknown> = {}) => ({
  session_id: "s", turn_id: "t", transcript_path: "/private/rollout.jsonl", cwd: "/private", hook_event_name: name, model: "big",
  permission_mode: "default", ...more
})
const spawnWith = (input: Record<string, unknown>) =>
  event("PreToolUse", { tool_name: "spawn_agent", tool_use_id: "call_1", tool_input: { message: "List the files", ...input } })
const callBy = (agent: string | undefined, more: Record<string, unknown> = {}) =>
  event("PostModelRequest", {
    agent_id: agent, model: "gpt-6-luna", status: "completed", error: null,
    token_usage: { input_tokens: 100, cached_input_tokens: 60, cache_write_input_tokens: 5, output_tokens: 10, reasoning_output_tokens: 3 }, ...more
  })

describe("an agent that codex spawns", () => {
  it("runs on the pick only where a person has opted in, and then alone is allowed", async () => {
    const plain = createWorld(service)
    await install(plain, "codex")
    service.sent.length = 0
    assert.deepStrictEqual(await plain.hook("codex", spawnWith({})), silent)
    assert.deepStrictEqual(service.sent, [])
    const { stdout } = await world.hook("codex", spawnWith({ agent_type: "worker" }))
    assert.deepStrictEqual(JSON.parse(stdout), {
      hookSpecificOutput: {
        hookEventName: "PreToolUse", permissionDecision: "allow",
        updatedInput: { message: "List the files", agent_type: "worker", model: "gpt-6-luna", reasoning_effort: "low" }
      }
    })
    assert.deepStrictEqual(service.questions()[0]?.["task"], {
      task: "List the files", task_type: "code", unit: "run", tags: ["harness:codex", "agent:worker"]
    })
  })

  it("is neither allowed nor rewritten where there is no pick, and keeps a model that is named", async () => {
    assert.deepStrictEqual(await world.hook("codex", spawnWith({ model: "big" })), silent)
    for (const name of ["unknown", "gpt-6-luna#heroic"]) {
      service.name(name)
      assert.deepStrictEqual(await world.hook("codex", spawnWith({})), silent)
    }
    for (const mode of ["down", "garbage", 401] as const) {
      service.set(mode)
      assert.deepStrictEqual(await world.hook("codex", spawnWith({})), silent)
    }
  })

  it("is reported by its own calls, without a verdict, since no exit code is seen", async () => {
    await world.hook("codex", spawnWith({}))
    await world.hook("codex", event("PostToolUse", {
      tool_name: "spawn_agent", tool_use_id: "call_1", tool_input: {}, tool_response: "{\"agent_id\":\"a1\",\"nickname\":\"Kant\"}"
    }))
    for (const agent of ["a1", "a1", "a2", undefined]) assert.deepStrictEqual(await world.hook("codex", callBy(agent)), silent)
    await world.hook("codex", event("SubagentStop", { agent_id: "a1", model: "gpt-6-luna", last_assistant_message: "private" }))
    const [{ latency_ms, ...report } = {}] = service.reports()
    assert.isAtLeast(latency_ms, 0)
    assert.deepStrictEqual(report, {
      recommendation_id: "rec-1", chosen_model_id: "gpt-6-luna", chosen_effort: "low", outcome: "partial", evidence_source: "none",
      input_tokens: 200, cached_input_tokens: 120, cache_write_input_tokens: 10, output_tokens: 20, reasoning_tokens: 6,
      iterations: 2, signals: { ended: "finished" }, idempotency_key: "rec-1:2"
    })
    assert.notInclude(JSON.stringify(service.sent.map(({ headers, text }) => [headers, text])), "private")
    await world.hook("codex", callBy("a1", { status: "failed", token_usage: null }))
    await world.hook("codex", event("SubagentStop", { agent_id: "a1", model: "gpt-6-luna" }))
    assert.strictEqual(service.reports()[1]?.["error_cause"], "infra")
  })
})
