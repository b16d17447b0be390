/* Parses the arguments of `sextant-client agents`. */
import { parseArgs } from "node:util"
import { toolNames } from "../../agents/Settings.ts"
import { taskTexts } from "../../agents/TaskText.ts"

export const agentsUsage = `Usage: sextant-client agents install <tool> [flags]
       sextant-client agents status
       sextant-client agents uninstall [<tool>]

Tools: ${toolNames.join(", ")}

  --project           For this folder's project alone, in place of all of yours
  --shadow            Records what would be picked, and changes nothing
  --dry-run           Prints what would be written, and writes nothing
  --models <names>    The tool's names of models that may run, with commas between; <id>=<name> where the
                      catalog's id is not the name's last part
  --default <name>    The model that runs whenever the service cannot say (opencode, gemini)
  --rewrite-spawns    codex: spawned agents run on the pick, which codex takes only from a hook that allows
                      the spawn
  --task-text <kind>  What of a prompt is sent: prompt (its words, the default), description, none
  --gate <pattern>    A command that checks work, a regular expression, in place of the usual ones; repeated
  --url <url>         The service, in place of SEXTANT_URL

Environment: SEXTANT_URL (http://127.0.0.1:8080) and SEXTANT_KEY; install writes both to ~/.sextant
Exit codes: 0 done, 1 refused, 2 wrong arguments or environment`

/** Returns a tool's model names by catalog id: `anthropic/claude-haiku-5-5` has the id `claude-haiku-5-5`. */
export const modelsOf = (names: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(",").map((name) => name.trim()).filter(Boolean).map((name) => {
    const at = name.indexOf("=")
    return at === -1 ? [name.slice(name.lastIndexOf("/") + 1), name] : [name.slice(0, at), name.slice(at + 1)]
  }))

const verbs = ["install", "status", "uninstall"] as const

/** Returns the options, `"help"`, or one line about a wrong argument. */
export const agentsOptionsOf = (args: ReadonlyArray<string>) => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      project: { type: "boolean", default: false },
      shadow: { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false },
      "rewrite-spawns": { type: "boolean", default: false },
      models: { type: "string" },
      default: { type: "string" },
      url: { type: "string" },
      "task-text": { type: "string" },
      gate: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", short: "h", default: false }
    }
  })
  if (values.help) return "help"
  const verb = verbs.find((one) => one === positionals[0])
  const tool = toolNames.find((one) => one === positionals[1]) ?? null
  if (verb === undefined) return `say ${verbs.join(", ")}`
  if (positionals.length > (tool === null ? 1 : 2)) return `the tools are ${toolNames.join(", ")}`
  if (verb === "install" && tool === null) return `install what? ${toolNames.join(", ")}`
  const taskText = taskTexts.find((kind) => kind === values["task-text"]) ?? null
  const isText = values["task-text"] === undefined || taskText !== null
  if (!isText) return `--task-text is one of ${taskTexts.join(", ")}`
  if (values["rewrite-spawns"] && tool !== "codex") return "--rewrite-spawns is about codex"
  return {
    verb, tool, taskText, gates: values.gate, url: values.url ?? null, isProject: values.project,
    isShadow: values.shadow, isDryRun: values["dry-run"], rewriteSpawns: values["rewrite-spawns"],
    models: values.models === undefined ? null : modelsOf(values.models),
    defaultModel: values.default ?? null
  }
}

export type AgentsOptions = Exclude<ReturnType<typeof agentsOptionsOf>, string>
