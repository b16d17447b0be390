import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"

/*
 * Checks what the architecture forbids: imports that go up or sideways, cycles, and a few words and sizes.
 * Works on sources, a map from a path to its text, so that the tests can feed it bad ones. A path is inside `src`, or
 * begins with `packages/`.
 */

export type Sources = ReadonlyMap<string, string>

interface Import {
  readonly from: string
  /** A path as in `Sources`, or the name of a package from npm. */
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

/** Packages that are parts of this service: they import `src`, which knows of them in few places. */
const innerPackages = ["audition", "backtest", "dashboard"]

/** The file that a relative import names, as a path of `Sources`. */
const importedFrom = (from: string, name: string): string =>
  posix.join(posix.dirname(from.startsWith("packages/") ? from : `src/${from}`), name).replace(/^src\//, "")

const importsOf = (from: string, text: string): ReadonlyArray<Import> =>
  [...text.matchAll(statement)].map(([, type, clause = "", named, bare, dynamic]) => {
    const name = named ?? bare ?? dynamic ?? ""
    const isRelative = name.startsWith(".")
    return {
      from,
      to: isRelative ? importedFrom(from, name) : name,
      isRelative,
      isTypeOnly: named !== undefined && (type !== undefined || isOnlyTypes(clause))
    }
  })

/** The layer of a file: its folder in `src`, its package, or a folder of the package that has rules of its own. */
const folderOf = (path: string): string => {
  const [ofPackage, name, folder] = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(path) ?? []
  if (ofPackage === undefined) return path.includes("/") ? path.slice(0, path.indexOf("/")) : ""
  const inner = `packages/${name}/${folder}`
  return inner in layers ? inner : `packages/${name}`
}

/**
 * The ports, each a folder. Its root says what we need from outside, and a sub-folder named by a medium says how. A
 * port may import the ports before it.
 */
const ports = ["embedder", "catalog", "reasoner", "ledger", "accounts", "reports", "memory"]
const media = ["sql", "remote", "delivery", "buffer", "file", "lexical", "local", "otlp"]

/** A folder of a driver, such as `memory/sql` or `telemetry/otlp`; null for a port's root and its pure rooms. */
const driverFolderOf = (path: string): string | null => {
  const [folder, medium] = path.split("/").slice(0, -1)
  return folder !== undefined && medium !== undefined && media.includes(medium) ? `${folder}/${medium}` : null
}

interface LayerRule {
  /** Folders that the layer may import in addition to its own. */
  readonly mayImport: ReadonlyArray<string>
  readonly mayUse: (packageName: string) => boolean
}

const isEffect = (name: string): boolean => name === "effect" || name.startsWith("effect/")
const isNotServer = (name: string): boolean =>
  !/^(node:)?https?2?$/.test(name) && !name.startsWith("effect/http") && !name.startsWith("@effect/platform")
const isNotStored = (name: string): boolean => isNotServer(name) && !name.startsWith("effect/sql")
const isAnything = (): boolean => true

const base = ["stats", "domain", "resilience", "telemetry"]
const port = (name: string): LayerRule =>
  ({ mayImport: [...base, ...ports.slice(0, ports.indexOf(name))], mayUse: isNotServer })
/** The rule of a driver. It may also use SQL, and the definitions that our servers read. */
const driver = (name: string): LayerRule => ({ mayImport: [...port(name).mayImport, "sql", "api"], mayUse: isAnything })

const layers: Readonly<Record<string, LayerRule>> = {
  stats: { mayImport: [], mayUse: () => false },
  domain: { mayImport: [], mayUse: isEffect },
  resilience: { mayImport: ["domain"], mayUse: isAnything },
  telemetry: { mayImport: ["domain"], mayUse: isAnything },
  sql: { mayImport: ["domain", "resilience", "telemetry"], mayUse: isAnything },
  // What is done to a whole database, or to all that it holds of an account.
  postgres: { mayImport: ["domain", "resilience", "telemetry", "sql"], mayUse: isAnything },
  privacy: { mayImport: ["domain", "resilience", "telemetry", "sql"], mayUse: isAnything },
  retention: { mayImport: ["domain", "resilience", "telemetry", "sql"], mayUse: isAnything },
  ...Object.fromEntries(ports.map((name) => [name, port(name)])),
  api: { mayImport: ["domain"], mayUse: isEffect },
  client: { mayImport: ["api", "domain"], mayUse: isEffect },
  // Readers of the calls that other programs logged; they count tokens as the client does.
  logs: { mayImport: ["domain", "catalog", "packages/client"], mayUse: isNotStored },
  engine: { mayImport: [...base, ...ports, "logs"], mayUse: isNotStored },
  http: { mayImport: [...base, ...ports, "api", "logs", "engine"], mayUse: isAnything },
  // The page runs in a browser: what it takes from below is pure.
  "packages/dashboard": { mayImport: ["domain", "stats"], mayUse: (name) => name === "preact" },
  "packages/backtest/stats": { mayImport: ["stats"], mayUse: () => false },
  // A log against the engine, in this process: neither a server nor a database.
  "packages/backtest": {
    mayImport: [
      ...base, ...ports, "logs", "engine", "packages/backtest/stats", "packages/dashboard"
    ],
    mayUse: isNotStored
  },
  // Models on prompts: it asks providers, and judges as the client does.
  "packages/audition": {
    mayImport: [...base, "reasoner", "engine", "packages/backtest", "packages/dashboard", "packages/client"],
    mayUse: isAnything
  },
  cli: {
    mayImport: [
      ...base, ...ports, "sql", "postgres", "privacy", "retention", "api", "client", "logs", "engine", "http",
      "packages/audition", "packages/backtest", "packages/dashboard"
    ],
    mayUse: isAnything
  }
}

/**
 * Files that import drivers: those that compose the processes, a backtest's choice of the embedder, and calls of a
 * caller's models.
 */
const compositions = [
  "cli/Layers.ts", "cli/MemoryLayers.ts", "cli/CatalogLayers.ts", "packages/backtest/src/Intake.ts",
  "packages/audition/src/Chat.ts", "packages/audition/src/Grade.ts"
]

/** Folders of stages, and the files of the pipeline that alone knows their order and degrades them. */
const pipelines: Readonly<Record<string, ReadonlyArray<string>>> = {
  recommend: [
    "engine/Recommender.ts", "engine/Assess.ts", "engine/LookUp.ts", "packages/backtest/src/Rehearsal.ts"
  ],
  // An observed call is priced as a feedback is.
  learn: ["engine/Learner.ts", "engine/Observe.ts", "packages/backtest/src/Rehearsal.ts"]
}

const isPipeline = (path: string): boolean => Object.values(pipelines).flat().includes(path)

/** The pipeline of a stage: every file directly in a folder of stages is one; null for any other file. */
const pipelineOf = (path: string): ReadonlyArray<string> | null => {
  const [, folder] = /^engine\/([^/]+)\/[^/]+\.ts$/.exec(path) ?? []
  return folder === undefined ? null : pipelines[folder] ?? null
}

/** A room of formulas inside a folder of stages, such as `engine/recommend/choice`. */
const isPureRoom = (path: string): boolean => {
  const [, folder] = /^engine\/([^/]+)\/[^/]+\//.exec(path) ?? []
  return folder !== undefined && folder in pipelines
}

/** Problems of imports that only a pipeline may have: of stages, and of the function that degrades a failure. */
const stageProblems = ({ from, isTypeOnly, to }: Import): ReadonlyArray<string> => {
  if (isTypeOnly) return []
  const problems: Array<string> = []
  const pipeline = pipelineOf(to)
  if (pipeline !== null && pipelineOf(from) !== null) problems.push(`${from}: stage imports the stage ${to}`)
  else if (pipeline !== null && folderOf(from) === "engine" && !pipeline.includes(from)) {
    problems.push(`${from}: the stage ${to} is for ${pipeline.join(" and ")} only`)
  }
  if (to === "engine/Notes.ts" && !isPipeline(from)) {
    problems.push(`${from}: only the pipelines degrade`)
  }
  if (isPureRoom(from) && (to === "effect" || to.startsWith("effect/"))) {
    problems.push(`${from}: a room of formulas may not import ${to}`)
  }
  return problems
}

const importProblems = ({ from, isRelative, isTypeOnly, to }: Import): ReadonlyArray<string> => {
  const folder = folderOf(from)
  const problems: Array<string> = []
  const isOfDriver = driverFolderOf(from) !== null
  const layer = ports.includes(folder) && isOfDriver ? driver(folder) : layers[folder]
  if (layer === undefined) return [`${from}: ${folder === "" ? "src" : folder} is no layer; give it one`]
  const isAllowed = isRelative ? [folder, ...layer.mayImport].includes(folderOf(to)) : layer.mayUse(to)
  if (!isAllowed) problems.push(`${from}: ${folder} may not import ${to}`)
  const driverFolder = isRelative ? driverFolderOf(to) : null
  if (driverFolder !== null && !isOfDriver && !compositions.includes(from)) {
    problems.push(`${from}: the driver ${to} is for cli/*Layers.ts and tests only`)
  }
  if (isRelative && /^engine\/(recommend|learn)\//.test(to) && folder !== "engine" && !isPipeline(from)) {
    problems.push(`${from}: the stage ${to} is for its pipeline only`)
  }
  problems.push(...stageProblems({ from, isRelative, isTypeOnly, to }))
  return problems
}

/** Each cycle of imports once, as the path that closes it. */
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

/** The rooms that see a caller's key: those that verify it, and the drivers of a memory that verifies it again. */
const keyRooms = /^(http|accounts|memory\/(remote|delivery))\//

/** The rooms that hold secrets of the service's own: of its database and of the endpoints that it asks. */
const secretRooms = /^(cli|sql|postgres|resilience|(embedder|reasoner)\/remote)\//

/** Problems with the secrets that a source names. */
const secretProblems = (path: string, source: string): ReadonlyArray<string> => {
  if (keyRooms.test(path)) return []
  if (/callerkey/i.test(source)) return [`${path}: names the caller's key; a lane's id is enough`]
  const isSecret = /\bRedacted\b/.test(source) && !secretRooms.test(path)
  return isSecret ? [`${path}: holds a secret (\`Redacted\`) in a room that needs none`] : []
}

/** The rooms that may read the machine's clock: those of the page, which runs in a browser. */
const machineClockRooms = /^packages\/dashboard\//

const machineClock = /\bDate\.now\b|\bnew Date\(\)/

/** True for lists of patterns, which have one line for one idea, however long. */
const isWordList = (path: string): boolean => /^engine\/[^/]+\/patterns\//.test(path)

/** True for the files that define or use `degrade`. */
const isDegrading = (path: string): boolean =>
  path === "engine/Notes.ts" || isPipeline(path)

/** A handler of a port's failure, such as `Effect.catchTag("MemoryUnavailable", …)`. */
const swallowed = /\bcatchTags?\(\s*[{["]\s*"?\w+Unavailable/

/** A comment as the first thing of a file, after the line that makes a program executable. */
const startsWithRole = /^(#!.*\n)?\/[/*]/

/** Problems that no file may have, in `src` or in a package. */
const fileProblems = (path: string, text: string): ReadonlyArray<string> => {
  const problems: Array<string> = []
  if (!startsWithRole.test(text)) problems.push(`${path}: does not begin with its role`)
  const source = sourceOf(text)
  for (const [pattern, name] of forbidden) if (pattern.test(source)) problems.push(`${path}: holds ${name}`)
  if (/@ts-(ignore|nocheck|expect-error)/.test(text)) problems.push(`${path}: silences the type checker`)
  // A program writes such a file, and nobody reads it from its beginning to its end.
  if (/^\/\*[^*]*Written by `npm run \w+`; never edited\./.test(text)) return problems
  const codeLines = source.split("\n").filter((line) => line.trim() !== "").length
  if (codeLines > codeLinesMax) problems.push(`${path}: ${codeLines} lines of code, more than ${codeLinesMax}`)
  text.split("\n").forEach((line, index) => {
    if (line.length > columnsMax && !isWordList(path)) {
      problems.push(`${path}:${index + 1}: ${line.length} columns, more than ${columnsMax}`)
    }
  })
  return problems
}

const textProblems = (path: string, text: string): ReadonlyArray<string> => {
  const source = sourceOf(text)
  const problems = [...fileProblems(path, text), ...secretProblems(path, source)]
  if (machineClock.test(source) && !machineClockRooms.test(path)) {
    problems.push(`${path}: reads the machine's clock; \`Clock.currentTimeMillis\` is corrected by the database's`)
  }
  if (/\bdegrade\(/.test(source) && !isDegrading(path)) problems.push(`${path}: only the pipelines degrade`)
  if (pipelineOf(path) !== null && swallowed.test(text)) {
    problems.push(`${path}: a stage fails, and its pipeline degrades: it may not catch what a port lacks`)
  }
  if (folderOf(path) === "engine" && /\bstatus(Code)?\b|\bHttp[A-Z]/.test(source)) {
    problems.push(`${path}: the engine has no status codes`)
  }
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

/**
 * Everything that is wrong with the client's package. The package has no dependencies, and runs where only the web's
 * names are known. Its files import each other alone. An adapter is a folder, and imports these files, its own, those
 * that adapters share, and Node. `agents` is copied to the machines of hooks, so it imports itself and Node alone.
 * Commands import `agents`.
 */
export const clientProblemsOf = (sources: Sources): ReadonlyArray<string> => {
  const imports = [...sources].flatMap(([path, text]) => importsOf(path, text))
  const isAllowed = ({ from, isRelative, to }: Import): boolean => {
    const isAdapter = folderOf(from) !== ""
    if (!isRelative) return isAdapter && to.startsWith("node:")
    if (folderOf(from) === "agents" || folderOf(to) === "agents") {
      return folderOf(to) === "agents" && ["agents", "command"].includes(folderOf(from))
    }
    return ["", folderOf(from)].includes(folderOf(to)) || (isAdapter && ["adapters", "sdk"].includes(folderOf(to)))
  }
  return [
    ...imports.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from}: may not import ${to}`),
    ...cyclesOf(imports),
    ...[...sources].flatMap(([path, text]) => fileProblems(path, text))
  ]
}

/** The TypeScript files under a folder, by their path inside it. */
const sourcesUnder = (folder: string): Sources =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => [path.replaceAll("\\", "/"), readFileSync(join(folder, path), "utf8")])
  )

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The sources of the service: `src`, and the packages that are parts of it. */
export const serviceSources = (): Sources =>
  new Map([
    ...sourcesUnder(join(root, "src")),
    ...innerPackages.map((name) => `packages/${name}/src`).flatMap((folder) =>
      [...sourcesUnder(join(root, folder))].map(([path, text]) => [`${folder}/${path}`, text] as const)
    )
  ])

/** The sources of the client's package. */
export const clientSources = (): Sources => sourcesUnder(join(root, "packages/client/src"))

if (import.meta.main) {
  const problems = [...problemsOf(serviceSources()), ...clientProblemsOf(clientSources())]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}
