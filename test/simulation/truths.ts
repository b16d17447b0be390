import { type Logging, ruleAt, type Situation, type World } from "./world.ts"

/** Which candidate a policy picks. */
type Policy = (situation: Situation) => number

const byCost = (sign: 1 | -1) => ({ candidates }: Situation): number =>
  candidates.reduce((best, { estCostUsd }, index) =>
    sign * (estCostUsd - candidates[best]!.estCostUsd) < 0 ? index : best, 0)

const byWorth = (usd: number) => ({ candidates }: Situation): number => {
  const worths = candidates.map(({ estCostUsd, predictedSuccess }) => predictedSuccess * usd - estCostUsd)
  return worths.indexOf(Math.max(...worths))
}

const likeliest = ruleAt(Infinity)

/** The policies of the report, written a second time: the simulation must not judge the report by itself. */
const policies = (bestModelId: string | null, valuesUsd: ReadonlyArray<number>): ReadonlyMap<string, Policy> =>
  new Map<string, Policy>([
    ["cheapest-eligible", ruleAt(0.735)],
    ["always-premium", byCost(-1)],
    ["always-cheapest", byCost(1)],
    ["best-single", (situation) => {
      const at = situation.candidates.findIndex(({ modelId }) => modelId === bestModelId)
      return at < 0 ? likeliest(situation) : at
    }],
    ...[0, 2.5, 5, 7.5, 10].map((slider): [string, Policy] =>
      [`slider-${slider}`, ruleAt(0.55 + slider * 0.037)]),
    ...valuesUsd.map((usd): [string, Policy] => [`value-${usd}`, byWorth(usd)])
  ])

export interface Truth {
  readonly success: number
  readonly costUsd: number
}

const modelIds = ["mini", "small", "middle", "large", "premium"]

class Sums {
  success = 0
  costUsd = 0
}

/** Tasks that the truth is the mean of. */
const situations = 5_000

/** True success and cost of each policy, the oracle's success, and the lift of `logging`, over many tasks. */
export const truthsOf = (
  world: World,
  logging: Logging,
  bestModelId: string | null,
  valuesUsd: ReadonlyArray<number> = []
): { readonly policies: ReadonlyMap<string, Truth>; readonly oracle: number; readonly lift: number } => {
  const drawn = Array.from({ length: situations }, world.situation)
  const valued = new Map<string, Sums>()
  const add = (sums: Sums, share: number, { candidates, truths }: Situation, index: number) => {
    const { estCostUsd, modelId } = candidates[index]!
    sums.success += share * truths[index]! / situations
    sums.costUsd += share * estCostUsd * world.billRatios[modelIds.indexOf(modelId)]! / situations
  }
  for (const [name, policy] of policies(bestModelId, valuesUsd)) {
    const sums = new Sums()
    for (const situation of drawn) add(sums, 1, situation, policy(situation))
    valued.set(name, sums)
  }
  const deployed = new Sums()
  const picks = new Map<string, number>()
  let oracle = 0
  for (const situation of drawn) {
    oracle += Math.max(...situation.truths) / situations
    logging(situation).forEach((share, index) => {
      add(deployed, share, situation, index)
      const { modelId } = situation.candidates[index]!
      picks.set(modelId, (picks.get(modelId) ?? 0) + share)
    })
  }
  valued.set("deployed", deployed)
  let dealt = 0
  for (const { candidates, truths } of drawn) {
    const shares = candidates.map(({ modelId }) => picks.get(modelId) ?? 0)
    const total = shares.reduce((sum, share) => sum + share, 0)
    dealt += truths.reduce((sum, truth, index) => sum + truth * shares[index]! / total, 0) / situations
  }
  return { policies: valued, oracle, lift: deployed.success - dealt }
}
