/**
 * Runs guarantees in simulated worlds of known truth (`--worlds`, `--tasks`). Prints how often the promise is broken,
 * how long it takes until a cheaper model is recommended, and the savings beside those of `argmin`.
 */
import { parseArgs } from "node:util"
import {
  guaranteeWorld, type GuaranteeWorldOptions, type GuaranteeWorldResult, worldTypes
} from "../../test/simulation/guarantee.ts"
import { mean, quantile } from "./arena/averages.ts"
import { table } from "./harness/figures.ts"

const { values } = parseArgs({
  options: { worlds: { type: "string", default: "500" }, tasks: { type: "string", default: "24000" } }
})
const worlds = Number(values.worlds)
const tasks = Number(values.tasks)

const percent = (part: number, whole: number): string => `${(100 * part / whole).toFixed(1)} %`

const middle = (numbers: ReadonlyArray<number>): string => {
  const value = quantile(numbers, 0.5)
  return value === null ? "–" : Number.isFinite(value) ? value.toFixed(0) : "never"
}

const base = { tasks, loss: 0.05, confidence: 0.95, trialShare: 0.2 }

/** A caller for each world, in turns: all labels, some of them, and wrong ones. */
const honest = [
  { noise: 0, reported: 1 }, { noise: 0, reported: 0.8 }, { noise: 0.05, reported: 1 }
]

const run = (name: string, each: (world: number) => Omit<GuaranteeWorldOptions, keyof typeof base>) => {
  const all: ReadonlyArray<GuaranteeWorldResult> = Array.from({ length: worlds }, (_, world) =>
    guaranteeWorld({ ...base, ...each(world) }))
  const saved = (of: (result: GuaranteeWorldResult) => number) => percent(1 - mean(all.map(of)), 1)
  const count = (of: (result: GuaranteeWorldResult) => boolean) => percent(all.filter(of).length, all.length)
  return [
    name,
    count(({ isFalselyHeld }) => isFalselyHeld),
    count(({ isLossExceeded }) => isLossExceeded),
    count(({ isArgminExceeded }) => isArgminExceeded),
    percent(all.reduce((sum, { heldAfter }) => sum + heldAfter.length, 0), 3 * all.length),
    middle(all.flatMap(({ heldAfter }) => heldAfter)),
    middle(all.flatMap(({ leftAfter }) => leftAfter)),
    saved(({ guaranteedUsd }) => guaranteedUsd),
    saved(({ argminUsd }) => argminUsd),
    saved(({ oracleUsd }) => oracleUsd)
  ]
}

console.log(`${worlds} worlds each of ${tasks} tasks of three kinds; loss 0.05, confidence 0.95, trials 0.2`)
console.log(table(
  [
    "candidates", "held beyond the loss", "mean loss above it", "same of argmin", "kinds held",
    "tasks of the kind until held", "tasks from a turn until left", "saved", "saved by argmin", "could be saved"
  ],
  [
    ...worldTypes.map((type, place) =>
      run(type, (world) => ({
        type, seed: 1_000_003 * (place + 1) + world, caller: "honest", ...honest[world % honest.length]!
      }))),
    ...(["only successes", "ignores on hard tasks"] as const).map((caller, place) =>
      run(`slightly worse; the caller ${caller === "only successes" ? "reports only successes" : caller}`, (world) => ({
        type: "slightly worse than allowed", seed: 9_000_011 * (place + 1) + world, caller, noise: 0, reported: 1
      })))
  ]
))
