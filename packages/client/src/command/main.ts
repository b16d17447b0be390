#!/usr/bin/env node
/* The program `sextant-client`: `mcp` serves tools to an agent, `init` sets up models, `agents` installs
   hooks in coding agents, and `run` starts one. */
import { readFileSync } from "node:fs"
import { agents } from "./agents/Agents.ts"
import { init } from "./init/Init.ts"
import { serveMcp } from "./mcp/Mcp.ts"
import { run as runAgent } from "./run/Run.ts"

const usage = `Usage: sextant-client <command>

  mcp    Serve the tools recommend_model, report_outcome, next_attempt, explain, savings and diagnose over
         standard input and output (Model Context Protocol)
  init   Find the providers that this program uses, set the account's models, and print the lines for its
         SDK; --help lists its flags
  agents Put hooks into coding agents, by which they ask and report: install, status, uninstall; --help
         lists the rest
  run    Run a coding agent once on the model that the service names, and report what came of it; --help

Environment: SEXTANT_URL (http://127.0.0.1:8080), SEXTANT_KEY`

/** The path of `package.json` is the same from `src/command` and `dist/command`. */
const version = (): string =>
  String(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version)

const run = async ([command, ...rest]: ReadonlyArray<string>): Promise<number> => {
  switch (command) {
    case "mcp":
      if (rest.length > 0) {
        console.error("sextant-client mcp takes no argument; SEXTANT_URL and SEXTANT_KEY say where and who")
        return 2
      }
      await serveMcp(version())
      return 0
    case "init":
      return init(rest)
    case "agents":
      return agents(rest, version())
    case "run":
      return runAgent(rest)
    case "--version":
      console.log(version())
      return 0
    case "--help":
    case "-h":
      console.log(usage)
      return 0
  }
  console.error(usage)
  return 2
}

// The program ends when nobody reads its output any more.
process.stdout.on("error", () => process.exit(1))
process.exitCode = await run(process.argv.slice(2))
