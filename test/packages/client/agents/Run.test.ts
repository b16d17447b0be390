// `sextant-client run` with a program in place of the agent: what it exits with, and what it reports.
import { assert, beforeEach, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { type FakeSextant, startFakeSextant } from "./FakeSextant.ts"
import { staged } from "./Stage.ts"

const { service, world } = staged()
let environment: Readonly<Record<string, string>>
beforeEach(() => {
  environment = { ...world.environment, PATH: `${join(world.project, "bin")}:${world.environment["PATH"]}` }
})

/** Puts a script in the place of Claude Code. */
const agent = (script: string) =>
  chmodSync(world.write(join(world.project, "bin", "claude"), `#!/bin/sh\n${script}\n`), 0o755)

const run = (...flags: ReadonlyArray<string>) =>
  world.client(["run", ...flags, "--", "claude", "-p", "Fix the parser"], environment)

const verdicts = () =>
  service.reports().map(({ error_cause, evidence_source, outcome, signals }) =>
    [outcome, evidence_source ?? error_cause, signals.ended])

describe("a run", () => {
  for (
    const [what, script, gate, code, verdict] of [
      ["whose gate passes is a success", "exit 0", "true", 0, ["success", "gate", "finished"]],
      ["whose gate fails is a failure", "exit 0", "exit 3", 3, ["failure", "gate", "finished"]],
      ["whose gate cannot be run has no verdict", "exit 0", "no-such-check", 127, ["partial", "none", "finished"]],
      ["whose gate is killed has no verdict, and does not exit as one that passed", "exit 0", "kill -9 $$", 1,
        ["partial", "none", "finished"]],
      ["that is killed is not checked, and is nobody's fault", "kill -9 $$", "touch checked", 1,
        ["failure", "infra", "interrupted"]]
    ] as const
  ) {
    it(what, async () => {
      agent(script)
      const ended = await run("--gate", gate)
      assert.strictEqual(ended.code, code, ended.stderr)
      assert.deepStrictEqual(verdicts(), [[...verdict]])
      assert.isNull(world.read(join(world.project, "checked")))
    })
  }

  it("that is killed is not tried again", async () => {
    agent("kill -9 $$")
    await run("--gate", "false", "--retry")
    assert.strictEqual(service.questions().length, 1)
  })

  it("sends the installed key to the installed address alone, unless a key is named", async () => {
    agent("exit 0")
    await world.client(["agents", "install", "claude-code"])
    const other = await startFakeSextant()
    const runWith = (named: Readonly<Record<string, string>>) =>
      world.client(["run", "--", "claude", "-p", "Fix it"], {
        ...environment, SEXTANT_KEY: "", SEXTANT_URL: "", ...named
      })
    service.sent.length = 0
    assert.include((await runWith({ SEXTANT_URL: other.url })).stderr, "SEXTANT_KEY is not set")
    await runWith({})
    await runWith({ SEXTANT_URL: other.url, SEXTANT_KEY: "sxt_other_k1_0" })
    other.close()
    const keysOf = ({ sent }: FakeSextant) => [...new Set(sent.map(({ headers }) => headers.authorization))]
    assert.deepStrictEqual([keysOf(service), keysOf(other)], [[`Bearer ${service.key}`], ["Bearer sxt_other_k1_0"]])
  })

  it("ends with the command that runs it, whatever signal stops that", async () => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      service.sent.length = 0
      agent("trap 'echo stopped > stopped; exit 0' TERM INT HUP; echo started; while :; do sleep 0.05; done")
      const child = spawn(process.execPath, [world.program, "run", "--gate", "touch checked", "--", "claude", "-p", "Fix it"], {
        cwd: world.project, env: environment, stdio: ["ignore", "pipe", "ignore"]
      })
      child.stdout.once("data", () => child.kill(signal))
      const code = await new Promise((resolve) => child.once("close", resolve))
      assert.strictEqual(code, 1)
      assert.strictEqual(world.read(join(world.project, "stopped")), "stopped\n")
      assert.deepStrictEqual(verdicts(), [["failure", "infra", "interrupted"]])
      assert.isNull(world.read(join(world.project, "checked")))
    }
  })
})
