// The coding agents themselves, in a home of their own, against the provider of this folder: `npm run test:agents`.
import { afterAll, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Ended } from "../../support/Command.ts"
import type { World } from "../World.ts"
import { staged } from "../Stage.ts"
import { type Provider, type Scenario, startProvider, type Step } from "./Provider.ts"

export const clisFolder = join(import.meta.dirname, "clis")

export type Cli = "claude" | "codex" | "gemini" | "opencode"

/** Where a program is, if it is installed. */
const programOf = (cli: Cli): string => join(clisFolder, "node_modules/.bin", cli)

/** Whether these suites run: they take minutes, so that `npm test` shows them as skipped. */
const isAsked = process.env["SEXTANT_TEST_AGENTS"] === "1"

/** Declares a suite of a program, shown as skipped where it is not installed or nobody asked for it. */
export const withCli = (cli: Cli, declare: () => void): void => {
  if (isAsked && existsSync(programOf(cli))) describe(`${cli}, for real`, declare)
  else describe.skip(`${cli}, for real`, () => it("is run by npm run test:agents", () => {}))
}

export interface CliOptions {
  readonly provider: Provider
  readonly environment?: Readonly<Record<string, string>>
}

/** Switches by which a program keeps to itself, and finds the provider. */
export const switchesOf = ({ url }: Provider): Readonly<Record<string, string>> => ({
  ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "dummy", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1", OPENCODE_DISABLE_SHARE: "1",
  GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "dummy", GEMINI_CLI_TRUST_WORKSPACE: "true",
  FAKE_KEY: "dummy"
})

/** What a program and `sextant-client run` see: the world's own home, and no variable of this machine. */
export const environmentOf = (world: World, { environment = {}, provider }: CliOptions): Readonly<Record<string, string>> => ({
  PATH: `${join(clisFolder, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  HOME: world.home, CODEX_HOME: join(world.home, ".codex"), ...switchesOf(provider), ...environment
})

/** Runs a program without a person until it ends. */
export const runCli = (world: World, cli: Cli, args: ReadonlyArray<string>, options: CliOptions): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(programOf(cli), args, {
      cwd: world.project, env: environmentOf(world, options), stdio: ["ignore", "pipe", "pipe"]
    })
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout += chunk)
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr += chunk)
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })

const say = (words: string): Step => ({ say: words })

/** A command of the shell, as each agent's tool takes it. */
export const shell = (command: string): Step => ({
  call: {
    Bash: { command, description: "run" }, bash: { command, description: "run" },
    run_shell_command: { command, description: "run" }, exec_command: { cmd: command }, shell_command: { command }
  }
})

/** A subagent, as each agent's tool takes it. */
export const subagent = (prompt: string, more: Readonly<Record<string, unknown>> = {}): Step => ({
  call: {
    Agent: { description: "small job", prompt, subagent_type: "general-purpose", run_in_background: false, ...more },
    task: { description: "small job", prompt, subagent_type: "general" },
    spawn_agent: { message: prompt, ...more }
  }
})

/** The cheap models fail their tests, the others pass. */
const tested: Scenario = (model) =>
  /haiku|small|luna|flash/.test(model)
    ? [shell("FAIL=1 npm test --silent"), say("The tests fail.")]
    : [shell("npm test --silent"), say("The tests pass.")]

export const scenarios: Readonly<Record<string, Scenario>> = {
  plain: () => [say("Done.")],
  tested,
  spawn: () => [subagent("Make the failing test in orders pass. scenario:tested"), say("The subagent is done.")],
  "spawn-named": () => [subagent("Make the failing test in orders pass. scenario:tested", { model: "opus" }), say("Done.")],
  "spawn-wait": () => [
    subagent("List the files here. scenario:plain"), { call: { wait_agent: { timeout_ms: 10_000 } } }, say("The subagent is done.")
  ]
}

/** A project whose tests fail when FAIL is set. */
export const withTests = (world: World): void => {
  world.write(join(world.project, "package.json"), JSON.stringify({ scripts: { test: "test -z \"$FAIL\"" } }))
}

/** The provider, the service and the machine of the suite that calls it; the service names `pick`. */
export const onStage = (pick: string) => {
  const provider = {} as Provider
  beforeAll(async () => {
    Object.assign(provider, await startProvider(scenarios))
  })
  beforeEach(() => void (provider.requests.length = 0))
  afterAll(() => provider.close())
  return { provider, ...staged(pick) }
}
