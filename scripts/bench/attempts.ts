/**
 * Measures plans of attempts on recorded runs of agents. Every model ran every task, and hidden tests were the gate.
 * Prints success and cost of the tasks, those of the best model alone, and the errors of predictions by attempt.
 */
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { type AttemptsReport, type AttemptsTask, candidateChoices, priorChoices } from "./arena/attempts.ts"
import { mean, meanAndError } from "./arena/averages.ts"
import { runAll } from "./workers/pool.ts"
import { settingsIn } from "./arena/settings.ts"
import { aligned, fixed, numbersIn, withError } from "./arena/table.ts"

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/outcomes" },
    sets: { type: "string", default: "oh_swebench,oh_swtbench" },
    seeds: { type: "string", default: "1-10" },
    errors: { type: "string", default: "0,0.05,0.15" },
    value: { type: "string", default: "10" },
    attempts: { type: "string", default: "1,3" },
    settings: { type: "string", default: "{}" },
    without: { type: "string", default: "" },
    workers: { type: "string", default: "1" },
    out: { type: "string" }
  }
})

const tasks = values.sets.split(",").flatMap((set) =>
  candidateChoices.flatMap((candidates) =>
    priorChoices.flatMap((priors) =>
      numbersIn(values.errors).flatMap((gateError) =>
        numbersIn(values.value).flatMap((valueUsd) =>
          numbersIn(values.attempts).flatMap((attemptsMax) =>
            numbersIn(values.seeds).map((seed): AttemptsTask => ({
              folder: values.data, set, seed, candidates, priors, gateError, valueUsd,
              attemptsMax, settings: settingsIn(values.settings, values.without)
            }))))))))

const { reports, seconds } = await runAll("attempts", tasks, Number(values.workers))

/** Predicted less real success of the attempts of one number, over all orders; null for none. */
const biasOf = (own: ReadonlyArray<AttemptsReport>, number: number): number | null => {
  const those = own.flatMap(({ calibration }) => calibration[number - 1] ?? [])
  const count = those.reduce((sum, each) => sum + each.count, 0)
  return count === 0
    ? null
    : those.reduce((sum, each) => sum + each.count * (each.predicted - each.succeeded), 0) / count
}

const rowOf = (own: ReadonlyArray<AttemptsReport>): ReadonlyArray<string> => {
  const [first] = own as [AttemptsReport, ...Array<AttemptsReport>]
  const figure = (of: (report: AttemptsReport) => number) => withError(meanAndError(own.map(of)), 3)
  return [
    `${first.set} ${first.candidates} ${first.priors}`,
    String(first.gateError), String(first.valueUsd), String(first.attemptsMax),
    figure(({ success }) => success), figure(({ costUsd }) => costUsd),
    fixed(mean(own.map(({ attempts }) => attempts)), 3),
    ...[1, 2, 3].map((number) => fixed(biasOf(own, number), 3)),
    fixed(first.bestAlone.success, 3), fixed(first.bestAlone.costUsd, 3)
  ]
}

const keyOf = ({ attemptsMax, candidates, gateError, priors, set, valueUsd }: AttemptsReport): string =>
  JSON.stringify([set, candidates, priors, gateError, valueUsd, attemptsMax])

console.log(aligned([
  [
    "set, candidates, priors", "gate errs", "value $", "attempts max", "success", "cost $", "attempts", "bias 1st", "2nd",
    "3rd", "best alone", "cost $"
  ],
  ...[...Map.groupBy(reports, keyOf).values()].map(rowOf)
]))
console.log(`${seconds} s`)
if (values.out !== undefined) writeFileSync(values.out, JSON.stringify(reports))
