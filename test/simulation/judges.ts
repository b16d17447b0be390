/* Worlds in which a judge of known errors judges calls of three models, and a part is checked. */
import type { PairSums, RestSums } from "../../src/stats/PredictionPowered.ts"
import { addPair, addRest } from "../reports/reference/Overview.ts"

/** True success of the models, in equal parts; the first is of the judge's family. */
const models = [0.9, 0.75, 0.6] as const

interface JudgeWorldOptions {
  readonly uniform: () => number
  /** Probability that the judge errs, in both directions. */
  readonly error: number
  /** Additional probability that it passes a wrong answer of its own family. */
  readonly favour: number
  /** Calls that are checked as well, of all that are judged, count. */
  readonly checked: number
  readonly judged: number
}

/** The verdicts of one world, and the true success over its models. */
export const judgeWorld = ({ checked, error, favour, judged, uniform }: JudgeWorldOptions): {
  readonly pairs: PairSums
  readonly rest: RestSums
  readonly truth: number
} => {
  const pairs = { n: 0, y: 0, f: 0, yy: 0, ff: 0, yf: 0 }
  const rest = { n: 0, f: 0, ff: 0 }
  for (let call = 0; call < judged; call++) {
    const model = Math.min(models.length - 1, Math.floor(uniform() * models.length))
    const y = uniform() < (models[model] ?? 0) ? 1 : 0
    const errs = uniform() < error + (y === 0 && model === 0 ? favour : 0)
    const f = errs ? 1 - y : y
    if (call < checked) addPair(pairs, f, y)
    else addRest(rest, f)
  }
  return { pairs, rest, truth: models.reduce((sum, each) => sum + each, 0) / models.length }
}
