// `sextant-client agents`: what it writes, what it refuses, and that a settings file is afterwards what it was.
import { assert, describe, it } from "@effect/vitest"
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { withHooks, withoutHooks } from "../../../../packages/client/src/command/agents/HookEntries.ts"
import { toolNames } from "../../../../packages/client/src/agents/Settings.ts"
import { staged, waits } from "./Stage.ts"
import { spawnOf } from "./World.ts"

const { service, world } = staged()

const models = ["--models", "fake/small,big-id=fake/big", "--default", "fake/big"]
const argumentsOf = (tool: string) => ["opencode", "gemini"].includes(tool) ? [tool, ...models] : [tool]
const install = async (tool: string, ...more: ReadonlyArray<string>) => {
  const ended = await world.client(["agents", "install", ...argumentsOf(tool), ...more])
  assert.strictEqual(ended.code, 0, ended.stderr)
  return ended.stdout
}

/** Where each tool's file is, at home and in a project. */
const paths = {
  "claude-code": [".claude/settings.json", ".claude/settings.local.json"],
  codex: [".codex/hooks.json", ".codex/hooks.json"],
  gemini: [".gemini/settings.json", ".gemini/settings.json"],
  opencode: [".config/opencode/plugin/sextant.js", ".opencode/plugin/sextant.js"]
} as const

/** All files below a folder. */
const filesOf = (folder: string): ReadonlyArray<string> =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).sort() : []

/** Settings in which a person has hooks, in several hands. */
const texts: Readonly<Record<string, string>> = {
  "nothing but braces": "{}",
  "one line": "{\"model\":\"opus\",\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
  "tabs and no end of line": "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}",
  "ends of lines of Windows": "{\r\n    \"hooks\": {},\r\n    \"a\": [1, 2.50, \"\\u00e9 \\\" } ]\"]\r\n}\r\n",
  "odd spacing": "\n {  \"hooks\" : { \"SubagentStop\" : [ ] , \"PreToolUse\":[{\"hooks\":[]}  ] } , \"z\": 1e3 }\n\n"
}

describe("agents install, and uninstall", () => {
  for (const tool of toolNames.filter((name) => name !== "opencode")) {
    // The edit is the same for all tools.
    for (const [what, text] of Object.entries(texts).slice(tool === "claude-code" ? 0 : -1)) {
      it(`leave ${tool}'s settings of ${what} byte for byte`, async () => {
        const path = world.write(join(world.home, paths[tool][0]), text)
        await install(tool)
        const between = readFileSync(path, "utf8")
        assert.include(between, "--sextant-agents")
        for (const [name, value] of Object.entries(JSON.parse(text))) {
          if (name !== "hooks") assert.deepStrictEqual(JSON.parse(between)[name], value)
        }
        // Twice is as good as once.
        await install(tool)
        assert.strictEqual(readFileSync(path, "utf8"), between)
        assert.strictEqual((await world.client(["agents", "uninstall"])).code, 0)
        assert.strictEqual(readFileSync(path, "utf8"), text)
        assert.isFalse(existsSync(join(world.home, ".sextant")))
      })
    }
  }

  for (const tool of toolNames) {
    for (const [at, where] of ["home", "project"].entries()) {
      it(`leave no file behind of ${tool} at the ${where}, where there was none`, async () => {
        const folder = where === "home" ? world.home : world.project
        await install(tool, ...where === "home" ? [] : ["--project"])
        assert.include(readFileSync(join(folder, paths[tool][at] ?? ""), "utf8"), "--sextant-agents")
        await world.client(["agents", "uninstall", tool])
        assert.deepStrictEqual([filesOf(world.home), filesOf(world.project)], [[], []])
      })
    }
  }

  it("take out one tool, and leave the others", async () => {
    await install("claude-code")
    await install("codex")
    waits(world, 30_000)
    await world.client(["agents", "uninstall", "codex"])
    assert.isFalse(existsSync(join(world.home, ".codex")))
    assert.include(world.read(join(world.home, paths["claude-code"][0])), "--sextant-agents")
    assert.match((await world.hook("claude-code", spawnOf(world))).stdout, /"haiku"/)
    assert.match((await world.client(["agents", "uninstall"])).stdout, /removed/)
    assert.match((await world.client(["agents", "uninstall"])).stdout, /nothing was installed/)
  })

  it("keep what a person has added or formatted since", async () => {
    const path = world.write(join(world.home, paths["claude-code"][0]), texts["tabs and no end of line"] ?? "")
    await install("claude-code")
    const value = JSON.parse(readFileSync(path, "utf8"))
    const own = { matcher: "Agent", hooks: [{ type: "command", command: "own" }] }
    value.hooks.PreToolUse.unshift(own)
    value.hooks.PreToolUse[1].hooks.push({ type: "command", command: "beside ours" })
    world.write(path, JSON.stringify(value, null, 8))
    await world.client(["agents", "uninstall"])
    assert.deepStrictEqual(JSON.parse(readFileSync(path, "utf8")), {
      model: "opus",
      hooks: {
        Stop: [],
        PreToolUse: [own, { matcher: "Agent|Task", hooks: [{ type: "command", command: "beside ours" }] }]
      }
    })
  })

  it("keep a link a link, and a file's mode", async () => {
    const real = world.write(join(world.project, "dotfiles", "settings.json"), "{}")
    world.write(join(world.home, ".claude", "keep"), "")
    symlinkSync(real, join(world.home, paths["claude-code"][0]))
    await install("claude-code")
    assert.isTrue(lstatSync(join(world.home, paths["claude-code"][0])).isSymbolicLink())
    assert.include(readFileSync(real, "utf8"), "--sextant-agents")
    await world.client(["agents", "uninstall"])
    assert.strictEqual(readFileSync(real, "utf8"), "{}")
  })

  it("refuse to leave hooks in settings that somebody has broken, and remove them once mended", async () => {
    const path = world.write(join(world.home, paths["claude-code"][0]), "{}")
    await install("claude-code")
    const whole = readFileSync(path, "utf8")
    world.write(path, `${whole}}`)
    const { code, stderr } = await world.client(["agents", "uninstall"])
    assert.deepStrictEqual([code, stderr.includes(path)], [1, true])
    assert.isTrue(existsSync(join(world.home, ".sextant", "agents", "Hook.js")))
    world.write(path, whole)
    assert.strictEqual((await world.client(["agents", "uninstall"])).code, 0)
    assert.strictEqual(readFileSync(path, "utf8"), "{}")
  })

  it("say in one line that a file is a folder, and that there is nothing to take out", async () => {
    await install("codex")
    assert.include((await world.client(["agents", "uninstall", "gemini"])).stdout, "nothing was installed")
    world.write(join(world.home, paths["claude-code"][0], "file"), "")
    const { code, stderr } = await world.client(["agents", "install", "claude-code"])
    assert.deepStrictEqual([code, stderr.trim().split("\n").length], [1, 1], stderr)
  })
})

