/**
 * Plays workloads with known truth (w1 to w7, w-effort) through the real engine in process, from an empty memory. Only
 * the picked model's outcome is revealed. Prints how many picks are right after how many outcomes, and the distance
 * from the best assignment. Means over seeds and sliders, with errors over seeds. `--against` gives the differences to
 * an earlier run's `--out`.
 */
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { mean, meanAndError } from "./arena/averages.ts"
import { pairedTable, reportsIn } from "./arena/paired.ts"
import { runAll } from "./workers/pool.ts"
import { settingsIn } from "./arena/settings.ts"
import { aligned, fixed, numbersIn, withError } from "./arena/table.ts"
import type { WorkloadReport, WorkloadRun, WorkloadTask } from "./arena/workload-run.ts"
import { titles, workloadNames } from "./arena/workloads.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1-12" },
    prompts: { type: "string", default: "1500" },
    sliders: { type: "string", default: "0,2.5,5,7.5,10" },
    only: { type: "string", default: workloadNames.join(",") },
    settings: { type: "string", default: "{}" },
    without: { type: "string", default: "" },
    workers: { type: "string", default: String(availableParallelism()) },
    out: { type: "string" },
    against: { type: "string" }
  }
})

const wanted = new Set(values.only.split(","))
const shared = {
  prompts: Number(values.prompts),
  sliders: numbersIn(values.sliders),
  settings: settingsIn(values.settings, values.without)
}
const tasks = workloadNames.filter((name) => wanted.has(name)).flatMap((workload) =>
  numbersIn(values.seeds).map((seed): WorkloadTask => ({ ...shared, workload, seed })))

const { reports, seconds } = await runAll("workload", tasks, Number(values.workers))

/** Mean over sliders seed by seed, so that the error is over seeds. */
const shown = (
  own: ReadonlyArray<WorkloadReport>,
  of: (run: WorkloadRun) => number,
  digits: number
): string => withError(meanAndError(own.map(({ runs }) => mean(runs.map(of)))), digits)

const leftAfter = (own: ReadonlyArray<WorkloadReport>): string => {
  const left = own.flatMap(({ runs }) => runs.flatMap((run) => run.leftAfter ?? []))
  const all = own.reduce((sum, { runs }) => sum + runs.length, 0)
  return left.length === 0 ? "" : `${fixed(mean(left), 1)} (${left.length} of ${all} runs)`
}

const rowOf = (own: ReadonlyArray<WorkloadReport>): ReadonlyArray<string> => {
  const [first] = own
  if (first === undefined) return []
  return [
    `${first.workload} ${titles[first.workload]}`,
    ...[0, 1, 2, 3].map((span) => shown(own, (run) => 100 * (run.right[span] ?? 0), 0)),
    shown(own, (run) => run.overMix, 1),
    shown(own, (run) => run.under, 1),
    shown(own, (run) => run.ece, 3),
    shown(own, (run) => run.costRatio, 2),
    leftAfter(own)
  ]
}

/** Success and cost of the advice, and of always picking the dearest candidate, which is high effort in w-effort. */
const besideDearest = (own: ReadonlyArray<WorkloadReport>): ReadonlyArray<string> => [
  shown(own, (run) => 100 * run.success, 1),
  shown(own, (run) => 100 * run.successOfDearest, 1),
  shown(own, (run) => 1_000 * run.costUsd, 2),
  shown(own, (run) => 1_000 * run.costUsdOfDearest, 2),
  shown(own, (run) => 100 * run.costUsd / run.costUsdOfDearest, 0)
]

/** Outcomes in which right picks are counted. */
const spans = ["100-199", "200-299", "500-699", "2nd half"]
const seedCount = numbersIn(values.seeds).length
console.log(`${seedCount} seeds, ${values.prompts} prompts, sliders ${values.sliders}, ${seconds} s`)
console.log("right picks in % at outcomes; over mix and under in points of true success")
console.log(aligned([
  ["workload", ...spans, "over mix", "under", "ECE", "cost ratio", "left after"],
  ...[...Map.groupBy(reports, ({ workload }) => workload).values()].map(rowOf)
]))
const ofEfforts = reports.filter(({ workload }) => workload === "w-effort")
if (ofEfforts.length > 0) {
  console.log("beside always the highest effort: success in %, USD per 1,000 calls, cost in %")
  const rows = ofEfforts.map(({ runs }) => runs.map(({ slider }) => slider))[0]?.map((slider, at) => {
    const own = ofEfforts.map((report) => ({ ...report, runs: [report.runs[at]!] }))
    const right = [1, 2].map((span) => shown(own, (run) => 100 * (run.right[span] ?? 0), 0))
    return [String(slider), ...right, ...besideDearest(own)]
  }) ?? []
  console.log(aligned([
    ["slider", "right at 200-299", "right at 500-699", "success", "of high", "cost", "of high", "share"], ...rows
  ]))
}
if (values.against !== undefined) {
  /** A figure's mean over the sliders of a report. */
  const over = (of: (run: WorkloadRun) => number) => ({ runs }: WorkloadReport) => mean(runs.map(of))
  const earlier = reportsIn<WorkloadReport>(values.against, "reports")
  console.log(pairedTable(reports, earlier, ({ workload }) => workload, [
    ...spans.map((title, span) => [title, over((run) => 100 * (run.right[span] ?? 0)), 1] as const),
    ["over mix", over((run) => run.overMix), 2],
    ["under", over((run) => run.under), 2],
    ["ECE", over((run) => run.ece), 4]
  ]))
}
if (values.out !== undefined) {
  writeFileSync(values.out, JSON.stringify({ options: shared, reports }, null, 1))
}
