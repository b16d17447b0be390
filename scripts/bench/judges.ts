/**
 * Simulates judges of known errors, of whose verdicts some were checked (`--worlds`, `--judged`). A judge that favours
 * its own family passes wrong answers of one model more often. Three tables:
 * - how often the 95 % interval of the corrected success holds the true one, and how wide it is beside that of the
 *   checked verdicts alone;
 * - what is forgone by what is learned, with the fixed weight of a judge's label and with one that its checked labels
 *   earn (`--lanes`);
 * - how often a guarantee by such labels holds a candidate whose true success is beyond the loss (`--guarantees`).
 */
import { parseArgs } from "node:util"
import { generator } from "../../src/stats/Generator.ts"
import { poweredMean } from "../../src/stats/PredictionPowered.ts"
import { interval95 } from "../../src/stats/Wilson.ts"
import { guaranteeWorld } from "../../test/simulation/guarantee.ts"
import { judgeWorld } from "../../test/simulation/judges.ts"
import { mean } from "../training/regression.ts"
import { table } from "./harness/figures.ts"
import { fixed, learningWorld, measured } from "./judges/learning.ts"

const { values } = parseArgs({
  options: {
    worlds: { type: "string", default: "2000" }, judged: { type: "string", default: "1000" },
    lanes: { type: "string", default: "600" }, guarantees: { type: "string", default: "60" }
  }
})
const worlds = Number(values.worlds)
const judged = Number(values.judged)

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`

const run = (error: number, favour: number, checked: number) => {
  const uniform = generator(1e6 * error + 1e4 * favour + checked)
  let [held, width, widthAlone, bias] = [0, 0, 0, 0]
  for (let world = 0; world < worlds; world++) {
    const { pairs, rest, truth } = judgeWorld({ uniform, error, favour, checked, judged })
    const { high, low } = poweredMean(pairs, rest)
    const alone = interval95(pairs.y / pairs.n, pairs.n)
    if (low <= truth && truth <= high) held++
    width += high - low
    widthAlone += alone.high - alone.low
    bias += (pairs.f + rest.f) / (pairs.n + rest.n) - truth
  }
  return [
    percent(error), favour === 0 ? "no" : `+${percent(favour)}`, String(checked), percent(bias / worlds),
    percent(held / worlds), percent(width / worlds / 2), percent(widthAlone / worlds / 2)
  ]
}

const rows = [0, 0.2].flatMap((favour) => [0.05, 0.1, 0.2, 0.3].flatMap((error) =>
  [30, 60, 200].map((checked) => run(error, favour, checked))))

console.log(`${worlds} worlds each of ${judged} judged calls of three models, success 0.9, 0.75 and 0.6`)
console.log(table(
  ["judge errs", "favours its family", "checked", "judged, less true", "interval holds", "±", "± of the checked alone"],
  rows
))

/** Both weights in the same worlds. */
const learned = (error: number, favour: number, checked: number) => {
  const both = Array.from({ length: Number(values.lanes) }, (_, seed) => {
    const options = { seed: 9_000_011 + seed, error, favour, checked }
    return [learningWorld(fixed, options), learningWorld(measured, options)] as const
  })
  const differences = both.map(([one, other]) => other.lost - one.lost)
  const average = mean(differences)
  const deviation = Math.sqrt(mean(differences.map((each) => (each - average) ** 2)) / differences.length)
  const rms = (which: 0 | 1) => percent(Math.sqrt(mean(both.map((each) => each[which].squaredError))))
  const points = (share: number) => `${(1_000 * share).toFixed(1)} ‰`
  return [
    percent(error), favour === 0 ? "no" : `+${percent(favour)}`, percent(checked),
    points(mean(both.map(([one]) => one.lost))), `${points(average)} ± ${points(deviation)}`, rms(0), rms(1)
  ]
}

console.log(`\n${values.lanes} lanes of 1,500 judged tasks and four models; loss as a share of a success's value`)
console.log(table(
  [
    "judge errs", "favours its family", "checked", "lost, fixed weight", "measured weight, less that",
    "error of success, fixed", "measured"
  ],
  [0.05, 0.1].flatMap((checked) => [0, 0.2].flatMap((favour) =>
    [0.05, 0.1, 0.2, 0.3, 0.45].map((error) => learned(error, favour, checked))))
))

const guarantees = Number(values.guarantees)
console.log(`\n${guarantees} guarantees each, loss 0.05, confidence 0.95; candidates slightly beyond the loss`)
console.log(table(
  ["judge errs", "favours the candidates", "held beyond the loss, in truth"],
  [0, 0.1, 0.2].flatMap((favour) => [0, 0.1, 0.3].map((noise) => {
    const held = Array.from({ length: guarantees }, (_, seed) =>
      guaranteeWorld({
        type: "slightly worse than allowed", seed: 5_000_011 + seed, tasks: 24_000, loss: 0.05, confidence: 0.95,
        trialShare: 0.2, noise, favour, reported: 1, caller: "honest"
      })).filter(({ isTrulyBeyond }) => isTrulyBeyond)
    return [percent(noise), favour === 0 ? "no" : `+${percent(favour)}`, percent(held.length / guarantees)]
  }))
))