describe("agents install", () => {
  for (
    const text of ["", "{", "// a comment\n{}", "[]", "{\"hooks\":[]}", "{\"hooks\":{\"PreToolUse\":{}}}"]
  ) {
    it(`refuses settings that are ${JSON.stringify(text)}, and writes nothing`, async () => {
      const path = world.write(join(world.home, paths["claude-code"][0]), text)
      const { code, stderr } = await world.client(["agents", "install", "claude-code"])
      assert.strictEqual(code, 1)
      assert.include(stderr, path)
      assert.strictEqual(readFileSync(path, "utf8"), text)
      assert.isFalse(existsSync(join(world.home, ".sextant")))
    })
  }

  it("refuses a plugin's file that is somebody else's, and settings of ours that are broken", async () => {
    const plugin = world.write(join(world.home, paths.opencode[0]), "export const Own = 1\n")
    assert.strictEqual((await world.client(["agents", "install", ...argumentsOf("opencode")])).code, 1)
    assert.strictEqual(readFileSync(plugin, "utf8"), "export const Own = 1\n")
    const own = world.write(join(world.home, ".sextant", "agents.json"), "{ broken")
    for (const verb of [["install", "codex"], ["status"], ["uninstall"]]) {
      assert.strictEqual((await world.client(["agents", ...verb])).code, 1)
    }
    assert.strictEqual(readFileSync(own, "utf8"), "{ broken")
  })

  it("writes nothing with --dry-run, and says what it would write", async () => {
    const path = world.write(join(world.home, paths["claude-code"][0]), "{}")
    const said = await install("claude-code", "--dry-run")
    assert.include(said, path)
    assert.include(said, "Agent|Task")
    assert.deepStrictEqual(filesOf(world.home), [".claude", ".claude/settings.json"])
    assert.strictEqual(readFileSync(path, "utf8"), "{}")
    assert.notInclude(said, service.key)
  })

  it("keeps the key and the settings from others, and the key out of the settings", async () => {
    for (const name of ["agents.json", "agents-key"]) {
      chmodSync(world.write(join(world.home, ".sextant", name), "{}"), 0o644)
    }
    await install("claude-code")
    for (const name of ["agents.json", "agents-key"]) {
      assert.strictEqual(statSync(join(world.home, ".sextant", name)).mode & 0o777, 0o600)
    }
    assert.notInclude(world.read(join(world.home, ".sextant", "agents.json")), service.key)
    assert.notInclude(world.read(join(world.home, paths["claude-code"][0])), service.key)
    assert.strictEqual((await world.client(["agents", "install", "codex"], { SEXTANT_KEY: "" })).code, 0)
  })

  it("keeps what a person has set", async () => {
    await install("claude-code", "--gate", "own check", "--task-text", "none")
    const path = join(world.home, ".sextant", "agents.json")
    world.write(path, (world.read(path) ?? "").replace("\"deadlineMs\": 400", "\"deadlineMs\": 300, \"namespace\": \"team\""))
    await install("codex", "--models", "gpt-6-luna", "--rewrite-spawns")
    const { deadlineMs, gates, namespace, taskText, tools } = JSON.parse(world.read(path) ?? "")
    assert.deepStrictEqual({ deadlineMs, gates, namespace, taskText }, {
      deadlineMs: 300, gates: ["own check"], namespace: "team", taskText: "none"
    })
    assert.deepStrictEqual(tools.codex, { models: { "gpt-6-luna": "gpt-6-luna" }, shadow: false, rewriteSpawns: true })
    assert.deepStrictEqual(Object.keys(tools), ["claude-code", "codex"])
  })

  it("lets the tool's MCP server answer where it has ours, so that no process starts", async () => {
    world.write(join(world.project, ".mcp.json"), JSON.stringify({ mcpServers: { sextant: { command: "npx" } } }))
    await install("claude-code")
    const { hooks } = JSON.parse(world.read(join(world.home, paths["claude-code"][0])) ?? "")
    assert.deepStrictEqual([hooks.PreToolUse[0].hooks[0].type, hooks.SubagentStop[0].hooks[0].type], ["mcp_tool", "mcp_tool"])
    assert.notInclude(JSON.stringify(hooks), "onFailure")
  })

  for (const [args, said] of [
    [["install"], "install what"], [["install", "vim"], "the tools are"], [["mend"], "say install"],
    [["install", "opencode"], "needs --models"], [["install", "gemini", "--models", "a"], "needs --default"],
    [["install", "claude-code", "--rewrite-spawns"], "about codex"], [["install", "codex", "--task-text", "all"], "--task-text"],
    [["install", "codex", "--url", "http://user:pass@localhost"], "without a user"], [["install", "codex", "--nope"], "--nope"]
  ] as const) {
    it(`refuses ${args.join(" ")}`, async () => {
      const { code, stderr } = await world.client(["agents", ...args])
      assert.deepStrictEqual([code, stderr.split("\n").length], [2, 2])
      assert.include(stderr, said)
      assert.deepStrictEqual(filesOf(world.home), [])
    })
  }

  it("needs a key", async () => {
    assert.strictEqual((await world.client(["agents", "install", "codex"], { SEXTANT_KEY: "" })).code, 2)
  })
})

