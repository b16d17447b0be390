/* `sextant-client agents status`: the service, the installed tools, and the last questions. */
import { existsSync } from "node:fs"
import { type Fields, fieldsAt, textAt } from "../../agents/Json.ts"
import { NoAnswer, send } from "../../agents/Post.ts"
import { readSettings, toolNames } from "../../agents/Settings.ts"
import { allRows } from "../../agents/State.ts"
import { readWritten } from "./Written.ts"

const shownMax = 10

/** Explains the reasons that a person can act on. */
const advice: Readonly<Record<string, string>> = {
  timeout: "the service took longer than deadlineMs",
  unreachable: "nothing answers at the address",
  http_401: "the key is refused",
  unknown_model: "the service named a model that is not in models",
  model_named: "a person or a definition had named the model",
  no_settings: "the settings cannot be read"
}

const serviceLine = async (home: string, environment: NodeJS.ProcessEnv): Promise<string> => {
  const settings = readSettings(home, environment)
  if (typeof settings === "string") return `The hooks do nothing: ${settings}.`
  try {
    const { models } = await send(settings, "/v1/models", null, 5_000)
    const known = new Set((Array.isArray(models) ? models : []).map((model) => textAt(model, "model_id")))
    const ids = toolNames.flatMap((name) => Object.keys(settings.tool(name).models))
    const unknown = [...new Set(ids)].filter((id) => !known.has(id.replace(/#.*/, "")))
    const lacks = unknown.length === 0 ? "" : `; its catalog lacks ${unknown.join(", ")}`
    return `${settings.url} answers${lacks}.`
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return `${settings.url} does not answer (${error.reason}): until it does, every tool runs as without us.`
  }
}

const timeOf = (row: Fields): string =>
  new Date(Number(row["at"])).toISOString().slice(0, 19).replace("T", " ")

const outcomeOf = (told: Fields | undefined): string => {
  if (told === undefined) return "not reported"
  return `${textAt(told, "outcome")} (${textAt(told, "evidence_source") || textAt(told, "error_cause")})`
}

const askedLine = (row: Fields, reports: ReadonlyArray<Fields>): string => {
  const told = reports.findLast((one) => one["recommendation_id"] === row["recommendation_id"])
  const effort = textAt(row, "effort")
  const model = textAt(row, "model_id") + (effort === "" ? "" : ` at ${effort}`)
  const applied = row["is_applied"] === true ? "" : ", not applied"
  const how = `${applied}, ${String(row["ms"])} ms, ${outcomeOf(told)}`
  return `  ${timeOf(row)} ${textAt(row, "tool")}: ${model}${how}`
}

/** Returns the lines that `status` prints; for `install`, one line about the service. */
export const statusLines = async (
  home: string,
  settings: Fields,
  environment: NodeJS.ProcessEnv,
  verb: "install" | "status"
): Promise<ReadonlyArray<string>> => {
  const isEmpty = Object.keys(fieldsAt(settings, "tools")).length === 0
  if (isEmpty) return ["Nothing is installed: sextant-client agents install <tool>"]
  const service = await serviceLine(home, environment)
  if (verb === "install") return [`  ${service}`]
  const rows = allRows(home)
  const asked = rows.filter((row) => row["kind"] === "asked")
  const reported = rows.filter((row) => row["kind"] === "reported")
  const reasons = rows.filter((row) => row["kind"] === "left_out").map((row) => textAt(row, "reason"))
  return [
    service,
    "Written:",
    ...(readWritten(home)?.installed ?? []).map(({ path, tool }) =>
      `  ${tool}: ${path}${existsSync(path) ? "" : ", which is gone"}`),
    `Asked in seven days: ${asked.length}; reported: ${reported.length}`,
    ...asked.slice(-shownMax).map((row) => askedLine(row, reported)),
    ...reasons.length === 0 ? [] : ["Left out:"],
    ...[...new Set(reasons)].map((reason) => {
      const times = reasons.filter((one) => one === reason).length
      return `  ${times} times ${reason}${reason in advice ? `: ${advice[reason]}` : ""}`
    })
  ]
}
