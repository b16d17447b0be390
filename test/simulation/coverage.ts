import { policyValue } from "../reports/reference/PolicyValue.ts"
import { truthsOf } from "./truths.ts"
import { logOf, type LogOptions, makeWorld, type WorldOptions } from "./world.ts"

/** Figures of an estimate over many worlds. Success in [0, 1]; the biases are estimate minus truth. */
export interface Coverage {
  readonly policy: string
  /** Share of the worlds in which the interval contains the true value. */
  readonly covered: number
  readonly truth: number
  /** True cost per call, US dollars. */
  readonly costUsd: number
  readonly bias: number
  readonly width: number
  /** Mean of estimated over true cost, less 1. */
  readonly costBias: number
  /** The commonest basis. */
  readonly basis: string
}

class Tally {
  worlds = 0
  covered = 0
  truth = 0
  bias = 0
  width = 0
  cost = 0
  costUsd = 0
  readonly bases = new Map<string, number>()
}

interface Judged {
  readonly value: number | null
  readonly low: number | null
  readonly high: number | null
  readonly truth: number
  readonly cost: number
  readonly costUsd: number
  readonly basis: string
}

const add = (tally: Tally, judged: Judged): void => {
  const { basis, cost, costUsd, high, low, truth, value } = judged
  if (value === null || low === null || high === null) return
  tally.worlds += 1
  if (low <= truth && truth <= high) tally.covered += 1
  tally.truth += truth
  tally.bias += value - truth
  tally.width += high - low
  tally.cost += cost
  tally.costUsd += costUsd
  tally.bases.set(basis, (tally.bases.get(basis) ?? 0) + 1)
}

const summary = (policy: string, tally: Tally): Coverage => {
  const { worlds } = tally
  return {
    policy,
    covered: tally.covered / worlds,
    truth: tally.truth / worlds,
    costUsd: tally.costUsd / worlds,
    bias: tally.bias / worlds,
    width: tally.width / worlds,
    costBias: tally.cost / worlds,
    basis: [...tally.bases].sort(([, one], [, other]) => other - one)[0]?.[0] ?? ""
  }
}

/** The report against the truth, in `worlds` worlds: every policy, then the routing lift and the regret. */
export const coverage = (
  worlds: number,
  options: LogOptions & Omit<WorldOptions, "seed">
): ReadonlyArray<Coverage> => {
  const tallies = new Map<string, Tally>()
  const tallyOf = (policy: string): Tally => {
    const known = tallies.get(policy) ?? new Tally()
    tallies.set(policy, known)
    return known
  }
  for (let seed = 0; seed < worlds; seed++) {
    const world = makeWorld({ ...options, seed: seed + 1 })
    const report = policyValue(logOf(world, options))
    const best = report.policies.find(({ policy }) => policy === "best-single")?.modelId ?? null
    const valuesUsd = report.policies.flatMap(({ policy }) => policy.startsWith("value-") ? [Number(policy.slice(6))] : [])
    const truths = truthsOf(world, options.logging, best, valuesUsd)
    for (const estimate of report.policies) {
      const truth = truths.policies.get(estimate.policy)!
      // The values go by the world's costs, so that each is one policy by its place.
      const place = valuesUsd.findIndex((usd) => estimate.policy === `value-${usd}`)
      add(tallyOf(place < 0 ? estimate.policy : `value at place ${place}`), {
        value: estimate.successValue,
        low: estimate.successLow,
        high: estimate.successHigh,
        truth: truth.success,
        cost: (estimate.costValue ?? NaN) / truth.costUsd - 1,
        costUsd: truth.costUsd,
        basis: estimate.basis
      })
    }
    const beside = { cost: 0, costUsd: 0, basis: "" }
    add(tallyOf("routing lift"), {
      ...beside,
      value: report.routingLift,
      low: report.routingLiftLow,
      high: report.routingLiftHigh,
      truth: truths.lift
    })
    const regret = report.regretVsOracle
    const truth = truths.oracle - truths.policies.get("deployed")!.success
    add(tallyOf("regret"), { ...beside, value: regret, low: regret, high: regret, truth })
  }
  return [...tallies].map(([policy, tally]) => summary(policy, tally))
}
