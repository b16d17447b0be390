// You learn what the hooks do that `sextant-client agents install claude-code` leaves behind: Claude Code says that a
// subagent begins, Sextant names its model, and how it ended is reported. Events and transcript were captured from Claude
// Code 2.1, which is not needed here; their words are made up.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8")
const home = mkdtempSync(join(tmpdir(), "coding-agents-"))
const program = new URL("node_modules/sextant-client/dist/command/main.js", import.meta.url).pathname
const agents = (...args) =>
  execFileSync(process.execPath, [program, "agents", ...args], { cwd: home, env: { ...process.env, HOME: home }, encoding: "utf8" })

agents("install", "claude-code")
const own = join(home, ".sextant", "agents.json")
const deadlineMs = Number(process.env.SEXTANT_DEADLINE_MS ?? 400)
writeFileSync(own, JSON.stringify({ ...JSON.parse(readFileSync(own, "utf8")), deadlineMs }))

/** Runs the command that Claude Code's settings name for an event, with the event as its input; yields its answer. */
const hook = (event) => {
  const { hooks } = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"))
  const [{ hooks: [{ args, command }] }] = hooks[event.hook_event_name]
  const env = { PATH: process.env.PATH, HOME: home }
  const printed = execFileSync(command, args, { cwd: home, env, input: JSON.stringify(event), encoding: "utf8" })
  return printed === "" ? null : JSON.parse(printed)
}

const { begins, ends } = JSON.parse(read("events.json"))
const answer = hook({ ...begins, cwd: home, transcript_path: join(home, "transcript.jsonl") })
const input = answer?.hookSpecificOutput.updatedInput
console.log(`subagent: ${input === undefined ? "as Claude Code would run it" : `${input.model}, effort ${input.effort ?? "as it is"}`}`)

// Claude Code writes the subagent's transcript, and beside it which call of a tool began it.
const folder = join(home, "subagents")
mkdirSync(folder)
writeFileSync(join(folder, "agent-a1.jsonl"), read("transcript.jsonl"))
writeFileSync(join(folder, "agent-a1.meta.json"), JSON.stringify({ toolUseId: begins.tool_use_id }))
hook({ ...ends, cwd: home, agent_transcript_path: join(folder, "agent-a1.jsonl") })

const status = agents("status").trim()
const [, asked, reported] = /Asked in seven days: (\d+); reported: (\d+)/.exec(status)
console.log(`${status}\nreports lost: ${asked - reported}`)
rmSync(home, { recursive: true })
