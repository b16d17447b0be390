/**
 * Answers whether Sextant learns: streams recorded outcomes through the real engine in process, from cold to warm, and prints
 * quality, cost, calibration error, regret and lift by tenth of the stream for three copies on the same
 * orders: one that learns, one that gets no outcomes, and one that gets the outcomes of other prompts. Means over
 * sets and sliders with standard errors over seeds (orders of the same prompts, not draws of others), and the
 * learning copy's paired differences. `--svg` draws all but lift, `--out` keeps every set's, and
 * `--from a.json,b.json` shows what earlier runs kept instead of measuring. `--priors none` starts without
 * any benchmark.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { runAll } from "./arena/pool.ts"
import type { ReplayOptions } from "./arena/replay.ts"
import { settingsIn } from "./arena/settings.ts"
import { numbersIn } from "./arena/table.ts"
import type { ArenaResult, ArenaTask } from "./arena/worker.ts"
import { copies, type LearningReport } from "./learning/copies.ts"
import { figureOf } from "./learning/figure.ts"
import { summaryOf } from "./learning/summary.ts"
import { tablesOf } from "./learning/tables.ts"

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/outcomes" },
    sets: { type: "string", default: "mixed12,routerbench,zeroeval,bfcl,mmlu_pro,routellm" },
    limit: { type: "string", default: "2500" },
    seeds: { type: "string", default: "1-4" },
    sliders: { type: "string", default: "0,2.5,5,7.5,10" },
    priors: { type: "string" },
    settings: { type: "string", default: "{}" },
    workers: { type: "string", default: String(availableParallelism()) },
    from: { type: "string" },
    out: { type: "string" },
    svg: { type: "string" }
  }
})

const options: ReplayOptions = {
  folder: values.data,
  sliders: numbersIn(values.sliders),
  limit: Number(values.limit),
  hints: "none",
  tags: null,
  shuffleLabels: false,
  hasPriors: values.priors !== "none",
  settings: settingsIn(values.settings),
  embedder: "built-in",
  http: null
}

const measured = async (): Promise<ReadonlyArray<LearningReport>> => {
  const tasks = values.sets.split(",").flatMap((set) =>
    numbersIn(values.seeds).flatMap((seed) =>
      copies.map((copy): ArenaTask => ({
        kind: "learning", task: { copy, replay: { ...options, set, seed } }
      }))))
  const began = performance.now()
  const results = await runAll<ArenaTask, ArenaResult>(
    new URL("./arena/worker.ts", import.meta.url),
    tasks,
    Number(values.workers),
    (result, finished) => {
      if (result.kind !== "learning") return
      const { copy, seed, set } = result.report
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      console.error(`${finished}/${tasks.length} ${set} seed ${seed} ${copy}, ${seconds} s`)
    }
  )
  return results.flatMap((result) => result.kind === "learning" ? [result.report] : [])
}

interface Kept {
  readonly reports: ReadonlyArray<LearningReport>
}

/** The files are this script's own, and not decoded. */
const kept = (paths: string): ReadonlyArray<LearningReport> =>
  paths.split(",").flatMap((path) => (JSON.parse(readFileSync(path, "utf8")) as Kept).reports)

const reports = values.from === undefined ? await measured() : kept(values.from)
const sets = Map.groupBy(reports, (report) => report.set)
const seeds = new Set(reports.map((report) => report.seed))
const sliders = (reports[0]?.runs ?? []).map((run) => run.slider)
const subject = `seeds ${[...seeds]}; sets ${[...sets.keys()].join(", ")}; sliders ${sliders}`
console.log(`${subject}; mean +- standard error over seeds\n`)
console.log(tablesOf(reports))
if (values.svg !== undefined) writeFileSync(values.svg, figureOf(reports, subject))
if (values.out !== undefined) {
  const perSet = Object.fromEntries([...sets].map(([set, own]) => [set, summaryOf(own)]))
  writeFileSync(values.out, JSON.stringify({ options, mean: summaryOf(reports), perSet, reports }))
}
