/*
 * The log of the backtest's demo, simulated: what the demo's teams ask, which of four models ran, and what came of
 * it. Every model's outcome of every call is drawn, so that what each would have got and cost is known.
 *
 *   node_modules/.bin/node scripts/demo/log.ts    writes examples/backtest/log.jsonl.gz and truth.json
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { Outcome } from "../../src/domain/Feedback.ts"
import { generator } from "../../src/stats/Generator.ts"
import { pickFrom } from "../bench/arena/random.ts"
import { type Call, trafficOf } from "./traffic.ts"

/** The models of the log, with what they cost in it, USD per million tokens. */
const prices: Readonly<Record<string, { readonly input: number; readonly output: number }>> = {
  "gemini-2.5-flash": { input: 0.3, output: 2.5 },
  "gpt-5-mini": { input: 0.25, output: 2 },
  "gpt-5": { input: 1.25, output: 10 },
  "claude-sonnet-5": { input: 2, output: 10 }
}
export const logModels: ReadonlyArray<string> = Object.keys(prices)

const seed = 18
const rows = 3_000
/** The log begins then and takes four weeks. */
const beginsMs = Date.UTC(2025, 8, 1)
const lastsMs = 28 * 86_400_000

/** Share of the calls that run one of the four models drawn evenly: the teams try them out beside their own. */
const triedShare = 0.5

/** Milliseconds to answer: a start, and a pace by the tokens written. */
const latencyMsOf = (outputTokens: number): number => Math.round(400 + outputTokens * 12)

/** A row of the log, in the format of our own. */
interface DemoRow {
  readonly id: string
  readonly at: string
  readonly prompt: string
  readonly model: string
  readonly tokens: { readonly input: number; readonly output: number }
  readonly cost_usd: number
  readonly latency_ms: number
  readonly tags: ReadonlyArray<string>
  readonly task_type?: string
  readonly score?: number
  readonly evidence_source?: string
  readonly error_cause?: "infra"
}

const costOf = ({ inputTokens, outputTokens }: Call, modelId: string): number => {
  const { input, output } = prices[modelId]!
  return Number(((inputTokens * input + outputTokens * output) / 1e6).toFixed(9))
}

/** Each call of the simulated weeks, and the model that ran: it depends on the team, which a tag says, alone. */
const callsOfLog = (): ReadonlyArray<readonly [Call, string]> => {
  const random = generator(seed + 1)
  return trafficOf(seed, rows).map((call) => {
    const [isTried, model] = [random() < triedShare, pickFrom(logModels, random)]
    const own = call.team.baselineModelId
    return [call, isTried || own === null || !logModels.includes(own) ? model : own] as const
  })
}

/** The log, the same every time. */
export const demoLog = (): ReadonlyArray<DemoRow> =>
  callsOfLog().map(([call, model], i) => {
    const { errorCause, quality } = call.resultOf(model, null)
    const isLabelled = call.isReported && call.label !== "none" && errorCause === null
    return {
      id: `demo-${i + 1}`,
      at: new Date(beginsMs + call.time * lastsMs).toISOString(),
      prompt: call.text,
      model,
      tokens: { input: call.inputTokens, output: errorCause === null ? call.outputTokens : 0 },
      cost_usd: errorCause === null ? costOf(call, model) : 0,
      latency_ms: errorCause === null ? latencyMsOf(call.outputTokens) : 60_000,
      tags: [`team:${call.namespace.replace("demo-", "")}`],
      ...(call.isTyped ? { task_type: call.taskType } : {}),
      ...(isLabelled ? { score: Number(quality.toFixed(3)) } : {}),
      ...(isLabelled && call.label !== null ? { evidence_source: call.label } : {}),
      ...(errorCause === null ? {} : { error_cause: errorCause })
    }
  })

/** What one model would have come to in all calls of the log that no fault of a provider ended. */
interface DemoTruth {
  readonly model: string
  /** Mean quality, and share of outcomes that are a success, each in [0, 1]. */
  readonly quality: number
  readonly success: number
  /** Mean, per call. */
  readonly cost_usd: number
}

/** The truth of "always this model", for each model of the log. */
export const demoTruth = (): ReadonlyArray<DemoTruth> => {
  const calls = callsOfLog()
  return logModels.map((model) => {
    const results = calls.map(([call]) => ({ ...call.resultOf(model, null), costUsd: costOf(call, model) }))
      .filter(({ errorCause }) => errorCause === null)
    const mean = (of: (result: { quality: number; outcome: Outcome; costUsd: number }) => number): number =>
      Number((results.reduce((sum, result) => sum + of(result), 0) / results.length).toPrecision(6))
    return {
      model,
      quality: mean(({ quality }) => quality),
      success: mean(({ outcome }) => outcome === "success" ? 1 : 0),
      cost_usd: mean(({ costUsd }) => costUsd)
    }
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fileIn = (name: string): string => fileURLToPath(new URL(`../../examples/backtest/${name}`, import.meta.url))
  const lines = demoLog().map((row) => `${JSON.stringify(row)}\n`)
  writeFileSync(fileIn("log.jsonl.gz"), gzipSync(lines.join(""), { level: 9 }))
  writeFileSync(fileIn("truth.json"), `${JSON.stringify(demoTruth(), null, 2)}\n`)
}
