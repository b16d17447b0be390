/*
 * Checks that migrations expand, then contract: while copies of two versions share a database, a migration may
 * only add. What the version before reads or writes is removed in a later release, once no copy of it runs. The
 * check reads the text; a statement that must do otherwise says so beside it: `-- contract: <why it is safe>`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const forbidden: ReadonlyArray<readonly [pattern: RegExp, problem: string]> = [
  [/\bdrop\s+(table|column|function|trigger|policy|role|index|view)\b/i, "drops what the version before may use"],
  [/\brename\s+(to|column|constraint)\b/i, "renames what the version before knows by its old name"],
  [/\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/i, "changes a column's type, which rewrites the table"],
  [/\balter\s+column\s+\S+\s+set\s+not\s+null\b/i, "refuses what the version before may still write"],
  [/\bcreate\s+(or\s+replace\s+)?(function|procedure)\b/i, "makes a function, which stands in src/sql/functions"],
  [/\brevoke\b/i, "takes a right that the version before may need"],
  [/\b(truncate|vacuum\s+full|cluster)\b/i, "locks a whole table for long"]
]

const withoutContracts = (text: string): string => text.replace(/^.*--\s*contract:\s*\S.*$/gim, "")

/** The clauses that add columns, each up to the next comma outside parentheses or the end of its text. */
const addedColumns = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\badd\s+column\s+(?:\([^()]*\)|[^,;(]|\((?:[^()]|\([^()]*\))*\))*/gi)].map(([clause]) => clause)

const createdTables = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/gi)].map(([, name]) => name ?? ""))

/** Everything that is wrong with a migration's text; `name` is its file's. */
export const migrationProblems = (name: string, text: string): ReadonlyArray<string> => {
  // Comments speak of what statements must not do.
  const kept = withoutContracts(text).replace(/--.*$/gm, "")
  const problems = forbidden.flatMap(([pattern, problem]) => pattern.test(kept) ? [problem] : [])
  for (const clause of addedColumns(kept)) {
    if (/\bnot\s+null\b/i.test(clause) && !/\b(default|generated)\b/i.test(clause)) {
      problems.push("adds a column that must be given, which the version before does not give")
    }
  }
  const own = createdTables(kept)
  for (const [, table = ""] of kept.matchAll(/\bcreate\s+(?:unique\s+)?index\s+\w+\s+on\s+(\w+)/gi)) {
    if (!own.has(table)) problems.push(`makes an index on ${table} under a lock; see docs/running/contributing.md, Migrations`)
  }
  return problems.map((problem) => `${name}: ${problem}`)
}

/** The migrations after the baseline, by the name of their file; none without the folder. */
export const migrationsUnder = (directory: string): ReadonlyMap<string, string> =>
  new Map((existsSync(directory) ? readdirSync(directory) : []).sort().map((name) => [name, readFileSync(join(directory, name), "utf8")]))
