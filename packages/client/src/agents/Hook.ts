#!/usr/bin/env node
/* The program that tools start for a hook: `Hook.js <tool> --sextant-agents`. The program exits with 0, and
   writes a whole answer or nothing, because the tool would interpret any other output. */
import { isFields, parsed } from "./Json.ts"
import { answerTo } from "./Hooks.ts"
import { homeOf, readSettings, toolNames } from "./Settings.ts"

/** A hook ends itself after 1,800 ms, or 4,500 ms at a run's end, or `deadlineMs` + 400 if that is longer. */
const limitMs = 1_800
const reportLimitMs = 4_500

const startedAt = Date.now()
const home = homeOf()
const settings = readSettings(home, process.env)
const askedMs = typeof settings === "string" ? 0 : settings.deadlineMs + 400

const end = (): never => process.exit(0)
process.on("uncaughtException", end)
process.on("unhandledRejection", end)
process.stdout.on("error", end)

let limit = setTimeout(end, Math.max(limitMs, askedMs))
const chunks: Array<Buffer> = []
for await (const chunk of process.stdin) chunks.push(chunk)
const event = parsed(Buffer.concat(chunks).toString("utf8"))
const tool = toolNames.find((name) => name === process.argv[2])
if (isFields(event) && tool !== undefined) {
  if (/Stop|After/.test(String(event["hook_event_name"]))) {
    clearTimeout(limit)
    limit = setTimeout(end, Math.max(reportLimitMs, askedMs))
  }
  const answer = await answerTo(tool, event, home, settings, startedAt)
  if (answer !== null) process.stdout.write(JSON.stringify(answer), end)
  else end()
} else end()
