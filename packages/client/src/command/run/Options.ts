/* Parses the arguments of `sextant-client run` and the agent's command. */
import { parseArgs } from "node:util"
import { modelsOf } from "../agents/Options.ts"
import { launchable } from "./Launch.ts"

export const runUsage = `Usage: sextant-client run [flags] -- claude -p "..."
       sextant-client run [flags] -- codex exec "..."
       sextant-client run [flags] -- opencode run "..."

Asks once which model and which effort should do the task, starts the agent with both, and reports what came
of it. A model that the command names stays. Whenever the service cannot say, the agent runs as you typed it.

  --gate <command>      Checks the result by its exit code, which is reported
  --retry               After a failed gate, tries again as the service plans it; needs --gate
  --max-attempts <n>    Most attempts with --retry, 1 to 4 (3)
  --models <names>      The tool's names of models that may run, with commas between; <id>=<name> where the
                        catalog's id is not the name's last part. opencode needs them, unless installed

Environment: SEXTANT_URL and SEXTANT_KEY, else what \`agents install\` wrote
Exit code: the agent's; where that is 0, the gate's`

/** Returns the options with the agent's command, `"help"`, or one line about a wrong argument. */
export const runOptionsOf = (args: ReadonlyArray<string>) => {
  const at = args.indexOf("--")
  const [program, ...rest] = at === -1 ? [] : args.slice(at + 1)
  const { values } = parseArgs({
    args: args.slice(0, at === -1 ? args.length : at),
    options: {
      gate: { type: "string" },
      retry: { type: "boolean", default: false },
      "max-attempts": { type: "string", default: "3" },
      models: { type: "string" },
      help: { type: "boolean", short: "h", default: false }
    }
  })
  if (values.help) return "help"
  const maxAttempts = Number(values["max-attempts"])
  if (program === undefined) return `put -- before the agent's command: ${launchable.join(", ")}`
  if (![1, 2, 3, 4].includes(maxAttempts)) return "--max-attempts is 1 to 4"
  if (values.retry && values.gate === undefined) return "--retry needs --gate, which says what has failed"
  return {
    gate: values.gate ?? null, isRetried: values.retry, maxAttempts, command: [program, ...rest] as const,
    models: values.models === undefined ? null : modelsOf(values.models)
  }
}

export type RunOptions = Exclude<ReturnType<typeof runOptionsOf>, string>
