/*
 * Writes the log of `examples/backtest` and its truth. The log is simulated: five made-up teams ask, a tag says which,
 * half of the calls run the team's usual model, and half one of four models at random. Every model's outcome of every
 * call is drawn, so that the result of each choice is known. The same seed writes the same log.
 *
 *     npm run example-log
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { TaskType } from "../src/domain/Task.ts"
import { generator } from "../src/stats/Generator.ts"
import { kindNamed, write } from "./bench/arena/prompts.ts"
import { between, byShare, pickFrom, type Random } from "./bench/arena/random.ts"

const seed = 7
const rows = 3_000
const beginsMs = Date.UTC(2026, 9, 5)
const lastsMs = 28 * 86_400_000

/** Share of calls that run a model drawn evenly; of those labelled; of those that a provider's fault ended. */
const triedShare = 0.5
const labelledShare = 0.6
const infraShare = 0.015
/** Share of half a success among the outcomes that are no success. */
const partialShare = 0.3

interface LogModel {
  /** US dollars per million tokens. */
  readonly input: number
  readonly output: number
  /** True success by the ease of a task: routine work, and work that needs thought. */
  readonly routine: number
  readonly hard: number
}

/** Made up, but for prices: nobody should read a model's quality here. */
const models: Readonly<Record<string, LogModel>> = {
  "gpt-5.4-mini": { input: 0.75, output: 4.5, routine: 0.93, hard: 0.58 },
  "gemini-3.7-flash": { input: 0.75, output: 3.75, routine: 0.91, hard: 0.68 },
  "claude-sonnet-5": { input: 2, output: 10, routine: 0.93, hard: 0.87 },
  "claude-opus-5": { input: 5, output: 25, routine: 0.94, hard: 0.9 }
}
const logModels: ReadonlyArray<string> = Object.keys(models)

interface LogTeam {
  readonly tag: string
  readonly share: number
  readonly own: string
  readonly isHard: boolean
  readonly source: "gate" | "human"
  readonly kinds: Readonly<Record<string, TaskType>>
  readonly inputTokens: readonly [least: number, most: number]
  readonly outputTokens: readonly [least: number, most: number]
}

const teams: ReadonlyArray<LogTeam> = [
  {
    tag: "team:checkout", share: 0.3, own: "claude-opus-5", isHard: true, source: "gate",
    kinds: { "bug": "code", "sql": "code", "unit-tests": "code", "refactor": "code", "port": "code" },
    inputTokens: [300, 3_000], outputTokens: [200, 1_500]
  },
  {
    tag: "team:support", share: 0.3, own: "claude-sonnet-5", isHard: false, source: "human",
    kinds: { "triage": "classification", "password": "qa", "address": "extraction" },
    inputTokens: [200, 1_500], outputTokens: [60, 500]
  },
  {
    tag: "team:localisation", share: 0.2, own: "claude-sonnet-5", isHard: false, source: "human",
    kinds: { "translate": "translation", "subtitles": "translation", "formality": "translation" },
    inputTokens: [150, 1_500], outputTokens: [100, 1_200]
  },
  {
    tag: "team:legal", share: 0.1, own: "claude-opus-5", isHard: true, source: "human",
    kinds: { "breach": "reasoning", "privacy": "reasoning", "compare-clauses": "reasoning" },
    inputTokens: [800, 6_000], outputTokens: [300, 1_500]
  },
  {
    tag: "team:marketing", share: 0.1, own: "claude-sonnet-5", isHard: false, source: "human",
    kinds: { "slogan": "creative", "speech": "creative", "blog": "creative" },
    inputTokens: [80, 400], outputTokens: [200, 1_200]
  }
]

interface LogCall {
  readonly row: Readonly<Record<string, unknown>>
  readonly costOf: (model: string) => number
  /** Quality with a model, in [0, 1]; the same luck for every model. */
  readonly qualityOf: (model: string) => number
  readonly isBroken: boolean
}

const callOf = (index: number, random: Random): LogCall => {
  const team = byShare(teams, random())
  const [name, taskType] = pickFrom(Object.entries(team.kinds), random)
  const prompt = write(kindNamed(name), random)
  const [inputTokens, outputTokens] = [between(team.inputTokens, random), between(team.outputTokens, random)]
  const [luck, shade] = [random(), random()]
  const isBroken = random() < infraShare
  const isTried = random() < triedShare
  const tried = pickFrom(logModels, random)
  const model = isTried ? tried : team.own
  const isLabelled = random() < labelledShare && !isBroken
  const isTyped = random() < 0.5
  const costOf = (of: string): number => {
    const { input, output } = models[of]!
    return Number(((inputTokens * input + outputTokens * output) / 1e6).toFixed(9))
  }
  const qualityOf = (of: string): number => {
    const isSuccess = luck < models[of]![team.isHard ? "hard" : "routine"]
    return Number((isSuccess ? 0.85 + 0.15 * shade : shade < partialShare ? 0.5 : 0.2 * shade).toFixed(3))
  }
  const row = {
    id: `call-${index + 1}`,
    at: new Date(beginsMs + index / rows * lastsMs).toISOString(),
    prompt,
    model,
    tokens: { input: inputTokens, output: isBroken ? 0 : outputTokens },
    cost_usd: isBroken ? 0 : costOf(model),
    latency_ms: isBroken ? 60_000 : 400 + outputTokens * 12,
    tags: [team.tag],
    ...(isTyped ? { task_type: taskType } : {}),
    ...(isLabelled ? { score: qualityOf(model), evidence_source: team.source } : {}),
    ...(isBroken ? { error_cause: "infra" } : {})
  }
  return { row, costOf, qualityOf, isBroken }
}

const calls = (): ReadonlyArray<LogCall> => {
  const random = generator(seed)
  return Array.from({ length: rows }, (_, index) => callOf(index, random))
}

/** The lines of the log. */
export const logLines = (): ReadonlyArray<string> => calls().map(({ row }) => JSON.stringify(row))

/** Quality, success and cost per call if one model had run every call, without calls that a provider's fault ended. */
export const logTruth = () => {
  const fine = calls().filter(({ isBroken }) => !isBroken)
  const mean = (of: (call: LogCall) => number): number =>
    Number((fine.reduce((sum, call) => sum + of(call), 0) / fine.length).toPrecision(6))
  return logModels.map((model) => ({
    model,
    quality: mean(({ qualityOf }) => qualityOf(model)),
    success: mean(({ qualityOf }) => qualityOf(model) >= 0.85 ? 1 : 0),
    cost_usd: mean(({ costOf }) => costOf(model))
  }))
}

if (import.meta.main) {
  const fileIn = (name: string): string => fileURLToPath(new URL(`../examples/backtest/${name}`, import.meta.url))
  writeFileSync(fileIn("log.jsonl.gz"), gzipSync(logLines().map((line) => `${line}\n`).join(""), { level: 9 }))
  writeFileSync(fileIn("truth.json"), `${JSON.stringify(logTruth(), null, 2)}\n`)
}
