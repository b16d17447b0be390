/* A session's state in `~/.sextant/agents-state/<session>.jsonl`: JSON lines without a task's text. */
import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Fields, linesOf, textAt, textOfFile } from "./Json.ts"

const keptMs = 7 * 86_400_000

export const stateFolder = (home: string): string => join(home, "agents-state")

const pathOf = (home: string, session: string): string =>
  join(stateFolder(home), `${session.replace(/[^\w-]/g, "").slice(0, 100) || "none"}.jsonl`)

export const remember = (home: string, session: string, row: Fields): void => {
  mkdirSync(stateFolder(home), { recursive: true, mode: 0o700 })
  appendFileSync(pathOf(home, session), `${JSON.stringify({ at: Date.now(), ...row })}\n`, { mode: 0o600 })
}

/** Returns the rows of a session's state, the oldest first. */
export const recalled = (home: string, session: string): ReadonlyArray<Fields> =>
  linesOf(textOfFile(pathOf(home, session)) ?? "")

/** Returns the last row of a kind whose named field holds an id; undefined if there is none. */
export const lastRow = (
  rows: ReadonlyArray<Fields>,
  kind: string,
  name: string,
  id: string
): Fields | undefined =>
  id === "" ? undefined : rows.findLast((row) => row["kind"] === kind && textAt(row, name) === id)

/** Returns the ids of a task's last 16 recommendations whose results failed a check, the oldest first. */
export const failedBefore = (rows: ReadonlyArray<Fields>, task: string): ReadonlyArray<string> =>
  rows.filter((row) => row["kind"] === "reported" && row["task"] === task && row["outcome"] === "failure"
    && row["evidence_source"] === "gate").map((row) => textAt(row, "recommendation_id")).slice(-16)

export const allRows = (home: string): ReadonlyArray<Fields> =>
  filesOf(home).flatMap((file) => linesOf(textOfFile(join(stateFolder(home), file)) ?? ""))
    .sort((one, other) => Number(one["at"]) - Number(other["at"]))

const filesOf = (home: string): ReadonlyArray<string> => {
  try {
    return readdirSync(stateFolder(home)).filter((name) => name.endsWith(".jsonl"))
  } catch {
    return []
  }
}

/** Removes the state of sessions that have not changed for seven days. */
export const forgetOld = (home: string): void => {
  for (const name of filesOf(home)) {
    const path = join(stateFolder(home), name)
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > keptMs) rmSync(path, { force: true })
  }
}
