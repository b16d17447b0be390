// What of a prompt is sent, and which commands are checks: pure functions of the hooks.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ranIn } from "../../../../packages/client/src/agents/ClaudeTranscript.ts"
import { defaultGates, isGate } from "../../../../packages/client/src/agents/Gates.ts"
import { isTask, taskTextOf } from "../../../../packages/client/src/agents/TaskText.ts"
import { modelsOf } from "../../../../packages/client/src/command/agents/Options.ts"
import { launchOf } from "../../../../packages/client/src/command/run/Launch.ts"

const gates = defaultGates.map((gate) => new RegExp(gate))

describe("a command", () => {
  for (const command of [
    "npm test", "npm run test -- --run", "pnpm test 2>&1", "cd app && npm test", "FAIL=1 npm test --silent", "npx vitest run",
    "npm test > log.txt 2>&1", "npm test && npm run lint", "python -m pytest -q;", "cargo test\n", "./gradlew clean test"
  ]) it(`is a check: ${JSON.stringify(command)}`, () => assert.isTrue(isGate(command, gates)))

  for (const command of [
    "npm test | tail -5", "npm test || true", "npm test; echo done", "npm test &", "npm test\necho done", "echo npm test",
    "git commit -m 'npm test passes'", "grep -r pytest .", "ls", "npm install", "cat notes && echo 'go test'", ""
  ]) it(`is none, or hides its exit code: ${JSON.stringify(command)}`, () => assert.isFalse(isGate(command, gates)))
})

describe("the text that is sent of a prompt", () => {
  it("is without what harnesses put into it, and without code, whether or not these end", () => {
    const text = (prompt: string) => taskTextOf("prompt", prompt)
    assert.strictEqual(text("a <system-reminder>x</system-reminder>b<local-command-stdout>y</local-command-stdout>"), "a b")
    assert.strictEqual(text("a\n```\nsecret\n```\nb ```js\nsecret"), "a\n[code, 3 lines]\nb [code, 2 lines]")
    assert.strictEqual(text("a <command-message>secret"), "a")
    assert.strictEqual(text("<session_context>secret</session_context>"), "(not sent)")
  })

  it("has at most 4,000 characters, none of which is half of one", () => {
    assert.strictEqual(taskTextOf("prompt", "a".repeat(3_999) + "😀").length, 4_000)
    assert.isTrue(taskTextOf("prompt", "a".repeat(3_999) + "😀").isWellFormed())
  })

  it("is read no further than 200,000 characters, also where these end within a harness's text", () => {
    assert.strictEqual(taskTextOf("prompt", `Fix it <system-reminder>${"x".repeat(200_000)}</system-reminder> and more`), "Fix it")
    assert.strictEqual(taskTextOf("prompt", `Fix it ${"`".repeat(6_000_000)}`).length, 4_000)
  })

  it("is a task unless it only says to go on, or tells of one that has ended", () => {
    for (const prompt of ["continue", "Go on.", "ok!", "", " \n", "<task-notification>done</task-notification>"]) assert.isFalse(isTask(prompt), prompt)
    for (const prompt of ["continue with the parser", "ok, but fix the test", "yes-no questions"]) assert.isTrue(isTask(prompt), prompt)
  })
})

describe("a transcript of Claude Code", () => {
  it("is read as the tool writes it", () => {
    const path = join(import.meta.dirname, "transcript.jsonl")
    const ran = ranIn(readFileSync(path, "utf8"), gates)
    assert.deepStrictEqual(ran, {
      modelId: "claude-opus-5-5", effort: "medium", calls: 2, latencyMs: 1_909, hasPassed: null, isBroken: false,
      tokens: { input: 15_022, cached: 9_012, cacheWrite: 1_501, output: 40, reasoning: 0 }
    })
  })
})

describe("names of models", () => {
  it("have the id of their last part, unless one is said", () => {
    assert.deepStrictEqual(modelsOf(" openai/gpt-5, mine=router/a/b ,x"), { "gpt-5": "openai/gpt-5", mine: "router/a/b", x: "x" })
  })
})

describe("the command line of an agent", () => {
  const pick = { recommendationId: "r", modelId: "m", model: "m", effort: "low", predictedSuccess: null, isWorthTrying: true }
  const read = (...[program = "", ...args]: ReadonlyArray<string>) => {
    const launch = launchOf(program, args)
    return launch === null ? null : [launch.prompt, launch.kept === null, launch.withPick(pick, "s").join(" ")]
  }

  it("has its task where the agent reads it, and takes the pick there", () => {
    assert.deepStrictEqual(read("claude", "-p", "do", "--verbose"), ["do", true, "-p do --verbose --model m --effort low --session-id s"])
    assert.deepStrictEqual(read("/bin/claude", "-p", "--verbose", "do"), ["do", true, "-p --verbose do --model m --effort low --session-id s"])
    assert.deepStrictEqual(read("claude", "--effort", "max", "--session-id", "x", "-p", "do")?.at(-1), "--effort max --session-id x -p do --model m")
    assert.deepStrictEqual(read("codex", "exec", "--json", "do"), ["do", true, "exec -m m -c model_reasoning_effort=low --json do"])
    assert.deepStrictEqual(read("opencode", "run", "do"), ["do", true, "run --model m --variant low do"])
    assert.strictEqual(read("vim", "file"), null)
  })

  it("keeps what a person named, and a session that has a model", () => {
    for (const args of [
      ["claude", "--model", "opus", "-p", "x"], ["claude", "--model=opus", "-p", "x"], ["claude", "-c", "-p", "x"], ["claude", "--resume=1", "-p", "x"],
      ["codex", "exec", "-m", "a", "x"], ["codex", "exec", "-c", "model=a", "x"], ["codex", "exec", "--profile", "p", "x"], ["codex", "exec", "resume", "x"],
      ["opencode", "run", "-m", "a/b", "x"], ["opencode", "run", "--agent", "plan", "x"], ["opencode", "run", "-s", "1", "x"]
    ]) assert.strictEqual(read(...args)?.[1], false, args.join(" "))
  })

  it("may have no task", () => {
    assert.deepStrictEqual([read("claude", "mcp", "list"), read("codex", "login"), read("opencode"), read("claude", "-p")].map((one) => one?.[0]), [null, null, null, null])
  })
})
