/**
 * Measures processor time of the pure path of a recommendation: reading its text, classify, filter, aggregate, cost,
 * optimize, escalate and answer, with neighbours that are already recalled. It is a multiple of a fixed loop in the
 * same process, and is compared with the figure in `bench/path/figure.json`. A change that costs a tenth is seen.
 *
 *     bench:path [--write] [--processes 3] [--rounds 60]
 *
 * In each round every prompt is asked about once, and the loop runs once after each. The low quantile over the rounds
 * counts, by prompt, because that is a call which neither another process nor a collection of garbage interrupted. The
 * middle one of several processes counts, because the compiler does not make the same code twice. If the system counts
 * processor time in longer steps than a call takes, the wall clock is used. It prints a line, and a second one if the
 * figure is off by more than a tenth. It never fails. `--write` keeps the figure.
 */
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as CatalogFile from "../../src/catalog/file/CatalogFile.ts"
import { RecommendRequest } from "../../src/domain/Recommendation.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import { Recommender } from "../../src/engine/Recommender.ts"
import { Settings } from "../../src/engine/Settings.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import * as RecentTasksLocal from "../../src/memory/local/RecentTasksLocal.ts"
import { Memory, type Recalled } from "../../src/memory/Memory.ts"
import { Reasoner } from "../../src/reasoner/Reasoner.ts"
import * as Telemetry from "../../src/telemetry/otlp/Telemetry.ts"
import * as LaneCalibrationLocal from "../../test/local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../../test/local/LedgerLocal.ts"
import * as MemoryLocal from "../../test/local/MemoryLocal.ts"
import { median, quantile } from "./harness/figures.ts"
import { accountId, fill } from "./harness/history.ts"
import { asked } from "./harness/prompts.ts"
import { reference } from "./path/reference.ts"

const { values: options } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    processes: { type: "string", default: "3" },
    rounds: { type: "string", default: "60" },
    once: { type: "boolean", default: false }
  }
})
const namespace = "path"
const laneSize = 2_000
const warmUpRounds = 25
/** Turns of the loop that are measured together, which take about as long as a call. */
const turns = 4
const lowShare = 0.05
/** Coarsest step of processor time with which a call is measured, us. */
const stepUsMax = 20
/** Difference from the kept figure that is reported, as a share of the figure. */
const worthSaying = 0.1
const kept = new URL("path/figure.json", import.meta.url)

interface Figure {
  /** Processor time of the path as a multiple of the reference loop's. */
  readonly ratio: number
  readonly pathUs: number
  readonly referenceUs: number
}

/** Processor time of the thread so far, us. */
const processorUs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return system + user
}

/** True if processor time is counted in short steps. Some virtual machines count hundredths of a second. */
const isProcessorTimeFine = (): boolean => {
  const beganUs = processorUs()
  let nextUs = beganUs
  while (nextUs === beganUs) nextUs = processorUs()
  return nextUs - beganUs <= stepUsMax
}

const clockUs = isProcessorTimeFine() ? processorUs : () => performance.now() * 1_000

/** A memory that recalls for each prompt once; from then on it gives the same answer. */
const rememberedMemory = Layer.effect(
  Memory,
  Effect.map(Memory, (memory) => {
    const answers = new Map<string, Recalled>()
    return {
      ...memory,
      recall: (query) => {
        const prompt = query.task.slice(query.task.indexOf(" ") + 1)
        const answer = answers.get(prompt)
        return answer === undefined
          ? Effect.tap(memory.recall(query), (recalled) => Effect.sync(() => answers.set(prompt, recalled)))
          : Effect.succeed(answer)
      }
    }
  })
).pipe(Layer.provideMerge(MemoryLocal.layer().pipe(Layer.provide(EmbedderLexical.layer))))

