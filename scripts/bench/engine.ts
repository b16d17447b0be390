/**
 * Milliseconds and kilobytes per recommendation without HTTP and SQL: `pure` is aggregate, cost and optimize
 * on an answer already recalled; `engine` is the whole conductor over in-process drivers, with a ledger that
 * keeps nothing. Below the table stand the goals for the engine beside what it took, by the middle of its calls.
 *
 * V8 compiles until about 12,000 requests, so as many are made before the first case. Every request has a text
 * that was never read before.
 *
 * The processor's time counts all threads, the collector's too; it says more than the clock on a busy machine.
 * Kilobytes are the growth of V8's used heap over batches of calls, the median of the batches in which no
 * collection ran.
 */
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { PerformanceObserver } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as CatalogFile from "../../src/catalog/file/CatalogFile.ts"
import { noAccountModels } from "../../src/domain/AccountModels.ts"
import { RecommendRequest } from "../../src/domain/Recommendation.ts"
import { laneOf } from "../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import type { Priced } from "../../src/engine/recommend/candidates/Candidate.ts"
import { choose } from "../../src/engine/recommend/choice/Choose.ts"
import { threshold } from "../../src/engine/recommend/choice/Threshold.ts"
import { heuristic } from "../../src/engine/recommend/Classify.ts"
import { price } from "../../src/engine/recommend/cost/Price.ts"
import { filter } from "../../src/engine/recommend/Filter.ts"
import { predict } from "../../src/engine/recommend/prediction/Predict.ts"
import { Recommender } from "../../src/engine/Recommender.ts"
import { defaults, Settings } from "../../src/engine/Settings.ts"
import * as RecentTasksLocal from "../../src/memory/local/RecentTasksLocal.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { noNeighbours } from "../../src/memory/Neighbours.ts"
import { Reasoner } from "../../src/reasoner/Reasoner.ts"
import * as Telemetry from "../../src/telemetry/otlp/Telemetry.ts"
import * as LaneCalibrationLocal from "../../src/testing/LaneCalibrationLocal.ts"
import * as MemoryLocal from "../../src/testing/MemoryLocal.ts"
import { emptyLedger } from "./harness/emptyLedger.ts"
import { machine, median, quantile, table } from "./harness/figures.ts"
import { accountId, fill } from "./harness/history.ts"
import { asked } from "./harness/prompts.ts"

/** Requests before the first case, and calls before each measurement, which end the compiling of what is new. */
const warmUpRequests = 12_000
const warmUpCalls = 500
const calls = 1_000
const batches = 20
/** Short enough that a batch fits the young generation at 64 candidates. */
const batchCalls = 8

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

let collections = 0
new PerformanceObserver((list) => {
  collections += list.getEntries().length
}).observe({ entryTypes: ["gc"], buffered: false })

interface Measured {
  readonly processorMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly kilobytes: number
}

/** Lets the observer of collections run. */
const settle = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 1)))

const measure = Effect.fnUntraced(function*<A, E, R>(call: (index: number) => Effect.Effect<A, E, R>) {
  for (let i = 0; i < warmUpCalls; i++) yield* call(i)
  const kilobytes: Array<number> = []
  for (let batch = 0; batch < batches; batch++) {
    collect()
    yield* settle
    const before = collections
    const used = process.memoryUsage().heapUsed
    for (let i = 0; i < batchCalls; i++) yield* call(batch * batchCalls + i)
    const grown = process.memoryUsage().heapUsed - used
    yield* settle
    if (collections === before) kilobytes.push(grown / batchCalls / 1_024)
  }
  const times: Array<number> = []
  const used = process.cpuUsage()
  for (let i = 0; i < calls; i++) {
    const began = performance.now()
    yield* call(i)
    times.push(performance.now() - began)
  }
  const { system, user } = process.cpuUsage(used)
  const processorMs = (system + user) / 1_000 / calls
  return { processorMs, p50Ms: median(times), p99Ms: quantile(times, 0.99), kilobytes: median(kilobytes) }
})

interface Case {
  readonly laneSize: number
  readonly maxCandidates: number
  readonly explain: boolean
}

const namespaceOf = (laneSize: number): string => `lane-${laneSize}`

let asks = 0

/** A request of a case, with a number before its prompt, so that the text is none that was read before. */
const requestOf = ({ explain, laneSize, maxCandidates }: Case, index: number) =>
  RecommendRequest.make({
    task: { task: `${asks++} ${asked[index % asked.length]!}` },
    namespace: namespaceOf(laneSize), maxCandidates, explain
  })