describe("agents status", () => {
  it("says what is written, what was asked, and what was left out and why", async () => {
    assert.match((await world.client(["agents", "status"])).stdout, /Nothing is installed/)
    await install("claude-code")
    waits(world, 30_000)
    await world.hook("claude-code", spawnOf(world))
    await world.hook("claude-code", spawnOf(world, { model: "opus" }))
    const { code, stdout } = await world.client(["agents", "status"])
    assert.strictEqual(code, 0)
    for (
      const line of [/answers; its catalog lacks claude-sonnet-5-5/, /claude-code: .*settings\.json/, /Asked in seven days: 1; reported: 0/,
        /claude-haiku-5-5 at low, \d+ ms, not reported/, /1 times model_named/]
    ) assert.match(stdout, line)
    service.set(401)
    assert.match((await world.client(["agents", "status"])).stdout, /http_401/)
    service.set("up")
  })
})

describe("a JSON text with our hooks in it", () => {
  it("is the text itself once they are out, whatever else it holds", () => {
    const strange = "{\"a\\\"}\":{\"b\":[{},[],\"]\",-1.5e-3,true,null]},\"hooks\":{\"E\":[1,2 ]},\"a\":{}}"
    const added = withHooks(strange, [{ event: "E", group: { hooks: ["--sextant-agents"] } }, { event: "F", group: { hooks: ["--sextant-agents"] } }])
    assert.deepStrictEqual(JSON.parse(added?.text ?? "").hooks, { E: [1, 2, { hooks: ["--sextant-agents"] }], F: [{ hooks: ["--sextant-agents"] }] })
    assert.strictEqual(withoutHooks(added?.text ?? "", added?.pieces ?? []), strange)
  })
})