/** A ledger that keeps nothing: kept decisions would make every later collection of garbage dearer. */
const emptyLedger = Layer.effect(
  Ledger,
  Effect.map(Ledger, (ledger) => ({ ...ledger, record: () => Effect.void }))
).pipe(Layer.provide(LedgerLocal.layer))

const measure = Effect.gen(function*() {
  yield* fill(namespace, 0, laneSize)
  const recommender = yield* Recommender
  let asks = 0
  let turn = 0
  /** Asks about a prompt, with a number before it, so that the text is none that was read before. */
  const ask = (prompt: string) =>
    Effect.suspend(() => recommender.recommend(accountId, RecommendRequest.make({
      task: { task: `${asks++} ${prompt}` }, namespace
    })))
  const loop = Effect.sync(() => {
    for (let i = 0; i < turns; i++) reference(turn++)
  })
  const spent = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
    const beganUs = clockUs()
    yield* effect
    return clockUs() - beganUs
  })
  const paths = asked.map((): Array<number> => [])
  const references: Array<number> = []
  for (let round = -warmUpRounds; round < Number(options.rounds); round++) {
    for (const [index, prompt] of asked.entries()) {
      const pathUs = yield* spent(ask(prompt))
      const loopUs = yield* spent(loop)
      if (round < 0) continue
      paths[index]?.push(pathUs)
      references.push(loopUs / turns)
    }
  }
  const pathUs = paths.reduce((sum, own) => sum + quantile(own, lowShare), 0) / paths.length
  const referenceUs = quantile(references, lowShare)
  const figure: Figure = { ratio: pathUs / referenceUs, pathUs, referenceUs }
  return figure
})

const ports = Layer.mergeAll(
  CatalogFile.layerBundled.pipe(Layer.provide(NodeServices.layer)),
  rememberedMemory,
  emptyLedger,
  LaneCalibrationLocal.layer,
  Reasoner.layerDisabled,
  RecentTasksLocal.layer,
  Settings.layer(),
  Telemetry.layerOff
)

const engine = Recommender.layer.pipe(Layer.provideMerge(ports))
const once = () => Effect.runPromise(Effect.provide(measure, engine))

const self = fileURLToPath(import.meta.url)

const several = (): Figure => {
  const figures = Array.from({ length: Number(options.processes) }, (): Figure =>
    JSON.parse(execFileSync(process.execPath, [self, "--once", "--rounds", options.rounds], { encoding: "utf8" })))
  const middle = (field: keyof Figure) => median(figures.map((each) => each[field]))
  return { ratio: middle("ratio"), pathUs: middle("pathUs"), referenceUs: middle("referenceUs") }
}

const report = ({ pathUs, ratio, referenceUs }: Figure) => {
  const before: Figure | null = existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : null
  const change = before === null ? 0 : ratio / before.ratio - 1
  const share = `${change < 0 ? "-" : "+"}${(Math.abs(change) * 100).toFixed(0)} %`
  const beside = before === null ? "no figure is kept" : `kept: ${before.ratio.toFixed(2)}, ${share}`
  console.log(`pure path: ${ratio.toFixed(2)} times the reference loop (${beside}); `
    + `${pathUs.toFixed(0)} us beside ${referenceUs.toFixed(0)} us of processor time`)
  const renew = "npm run bench:path -- --write keeps the new figure"
  if (change > worthSaying) console.log(`WARNING: the pure path became dearer by ${share}; where that is right, ${renew}`)
  if (change < -worthSaying) console.log(`The pure path became cheaper by ${share}: ${renew}`)
}

if (options.once) {
  console.log(JSON.stringify(await once()))
  process.exit(0)
}
const figure = several()
report(figure)
if (options.write) {
  const rounded: Figure = {
    ratio: Number(figure.ratio.toFixed(3)),
    pathUs: Math.round(figure.pathUs),
    referenceUs: Math.round(figure.referenceUs)
  }
  writeFileSync(kept, `${JSON.stringify(rounded, null, 2)}\n`)
}
