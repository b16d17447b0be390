/**
 * Measures the estimator of `sextant backtest` on logs whose every counterfactual is known: recorded outcomes of which
 * a log shows one model's per row. Sets times habits of logging times orders; the real engine predicts each row before
 * it learns the row's outcome. Prints how often the 95 % intervals hold the truth, how often the log cannot tell, and
 * how many claimed savings are a loss. All habits of an order share the predictions of an engine that learned from the
 * random one's log.
 */
import { parseArgs } from "node:util"
import { mean } from "./arena/averages.ts"
import { runAll } from "./workers/pool.ts"
import { aligned, fixed, numbersIn } from "./arena/table.ts"
import { habits } from "./backtest/habits.ts"
import { type BacktestReport, holds, type JudgedPolicy } from "./backtest/judge.ts"
import type { TraceTask } from "./backtest/trace.ts"

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/outcomes" },
    sets: { type: "string", default: "mixed12,routerbench,zeroeval,bfcl,mmlu_pro,routellm" },
    limit: { type: "string", default: "2500" },
    seeds: { type: "string", default: "1-20" },
    workers: { type: "string", default: "1" }
  }
})

const tasks = numbersIn(values.seeds).flatMap((seed) =>
  values.sets.split(",").flatMap((set) =>
    habits.map((habit): TraceTask => ({
      replay: {
        folder: values.data, sliders: [], areValues: false, limit: Number(values.limit),
        families: "all", arePriorsDealt: false, isTypeGiven: true,
        settings: {}, set, seed
      },
      habit
    }))))

const { reports, seconds } = await runAll("backtest", tasks, Number(values.workers))

const percent = (part: number, whole: number): string => fixed(whole === 0 ? null : 100 * part / whole, 1)

const lineOf = (name: string, own: ReadonlyArray<BacktestReport>): ReadonlyArray<string> => {
  const all = own.flatMap((report) => report.policies)
  const told = all.filter(({ figures }) => figures.success !== null)
  const share = (of: (policy: JudgedPolicy) => boolean) => percent(told.filter(of).length, told.length)
  const alone = told.filter(({ newSuccess }) => newSuccess !== null)
  const claims = all.filter(({ figures }) => figures.verdict === "saves")
  const losses = claims.filter(({ saving }) => saving <= 0)
  const width = mean(told.map(({ figures: { success } }) => success!.high - success!.low))
  return [
    name,
    String(all.length),
    percent(all.length - told.length, all.length),
    share(({ figures, success }) => holds(figures.success!, success)),
    share(({ costUsd, figures }) => holds(figures.costUsd!, costUsd)),
    share(({ figures, saving }) => figures.saving !== null && holds(figures.saving, saving)),
    percent(alone.filter(({ figures, newSuccess }) => holds(figures.success!, newSuccess!)).length, alone.length),
    fixed(told.length === 0 ? null : width, 3),
    String(claims.length),
    percent(claims.length, all.length),
    String(losses.length),
    percent(losses.length, claims.length)
  ]
}

const head = ["", "judged", "declined %", "success held %", "cost held %", "saving held %", "one model held, of new calls %", "width", "claims",
  "claims %", "losses", "losses %"]

console.log(`${numbersIn(values.seeds).length} orders, ${seconds} s`)
const byHabit = Map.groupBy(reports, ({ habit }) => habit)
console.log(aligned([head, ...[...byHabit].map(([habit, own]) => lineOf(habit, own))]))
for (const [habit, own] of byHabit) {
  console.log(`\n${habit}`)
  const reasons = Map.groupBy(own.flatMap(({ policies }) => policies), ({ figures }) =>
    figures.withheld ?? figures.verdict)
  console.log([...reasons].map(([reason, those]) => `${reason} ${those.length}`).join(", "))
  const bySet = Map.groupBy(own, ({ set }) => set)
  console.log(aligned([head, ...[...bySet].map(([set, some]) => lineOf(set, some))]))
}
