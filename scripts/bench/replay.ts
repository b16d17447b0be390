/**
 * Replays recorded outcomes through the real engine in process, many orders in parallel. Prints one row per set, with
 * means over seeds and their standard errors. `--against` gives the differences to an earlier run's `--out`. `--values
 * 1,3,10,30,100` asks for values of success in place of sliders, in mean costs of the dearest model. `--retire` takes
 * the best model of each set away at row 500 and judges the successor that its retirement names. `--families even` or
 * `odd` leaves only the models of one half of the families; `--dealt` deals their priors anew.
 */
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { mean, meanAndError } from "./arena/averages.ts"
import { type SetFigures } from "./arena/figures.ts"
import { familyHalves } from "./arena/outcomes.ts"
import { pairedTable, reportsIn } from "./arena/paired.ts"
import { retireTable } from "./arena/retire-table.ts"
import { runAll } from "./workers/pool.ts"
import type { ReplayOptions, ReplayReport, ReplayTask } from "./arena/replay.ts"
import { settingsIn } from "./arena/settings.ts"
import { aligned, numbersIn, withError } from "./arena/table.ts"

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/outcomes" },
    sets: { type: "string", default: "mixed12,routerbench,zeroeval,bfcl,mmlu_pro,routellm" },
    limit: { type: "string", default: "2500" },
    seeds: { type: "string", default: "1-10" },
    sliders: { type: "string", default: "0,2.5,5,7.5,10" },
    values: { type: "string" },
    families: { type: "string", default: "all" },
    dealt: { type: "boolean", default: false },
    retire: { type: "boolean", default: false },
    settings: { type: "string", default: "{}" },
    without: { type: "string", default: "" },
    workers: { type: "string", default: String(availableParallelism()) },
    out: { type: "string" },
    against: { type: "string" }
  }
})

const families = familyHalves.find((half) => half === values.families)
if (families === undefined) throw new Error(`--families is one of ${familyHalves.join(", ")}`)
const options: ReplayOptions = {
  folder: values.data,
  sliders: numbersIn(values.values ?? values.sliders),
  areValues: values.values !== undefined,
  limit: Number(values.limit),
  families,
  arePriorsDealt: values.dealt,
  isTypeGiven: false,
  settings: settingsIn(values.settings, values.without)
}
const seeds = numbersIn(values.seeds)
const tasks = values.sets.split(",").flatMap((set) =>
  seeds.map((seed): ReplayTask => ({ ...options, set, seed })))

if (values.retire) {
  const { reports, seconds } = await runAll("retire", tasks, Number(values.workers))
  console.log(`${seeds.length} seeds, sliders ${options.sliders.join()}, ${seconds} s`)
  console.log(retireTable(reports.flat()))
  if (values.out !== undefined) writeFileSync(values.out, JSON.stringify({ options, retirements: reports.flat() }, null, 1))
  process.exit()
}

const { reports: replays, seconds } = await runAll("replay", tasks, Number(values.workers))

type Column = readonly [title: string, of: (figures: SetFigures) => number, digits: number]
const columns: ReadonlyArray<Column> = [
  ["AIQ", (figures) => figures.aiq, 4],
  ["anchored", (figures) => figures.aiqAnchored, 4],
  ["2nd-half AIQ", (figures) => figures.aiqSecondHalf, 4],
  ["gap", (figures) => figures.gap, 4],
  ["gap2", (figures) => figures.gap2, 4],
  ["highest less best, 2nd half", (figures) => figures.highestLessBest2, 4],
  ["ECE", (figures) => figures.ece, 4],
  ["lift", (figures) => figures.lift, 4],
  ["top share", (figures) => figures.topShare, 2],
  ["cost/best", (figures) => figures.costRatio, 3],
  ["single-mix AIQ", (figures) => figures.aiqSingleMix, 4]
]

/** The first tasks of a stream: quality, and cost beside the best single model's, of picks, best and random. */
const coldColumns: ReadonlyArray<Column> = [
  ["quality", ({ cold }) => cold.quality, 4],
  ["best single", ({ cold }) => cold.bestQuality, 4],
  ["random", ({ cold }) => cold.randomQuality, 4],
  ["cost/best", ({ cold }) => cold.costUsd / cold.bestCostUsd, 3],
  ["random cost/best", ({ cold }) => cold.randomCostUsd / cold.bestCostUsd, 3]
]

const bySet = Map.groupBy(replays, (report) => report.set)
/** Averaged over sets seed by seed, so that the error is that of the average. */
const overSets = (of: (figures: SetFigures) => number) =>
  meanAndError(
    [...Map.groupBy(replays, (report) => report.seed).values()].map((own) => mean(own.map(of)))
  )

/** One row per set and their mean. */
const tableOf = (shown: ReadonlyArray<Column>): string =>
  aligned([
    ["set", "rows", ...shown.map(([title]) => title)],
    ...[...bySet].map(([set, reports]) => [
      set,
      String(reports[0]?.rows ?? 0),
      ...shown.map(([, of, digits]) => withError(meanAndError(reports.map(of)), digits))
    ]),
    ["mean", "", ...shown.map(([, of, digits]) => withError(overSets(of), digits))]
  ])

console.log(`${seeds.length} seeds, ${options.areValues ? "values" : "sliders"} ${options.sliders.join()}, ${seconds} s`)
console.log(tableOf(columns))
console.log("The first 100 tasks of each order:")
console.log(tableOf(coldColumns))
if (values.against !== undefined) {
  const earlier = reportsIn<ReplayReport>(values.against, "sets")
  console.log(pairedTable(replays, earlier, ({ set }) => set, columns))
}
if (values.out !== undefined) writeFileSync(values.out, JSON.stringify({ options, sets: replays }, null, 1))
