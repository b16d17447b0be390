import { type Logging, ruleAt, type Situation, type World } from "./world.ts"

/** What a policy picks, as probabilities over the candidates. */
type Policy = Logging

const always = (pick: (situation: Situation) => number): Policy => (situation) => {
  const chosen = pick(situation)
  return situation.candidates.map((_, index) => index === chosen ? 1 : 0)
}

const byCost = (sign: 1 | -1) => ({ candidates }: Situation): number =>
  candidates.reduce((best, { estCostUsd }, index) =>
    sign * (estCostUsd - candidates[best]!.estCostUsd) < 0 ? index : best, 0)

const likeliest = ruleAt(Infinity)

/** The policies of the report, written a second time: the simulation must not judge the report by itself. */
export const policies = (logging: Logging, bestModelId: string | null): ReadonlyMap<string, Policy> =>
  new Map<string, Policy>([
    ["deployed", logging],
    ["cheapest-eligible", always(ruleAt(0.735))],
    ["always-premium", always(byCost(-1))],
    ["always-cheapest", always(byCost(1))],
    ["best-single", always((situation) => {
      const at = situation.candidates.findIndex(({ modelId }) => modelId === bestModelId)
      return at < 0 ? likeliest(situation) : at
    })],
    ...[0, 2.5, 5, 7.5, 10].map((slider): [string, Policy] =>
      [`slider-${slider}`, always(ruleAt(0.55 + slider * 0.037))])
  ])

export interface Truth {
  readonly success: number
  readonly costUsd: number
}

const modelIds = ["mini", "small", "middle", "large", "premium"]

/** True success and cost of each policy, the oracle's success, and the lift of `logging`, over many tasks. */
export const truthsOf = (
  world: World,
  logging: Logging,
  bestModelId: string | null,
  situations = 10_000
): { readonly policies: ReadonlyMap<string, Truth>; readonly oracle: number; readonly lift: number } => {
  const drawn = Array.from({ length: situations }, world.situation)
  const valued = new Map<string, Truth>()
  for (const [name, policy] of policies(logging, bestModelId)) {
    let [success, costUsd] = [0, 0]
    for (const situation of drawn) {
      policy(situation).forEach((share, index) => {
        if (share === 0) return
        const { estCostUsd, modelId } = situation.candidates[index]!
        success += share * situation.truths[index]!
        costUsd += share * estCostUsd * world.billRatios[modelIds.indexOf(modelId)]!
      })
    }
    valued.set(name, { success: success / situations, costUsd: costUsd / situations })
  }
  const picks = new Map<string, number>()
  for (const situation of drawn) {
    logging(situation).forEach((share, index) => {
      const { modelId } = situation.candidates[index]!
      picks.set(modelId, (picks.get(modelId) ?? 0) + share)
    })
  }
  let [oracle, dealt] = [0, 0]
  for (const { candidates, truths } of drawn) {
    oracle += Math.max(...truths)
    const shares = candidates.map(({ modelId }) => picks.get(modelId) ?? 0)
    const total = shares.reduce((sum, share) => sum + share, 0)
    dealt += truths.reduce((sum, truth, index) => sum + truth * shares[index]! / total, 0)
  }
  return {
    policies: valued,
    oracle: oracle / situations,
    lift: valued.get("deployed")!.success - dealt / situations
  }
}
