// Claude Code's hooks as it starts them, against a service that records every byte: the rules that they keep to.
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Mode, startFakeSextant } from "./FakeSextant.ts"
import { staged, waits } from "./Stage.ts"
import { answered, commanded, spawnOf, stopOf } from "./World.ts"

const { service, world } = staged("claude-haiku-5-5#low", "claude-code")

const spawn = (input: Record<string, unknown> = {}, event: Record<string, unknown> = {}) =>
  world.hook("claude-code", spawnOf(world, input, event))

/** The whole of what a hook may say when it has nothing to say. */
const silent = { code: 0, stdout: "", stderr: "" }

describe("a subagent of Claude Code", () => {
  it("runs on the pick: the whole input goes back with the tool's own name of the model", async () => {
    const { code, stderr, stdout } = await spawn({ run_in_background: false })
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.deepStrictEqual(JSON.parse(stdout), {
      suppressOutput: true,
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        updatedInput: {
          description: "small job", prompt: "List the files here", subagent_type: "general-purpose",
          run_in_background: false, model: "haiku", effort: "low"
        }
      }
    })
  })

  it("is asked about as one run, against the model of its parent", async () => {
    const lines = [
      answered("1", [], { isSidechain: false, message: { id: "1", model: "claude-opus-5-5[1m]", content: [] } }),
      answered("2", [], { isSidechain: false, message: { id: "2", model: "<synthetic>", content: [] } })
    ]
    world.write(join(world.project, "transcript.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join("") + "{\"type\":\"assi")
    await spawn()
    const [{ task_id, ...question } = {}] = service.questions()
    assert.match(task_id, /^[0-9a-f]{32}$/)
    assert.deepStrictEqual(question, {
      task: { task: "List the files here", task_type: "code", unit: "run", tags: ["harness:claude-code", "agent:general-purpose"] },
      constraints: { candidate_models: ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-2"] },
      detail: "short", baseline_model_id: "claude-opus-5-5"
    })
  })

  for (const [what, input, environment] of [
    ["its model is named", { model: "opus" }, {}],
    ["it is a fork, which ignores a model", { subagent_type: "fork" }, {}],
    ["a default of all subagents is set", {}, { CLAUDE_CODE_SUBAGENT_MODEL: "sonnet" }],
    ["nobody here defines its type", { subagent_type: "some-plugin:reviewer" }, {}],
    ["it is told to go on", { prompt: "Continue." }, {}],
    ["its prompt is a notification", { prompt: "<task-notification>\n<result>secret</result>\n</task-notification>" }, {}]
  ] as const) {
    it(`is left alone, and not asked about, when ${what}`, async () => {
      assert.deepStrictEqual(await world.hook("claude-code", spawnOf(world, input), { environment }), silent)
      assert.deepStrictEqual(service.sent, [])
    })
  }

  it("keeps the model and effort of its definition, in the project, above it, or at home", async () => {
    const define = (folder: string, name: string, header: string) =>
      world.write(join(folder, ".claude", "agents", `${name}.md`), `---\nname: ${name}\ndescription: d\n${header}---\nBe good.\n`)
    define(world.project, "reviewer", "model: opus\n")
    define(world.home, "writer", "model: inherit\n")
    define(world.project, "tester", "effort: high\n")
    for (const subagent_type of ["reviewer", "writer"]) assert.deepStrictEqual(await spawn({ subagent_type }), silent)
    const { updatedInput } = JSON.parse((await spawn({ subagent_type: "tester" })).stdout).hookSpecificOutput
    assert.deepStrictEqual([updatedInput.model, updatedInput.effort], ["haiku", undefined])
    world.write(join(world.home, ".claude", "settings.local.json"), JSON.stringify({ subagentModel: "haiku" }))
    assert.deepStrictEqual(await spawn(), silent)
  })

  it("keeps an effort that the input names", async () => {
    const { hookSpecificOutput } = JSON.parse((await spawn({ effort: "max" })).stdout)
    assert.deepStrictEqual([hookSpecificOutput.updatedInput.model, hookSpecificOutput.updatedInput.effort], ["haiku", "max"])
  })

  for (const name of ["claude-opus-9", "claude-haiku-5-5#heroic", "gpt-5"]) {
    it(`runs as asked when the service names ${name}, which the tool does not take`, async () => {
      service.name(name)
      assert.deepStrictEqual(await spawn(), silent)
    })
  }

  for (const mode of ["down", "silent", "garbage", "redirect", "huge", 401, 429, 500] as ReadonlyArray<Mode>) {
    it(`runs as asked, in silence, while the service is ${mode}`, async () => {
      service.set(mode)
      if (mode === "silent") waits(world, 700)
      assert.deepStrictEqual(await spawn(), silent)
      assert.isTrue(service.sent.length === 1 || mode === "silent")
      assert.match(world.state().at(-1)?.["reason"], /^(unreachable|timeout|invalid_answer|http_\d+)$/)
    })
  }

  it("runs as asked when the hook is killed, and when its input or its settings are broken", async () => {
    assert.strictEqual((await world.hook("claude-code", spawnOf(world), { signal: "SIGKILL" })).stdout, "")
    for (const event of ["", "no JSON", "[]", "null", "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Agent\",\"tool_input\":[1]}"]) {
      assert.deepStrictEqual(await world.hook("claude-code", event), silent, event)
    }
    assert.deepStrictEqual(await world.hook("nothing", spawnOf(world)), silent)
    for (const text of ["{", "{}", "{\"url\":\"file:///etc\"}", "{\"url\":\"http://127.0.0.1:1\",\"gates\":[\"(\"]}"]) {
      world.write(join(world.home, ".sextant", "agents.json"), text)
      assert.deepStrictEqual(await spawn(), silent, text)
    }
    assert.deepStrictEqual(service.questions().length <= 1, true)
  })

  it("runs as asked when what is remembered of its session cannot be written", async () => {
    const session = join(world.home, ".sextant", "agents-state", "a7ca9c2b-13ef-45e2-9782-b50bb3651db0.jsonl")
    mkdirSync(session, { recursive: true })
    assert.deepStrictEqual(await spawn(), silent)
    rmSync(dirname(session), { recursive: true })
    world.write(dirname(session), "")
    assert.deepStrictEqual(await spawn(), silent)
  })

  it("in shadow is asked about and left alone", async () => {
    await world.client(["agents", "install", "claude-code", "--shadow"])
    service.sent.length = 0
    assert.deepStrictEqual(await spawn(), silent)
    assert.strictEqual(service.questions()[0]?.["shadow"], true)
  })
})

describe("what leaves the machine", () => {
  const prompt = [
    "Fix the parser.", "<system-reminder>private rules</system-reminder>", "```ts\nconst secret = 1\nconst code = 2\n```",
    "<command-name>/secret</command-name>", "Then stop.", "<session_context>private</session_context>"
  ].join("\n")

  it("are the words of the prompt, to the configured address and with the key alone", async () => {
    const other = await startFakeSextant()
    const environment = { SEXTANT_URL: other.url, http_proxy: other.url, HTTP_PROXY: other.url, USER: "private-user" }
    await world.hook("claude-code", spawnOf(world, { prompt, description: "private description" }), { environment })
    const report = stopOf(world, [...commanded("c1", "cat /private/path && npm test", true), answered("m2", [{ type: "text", text: "private answer" }])])
    await world.hook("claude-code", report, { environment })
    other.close()
    assert.deepStrictEqual(other.sent, [])
    assert.deepStrictEqual(service.sent.map(({ path }) => path), ["/v1/recommend", "/v1/feedback"])
    assert.deepStrictEqual(service.questions()[0]?.["task"].task, "Fix the parser.\n\n[code, 4 lines]\n\nThen stop.")
    const headers = new Set(service.sent.flatMap((one) => Object.keys(one.headers)))
    assert.deepStrictEqual([...headers].sort(), ["authorization", "connection", "content-length", "content-type", "host"])
    const all = service.sent.map(({ headers, text }) => text + JSON.stringify(headers)).join("\n")
    for (const word of ["private", "secret", "/secret", world.home, world.project, "toolu_1", "a7ca9c2b", "\"a1\"", "npm"]) {
      assert.notInclude(all, word)
    }
  })

  for (const [kind, text] of [["description", "small job"], ["none", "(not sent)"]] as const) {
    it(`is of a prompt no word when --task-text is ${kind}`, async () => {
      await world.client(["agents", "install", "claude-code", "--task-text", kind])
      service.sent.length = 0
      await spawn({ prompt })
      assert.strictEqual(service.questions()[0]?.["task"].task, text)
    })
  }

  it("is of a long prompt its first 4,000 characters", async () => {
    await spawn({ prompt: "word ".repeat(10_000) })
    assert.strictEqual(service.questions()[0]?.["task"].task.length, 4_000)
  })

  it("goes where the settings say, whatever a project's variables say", async () => {
    const path = join(world.home, ".sextant", "agents.json")
    writeFileSync(path, readFileSync(path, "utf8").replace(service.url, "http://127.0.0.1:9"))
    assert.deepStrictEqual(await world.hook("claude-code", spawnOf(world), { environment: { SEXTANT_URL: service.url } }), silent)
    assert.deepStrictEqual(service.sent, [])
    writeFileSync(path, readFileSync(path, "utf8").replace("http://127.0.0.1:9", service.url))
    await world.hook("claude-code", spawnOf(world), { environment: { SEXTANT_KEY: "sxt_other_k1_0" } })
    assert.deepStrictEqual(service.sent.map(({ headers }) => headers.authorization), [`Bearer ${service.key}`])
  })
})

describe("the report of a subagent", () => {
  const stop = (lines: ReadonlyArray<unknown>, toolUseId?: string) => world.hook("claude-code", stopOf(world, lines, toolUseId))

  it("is of what ran: each message once, the whole input, and the verdict of the last check", async () => {
    await spawn()
    const done = answered("m9", [{ type: "text", text: "Done" }])
    const lines = [...commanded("c1", "npm test", true), ...commanded("c2", "ls", true), ...commanded("c3", "npm test 2>&1", false), done, done]
    assert.deepStrictEqual(await stop(lines), silent)
    assert.deepStrictEqual(service.reports(), [{
      recommendation_id: "rec-1", chosen_model_id: "claude-haiku-5-5", chosen_effort: "low",
      outcome: "success", evidence_source: "gate",
      input_tokens: 1_680, cached_input_tokens: 1_200, cache_write_input_tokens: 80, output_tokens: 40, reasoning_tokens: 16,
      iterations: 4, signals: { ended: "finished" }, latency_ms: 6_000, idempotency_key: "rec-1:4"
    }])
  })

  it("has a verdict only where a check's own exit code was seen, and names an outage as one", async () => {
    await spawn()
    const verdict = async (lines: ReadonlyArray<unknown>) => {
      await stop(lines)
      const { error_cause, evidence_source, outcome } = service.reports().at(-1) ?? {}
      return [outcome, evidence_source ?? error_cause]
    }
    assert.deepStrictEqual(await verdict(commanded("c", "npm test", true)), ["failure", "gate"])
    assert.deepStrictEqual(await verdict(commanded("c", "npm test | tail -3", false)), ["partial", "none"])
    assert.deepStrictEqual(await verdict(commanded("c", "npm test || true", false)), ["partial", "none"])
    assert.deepStrictEqual(await verdict([answered("m", [])]), ["partial", "none"])
    const failed = { type: "assistant", isApiErrorMessage: true, message: { id: "e", model: "<synthetic>", content: [], usage: {} } }
    assert.deepStrictEqual(await verdict([answered("m", []), failed]), ["failure", "infra"])
  })

  it("names the model that ran, whatever was named", async () => {
    await spawn()
    await stop([answered("m", [], { message: { id: "m", model: "claude-opus-5-5", content: [], usage: {} } })])
    assert.strictEqual(service.reports()[0]?.["chosen_model_id"], "claude-opus-5-5")
  })

  it("makes the same prompt that comes again the next attempt at one task", async () => {
    await spawn()
    await stop(commanded("c", "npm test", true))
    await spawn({}, { tool_use_id: "toolu_2" })
    const [first, second] = service.questions()
    assert.strictEqual(first?.["task_id"], second?.["task_id"])
    assert.deepStrictEqual([first?.["attempts"], second?.["attempts"]], [undefined, [{ recommendation_id: "rec-1" }]])
    // Nobody tries again by a plan: a cheap first try, which is right in one, would be wrong here.
    assert.deepStrictEqual([first?.["verification"], second?.["verification"]], [undefined, undefined])
  })

  it("is of nothing that was not asked about, and is no reason to hold the tool up", async () => {
    assert.deepStrictEqual(await stop([answered("m", [])], "toolu_other"), silent)
    assert.deepStrictEqual(service.sent, [])
    await spawn()
    for (const mode of ["down", 401, "garbage"] as ReadonlyArray<Mode>) {
      service.set(mode)
      assert.deepStrictEqual(await stop([answered("m", [])]), silent)
    }
  })

  it("leaves ids and numbers behind, and no word", async () => {
    await spawn({ prompt: "private words" })
    await stop([...commanded("c", "npm test private", false)])
    const rows = world.state()
    assert.deepStrictEqual(rows.map(({ kind }) => kind), ["asked", "reported"])
    assert.notMatch(JSON.stringify(rows), /private|secret|npm|small job/)
  })
})