/** What the pure path starts from, per request. */
const recalledFor = Effect.fnUntraced(function*(request: RecommendRequest) {
  const memory = yield* Memory
  const classified = heuristic(request.task)
  const { candidates } = yield* filter(request, classified, noAccountModels, () => new Map())
  const recalled = yield* memory.recall({
    accountId,
    lane: laneOf(request.namespace),
    task: request.task.task,
    cluster: classified.cluster,
    tags: request.task.tags,
    userId: null,
    modelIds: candidates.map((candidate) => candidate.card.modelId),
    perModel: defaults.recallPerModel
  })
  const query = {
    task: request.task,
    classified,
    caching: { requirePromptCaching: false, incumbentModelId: null },
    measurements: noNeighbours
  }
  const evidence = { recalled, numbers: defaults.laneStart, isDifficultyGiven: false, tags: [] }
  const goal = {
    threshold: threshold(defaults, request.costQualityTradeoff, null),
    slider: request.costQualityTradeoff,
    budgets: { maxCostPerCall: null, maxLatencyMs: null },
    optimizeFor: "cost" as const,
    selectionPolicy: "argmin" as const
  }
  return () => {
    const priced = price(defaults, predict(defaults, candidates, evidence), query, goal)
    return choose(defaults, priced as readonly [Priced, ...Array<Priced>], goal, 0.5)
  }
})

const cells = ({ kilobytes, p50Ms, p99Ms, processorMs }: Measured): ReadonlyArray<string> =>
  [p50Ms.toFixed(3), p99Ms.toFixed(3), processorMs.toFixed(3), kilobytes.toFixed(0)]

/** The whole engine's answer to the next request of a case. */
const ask = (each: Case) => (index: number) =>
  Effect.flatMap(Recommender, (recommender) => recommender.recommend(accountId, requestOf(each, index)))

const runCase = Effect.fnUntraced(function*(each: Case) {
  const pure = yield* Effect.forEach(asked, (_, i) => recalledFor(requestOf(each, i)))
  const dry = yield* measure((i) => Effect.sync(() => pure[i % pure.length]!()))
  const whole = yield* measure(ask(each))
  const name = [String(each.laneSize), String(each.maxCandidates), String(each.explain)]
  return { each, whole, row: [...name, "", ...cells(dry), "", ...cells(whole)] }
})
type Ran = Effect.Success<ReturnType<typeof runCase>>

/** The lanes that the goals are about, outcomes; the growth is from the smaller to the larger. */
const [smallLane, largeLane] = [200, 20_000]
const usual = { maxCandidates: 8, explain: true }
const middleLane = { ...usual, laneSize: 10_000 }
const cases: ReadonlyArray<Case> = [
  { ...usual, laneSize: 0 },
  { ...usual, laneSize: smallLane },
  middleLane,
  { ...middleLane, explain: false },
  { ...middleLane, maxCandidates: 64 },
  { ...usual, laneSize: largeLane }
]

/** The goals beside what the engine took. */
const goalLines = (ran: ReadonlyArray<Ran>): ReadonlyArray<string> => {
  const p50Ms = (laneSize: number) =>
    ran.find(({ each }) => each.laneSize === laneSize && each.maxCandidates === usual.maxCandidates
      && each.explain === usual.explain)?.whole.p50Ms ?? NaN
  const [small, large] = [p50Ms(smallLane), p50Ms(largeLane)]
  return [
    `engine at ${smallLane} outcomes: p50 ${small.toFixed(3)} ms (goal 0.35)`,
    `engine at ${largeLane} outcomes: p50 ${large.toFixed(3)} ms (goal 0.6)`,
    `growth between them: ${(large - small).toFixed(3)} ms (goal 0.3)`
  ]
}

const program = Effect.gen(function*() {
  for (const laneSize of new Set(cases.map((each) => each.laneSize))) {
    yield* fill(namespaceOf(laneSize), 0, laneSize)
  }
  const warmUp = ask(middleLane)
  for (let i = 0; i < warmUpRequests; i++) yield* warmUp(i)
  const measures = ["p50 ms", "p99 ms", "cpu ms", "KB"]
  const head = [
    "lane", "candidates", "explain", "pure:", ...measures, "engine:", ...measures
  ]
  const ran = yield* Effect.forEach(cases, runCase)
  console.log(`${machine()}\n${calls} calls each, ${asked.length} prompts of 100 to 2,000 characters\n`)
  console.log(table(head, ran.map(({ row }) => row)))
  console.log(`\n${goalLines(ran).join("\n")}`)
})

const ports = Layer.mergeAll(
  CatalogFile.layerBundled.pipe(Layer.provide(NodeServices.layer)),
  MemoryLocal.layer().pipe(Layer.provide(EmbedderLexical.layer)),
  emptyLedger,
  LaneCalibrationLocal.layer,
  Reasoner.layerDisabled,
  RecentTasksLocal.layer,
  Settings.layer(),
  // As a service without an endpoint for it.
  Telemetry.layerOff
)
await Effect.runPromise(program.pipe(Effect.provide(Recommender.layer.pipe(Layer.provideMerge(ports)))))
process.exit(0)
