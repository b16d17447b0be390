import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"

/*
 * Checks what the architecture forbids: imports that go up or sideways, cycles, and a few words and sizes.
 * Works on sources, a map from a path inside `src` to its text, so that the tests can feed it bad ones.
 */

export type Sources = ReadonlyMap<string, string>

interface Import {
  readonly from: string
  /** A path inside `src`, or a package's name. */
  readonly to: string
  readonly isRelative: boolean
  readonly isTypeOnly: boolean
}

const columnsMax = 110
const codeLinesMax = 250
const sourceOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1").replace(/"(?:[^"\\\n]|\\.)*"/g, "\"\"")

const statement = /^(?:import|export)\s+(type\s+)?([^"';]*?)\s*from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm
const isOnlyTypes = (clause: string): boolean => {
  const names = /^\{([\s\S]*)\}$/.exec(clause.trim())?.[1]?.split(",").map((name) => name.trim()) ?? [clause]
  return names.filter((name) => name !== "").every((name) => name.startsWith("type "))
}

const importsOf = (from: string, text: string): ReadonlyArray<Import> =>
  [...text.matchAll(statement)].map(([, type, clause = "", named, bare, dynamic]) => {
    const name = named ?? bare ?? dynamic ?? ""
    const isRelative = name.startsWith(".")
    return {
      from,
      to: isRelative ? posix.join(posix.dirname(from), name) : name,
      isRelative,
      isTypeOnly: named !== undefined && (type !== undefined || isOnlyTypes(clause))
    }
  })

const folderOf = (path: string): string => path.includes("/") ? path.slice(0, path.indexOf("/")) : ""

const ports = ["memory", "catalog", "reasoner", "ledger", "keys"]
const portInterfaces = [
  "memory/Memory.ts", "embedder/Embedder.ts", "catalog/Catalog.ts", "reasoner/Reasoner.ts", "ledger/Ledger.ts",
  "reports/Aggregates.ts", "reports/WriteCounts.ts", "ledger/LaneCalibration.ts", "accounts/Keys.ts", "memory/RecentTasks.ts",
  "accounts/AccountSettings.ts"
]
/** The protocol of an external memory: the server is derived from it, like the client that speaks it. */
const memoryProtocol = "api/memory/MemoryApi.ts"
/** The clients of a memory elsewhere, which memory and keys share. */
const memoryClients = ["memory/remote/MemoryBackend.ts", "memory/remote/MemoryClient.ts", "memory/mubit/MubitClient.ts"]
/** What that protocol shares with our own API: the same key, the same problems. */
const sharedApi = ["api/Authorization.ts", "api/Problems.ts", "api/Validation.ts"]
const purePortFiles = ["catalog/Lookup.ts", "domain/RecommendationId.ts", "reports/ReportSettings.ts"]
/** The conductors, and the one failure that is left in their types. */
const conductors = ["engine/Recommender.ts", "engine/Learner.ts", "engine/recommend/NoCandidateModels.ts"]

interface Floor {
  /** Folders, and single files of other folders, beside the floor's own. */
  readonly mayImport: ReadonlyArray<string>
  readonly mayUse: (packageName: string) => boolean
}

const isEffect = (name: string): boolean => name === "effect" || name.startsWith("effect/")
const isNotServer = (name: string): boolean =>
  !/^(node:)?https?2?$/.test(name) && !name.startsWith("effect/http") && !name.startsWith("@effect/platform")
const isAnything = (): boolean => true

const port: Floor = { mayImport: ["domain", "stats", "sql", ...portInterfaces], mayUse: isAnything }
const middle: Floor = {
  mayImport: ["stats", "domain", ...portInterfaces, ...purePortFiles],
  mayUse: isNotServer
}

/** Files at the top of `src` compose everything and are free. */
const floors: Readonly<Record<string, Floor>> = {
  stats: { mayImport: [], mayUse: () => false },
  domain: { mayImport: [], mayUse: isEffect },
  ...Object.fromEntries(ports.map((name) => [name, port])),
  memory: { ...port, mayImport: [...port.mayImport, ...sharedApi] },
  // The catalog knows what the reasoner's own model costs.
  reasoner: { ...port, mayImport: [...port.mayImport, ...purePortFiles] },
  // With an external memory the backend verifies the keys, over the same connections.
  keys: { ...port, mayImport: [...port.mayImport, ...memoryClients] },
  sql: { mayImport: ["domain"], mayUse: isAnything },
  telemetry: { mayImport: ["domain"], mayUse: isAnything },
  api: { mayImport: ["domain"], mayUse: isEffect },
  client: { mayImport: ["api", "domain"], mayUse: isEffect },
  // The page runs in a browser: what it takes from below is pure.
  dashboard: { mayImport: ["domain", "stats"], mayUse: (name) => name === "chart.js" },
  // Asks everything around the service how it is, and changes nothing.
  doctor: { mayImport: ["domain", "sql", "accounts/Key.ts", ...portInterfaces], mayUse: isAnything },
  engine: middle,
  reports: middle,
  http: {
    mayImport: [
      "api", "reports", "domain", memoryProtocol, ...portInterfaces, ...purePortFiles, ...conductors
    ],
    mayUse: isAnything
  }
}

const isDriver = (path: string): boolean =>
  (ports.includes(folderOf(path)) && /(Sql|Local|Http|Mubit|Lexical|Refresh|File|OpenAi|Anthropic)\.ts$/.test(path))
  || path === "sql/Database.ts" || path === "sql/embedded/EmbeddedPostgres.ts"

const stages = /^engine\/(recommend\/(Classify|Filter|Recall|Aggregate|Cost|Optimize|Escalate)|learn\/(Resolve|Record|Credit|Steps|Promote))\.ts$/

const importProblems = ({ from, isRelative, isTypeOnly, to }: Import): ReadonlyArray<string> => {
  const folder = folderOf(from)
  const problems: Array<string> = []
  const floor = floors[folder]
  if (folder !== "" && floor === undefined) problems.push(`${from}: ${folder} is no floor; give it one`)
  if (floor !== undefined) {
    const isAllowed = isRelative
      ? [folder, ...floor.mayImport].some((allowed) => to === allowed || folderOf(to) === allowed)
      : floor.mayUse(to)
    if (!isAllowed) problems.push(`${from}: ${folder} may not import ${to}`)
  }
  if (isRelative && isDriver(to) && folderOf(to) !== folder && from !== "main.ts") {
    problems.push(`${from}: the driver ${to} is for main.ts and tests only`)
  }
  if (stages.test(from) && stages.test(to) && !isTypeOnly) problems.push(`${from}: stage imports the stage ${to}`)
  return problems
}

/** Each cycle once, as the path that closes it. */
const cyclesOf = (imports: ReadonlyArray<Import>): ReadonlyArray<string> => {
  const next = Map.groupBy(imports.filter(({ isRelative }) => isRelative), ({ from }) => from)
  const finished = new Set<string>()
  const cycles: Array<string> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(path)
    if (start >= 0) cycles.push(`cycle: ${[...trail.slice(start), path].join(" -> ")}`)
    if (start >= 0 || finished.has(path)) return
    for (const { to } of next.get(path) ?? []) visit(to, [...trail, path])
    finished.add(path)
  }
  for (const path of next.keys()) visit(path, [])
  return cycles
}

const forbidden: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/^export default\b/m, "a default export"],
  [/(?:[:<,|&(=]|\bas)\s*any\b(?!\()/, "`any`"],
  [/\borDie\b/, "`orDie`"]
]

/** Word lists, one pattern per idea: a width would only hide where one ends. */
const isWordList = (path: string): boolean => /^engine\/classifier\/(Cues|Instruction|Normalise)\.ts$/.test(path)

const textProblems = (path: string, text: string): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const source = sourceOf(text)
  for (const [pattern, name] of forbidden) if (pattern.test(source)) problems.push(`${path}: holds ${name}`)
  if (/@ts-(ignore|nocheck|expect-error)/.test(text)) problems.push(`${path}: silences the type checker`)
  if (folderOf(path) === "engine" && /\bstatus(Code)?\b|\bHttp[A-Z]/.test(source)) {
    problems.push(`${path}: the engine has no status codes`)
  }
  const codeLines = source.split("\n").filter((line) => line.trim() !== "").length
  if (codeLines > codeLinesMax) problems.push(`${path}: ${codeLines} lines of code, more than ${codeLinesMax}`)
  text.split("\n").forEach((line, index) => {
    if (line.length > columnsMax && !isWordList(path)) {
      problems.push(`${path}:${index + 1}: ${line.length} columns, more than ${columnsMax}`)
    }
  })
  return problems
}

/** Everything that is wrong with the sources, one sentence each; empty when the house is tidy. */
export const problemsOf = (sources: Sources): ReadonlyArray<string> => {
  const imports = [...sources].flatMap(([path, text]) => importsOf(path, text))
  return [
    ...imports.flatMap(importProblems),
    ...cyclesOf(imports),
    ...[...sources].flatMap(([path, text]) => textProblems(path, text))
  ]
}

/** The TypeScript files under a folder, by their path inside it. */
export const sourcesUnder = (folder: string): Sources =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => [path.replaceAll("\\", "/"), readFileSync(join(folder, path), "utf8")])
  )

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = problemsOf(sourcesUnder(fileURLToPath(new URL("../../src", import.meta.url))))
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}
