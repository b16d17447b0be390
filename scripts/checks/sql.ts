/*
 * Checks that the statements of requests are ordinary SQL, so that a PostgreSQL that distributes accounts by
 * `account_id` can run them. The check reads the text of the rooms that requests go through; statements of
 * maintenance (imports, deletions, retention, reflection, reports) are not among them.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

const root = new URL("../..", import.meta.url).pathname

/** Folders whose statements a request runs. */
const rooms = ["src/ledger/sql", "src/ledger/buffer", "src/memory/sql", "src/memory/fold", "src/memory/delivery", "src/accounts/sql"]

/** Files in these folders that maintenance and a person's change of settings alone run. */
const maintenance = new Set([
  "AccountSettingsSql.ts", "DeleteOutcomes.ts", "EmbeddingBackfill.ts", "EmbeddingRows.ts", "HealthRows.ts", "ImportDecisions.ts", "ImportReports.ts",
  "ImportRows.ts", "ReflectionQueue.ts", "ReflectionRows.ts", "TaskWords.ts", "UndoImport.ts", "UndoneTrials.ts"
])

const forbidden: ReadonlyArray<readonly [pattern: RegExp, problem: string]> = [
  [/\bctid\b|\btableoid\b/i, "uses a row's physical address"],
  [/\bnextval\s*\(|\bcreate\s+sequence\b/i, "takes its order from a sequence"],
  [/\bcreate\s+(constraint\s+)?trigger\b/i, "makes a trigger"],
  [/\bjsonb?_(to|populate)_record(set)?\s*\(/i, "makes rows of JSON; insert from arrays (sql/RowSet.ts)"],
  [/\blanguage\s+plpgsql\b|\bdo\s+\$\$/i, "is PL/pgSQL, which stands in src/sql/functions"],
  [/\bdo\s+update\s+set\b(?:(?!\breturning\b)[^`])*\b(gen_random_uuid|clock_timestamp|random)\s*\(/i, "calls a volatile function in `do update`"]
]

/** The functions of PL/pgSQL that are left: each does in one round trip what would be a transaction of four. */
const functions = new Set([
  // The account's scope, and what begins a transaction of its log.
  "secure_table", "enter_account", "take_revisions",
  // What requests look up by a key.
  "find_decisions", "find_outcomes", "lane_of", "outcomes_behind", "lane_numbers_of", "account_setting_of",
  "account_models_of",
  // The appends of decisions and of reports, the two of budgets, and health.
  "append_decisions", "success_of", "take_reports", "budget_spend", "check_budget", "count_calls", "model_health_of", "claim_probe"
])

/** Most lines of all functions together. */
const linesMax = 500

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*(\/\/|--).*$/gm, "")

/** Everything that is wrong with a file whose statements requests run. */
export const statementProblems = (name: string, text: string): ReadonlyArray<string> =>
  forbidden.flatMap(([pattern, problem]) => pattern.test(withoutComments(text)) ? [`${name}: ${problem}`] : [])

/** Everything that is wrong with the functions, by the text of their files. */
export const functionProblems = (files: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  for (const [name, text] of files) {
    const kept = withoutComments(text)
    for (const [, made = ""] of kept.matchAll(/\bcreate\s+or\s+replace\s+(?:function|procedure)\s+(\w+)/gi)) {
      if (!functions.has(made)) problems.push(`${name}: ${made} is no function that stays in PL/pgSQL`)
    }
    for (const [pattern, problem] of forbidden.slice(0, 3)) if (pattern.test(kept)) problems.push(`${name}: ${problem}`)
  }
  const lines = [...files.values()].reduce((sum, text) => sum + text.split("\n").length - 1, 0)
  return lines > linesMax ? [...problems, `the functions have ${lines} lines, at most ${linesMax}`] : problems
}

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts")).map((file) => join(root, folder, file))

/** Everything that is wrong with the statements and functions of this repository. */
export const sqlProblems = (): ReadonlyArray<string> => {
  const files = rooms.flatMap(filesIn).filter((file) => !maintenance.has(file.split("/").at(-1) ?? ""))
  const folder = join(root, "src/sql/functions")
  return [
    ...files.flatMap((file) => statementProblems(relative(root, file), readFileSync(file, "utf8"))),
    ...functionProblems(new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")])))
  ]
}

if (import.meta.main) {
  const problems = sqlProblems()
  for (const problem of problems) console.log(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}
