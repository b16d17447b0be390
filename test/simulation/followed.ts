/* Worlds in which it is known what every model would have been billed, and what the savings report says of them. */
import type { LedgerRow } from "../../src/domain/Decision.ts"
import type { Cluster } from "../../src/domain/Task.ts"
import { savings } from "../reports/reference/Savings.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { reported } from "../reports/rows.ts"
import { idOf } from "../support/builders.ts"

/** One call: what each model was estimated to cost and would cost at list prices, by its place; USD. */
export interface KnownCall {
  readonly cluster: Cluster
  readonly estimates: ReadonlyArray<number>
  readonly costs: ReadonlyArray<number>
}

/** The habits of an account that gets advice. The baseline is model 0. */
export interface Habits {
  /** Share of the calls for which the baseline itself, or the other model, is recommended. */
  readonly recommended: readonly [baseline: number, other: number]
  /** Share of the advice that is followed; else the baseline runs, or by `runsBaseline` false the last model. */
  readonly followed: number
  readonly runsBaseline: boolean
  /** Shares of the calls with a bill, and with a declared baseline. */
  readonly billed: number
  readonly declared: number
  /** Ratio of a bill to the cost at list prices. If it is given, calls without a bill report their tokens. */
  readonly discount?: number
}

/** A ledger, and what following the advice saved in truth: by the bills, and at list prices. */
export interface KnownLedger {
  readonly rows: ReadonlyArray<LedgerRow>
  readonly truthUsd: number
  readonly listedTruthUsd: number
}

const modelOf = (place: number): string => `model ${place}`

/** The calls as a ledger has them. */
export const ledgerOf = (calls: ReadonlyArray<KnownCall>, habits: Habits, seed: number): KnownLedger => {
  const uniform = generator(seed)
  const { discount } = habits
  let [truthUsd, listedTruthUsd] = [0, 0]
  const rows = calls.map(({ cluster, costs, estimates }, index): LedgerRow => {
    const draw = uniform()
    const [ofBaseline, ofOther] = habits.recommended
    const last = estimates.length - 1
    const pick = draw < ofBaseline ? 0 : draw < ofBaseline + ofOther ? last : Math.min(1, last)
    const ran = uniform() < habits.followed ? pick : habits.runsBaseline ? 0 : last
    const isBilled = uniform() < habits.billed
    const isDeclared = uniform() < habits.declared
    const savedUsd = isDeclared && ran === pick ? costs[0]! - costs[ran]! : 0
    if (isBilled) truthUsd += savedUsd * (discount ?? 1)
    else if (discount !== undefined) listedTruthUsd += savedUsd
    return reported({
      chosenModelId: modelOf(ran),
      actualCostUsd: isBilled ? costs[ran]! * (discount ?? 1) : null,
      computedCostUsd: isBilled || discount === undefined ? null : costs[ran]!
    }, {
      recommendationId: idOf(`known ${seed} ${index}`),
      cluster,
      recommendedModelId: modelOf(pick),
      costRecommendedUsd: estimates[pick]!,
      costPremiumUsd: Math.max(...estimates),
      baselineModelId: isDeclared ? modelOf(0) : null,
      costDeclaredUsd: isDeclared ? estimates[0]! : null
    })
  })
  return { rows, truthUsd, listedTruthUsd }
}

const clusters: ReadonlyArray<Cluster> = ["code:hard", "code:easy", "qa:medium", "rag:medium", "other:trivial"]

/**
 * A random world. Costs are log-normal around the estimates, times a ratio of the model and one of its cluster. In
 * every third world one call in a hundred costs six times as much. In every eighth the baseline never runs.
 *
 * @param isListed whether most calls report their tokens and no bill, and bills are discounted
 */
export const randomLedger = (
  seed: number,
  isListed = false
): KnownLedger & { readonly isBaselineBilled: boolean } => {
  const uniform = generator(seed * 7919)
  const ratios = Array.from({ length: 3 }, () => {
    const ofModel = 0.6 * normal(uniform)
    return clusters.map(() => Math.exp(ofModel + 0.3 * normal(uniform)))
  })
  const spread = 0.3 + 0.8 * uniform()
  const tail = seed % 3 === 0 ? 0.01 : 0
  const prices = [1, 0.1, 0.3]
  const count = Math.floor(60 * 40 ** uniform())
  const calls = Array.from({ length: count }, (): KnownCall => {
    const cluster = Math.floor(clusters.length * uniform() ** 2)
    const tokens = 0.01 * Math.exp(0.8 * normal(uniform))
    const estimates = prices.map((price) => price * tokens)
    const costs = estimates.map((estimate, model) =>
      estimate * ratios[model]![cluster]! * Math.exp(spread * normal(uniform) - spread ** 2 / 2)
        * (uniform() < tail ? 6 : 1))
    return { cluster: clusters[cluster]!, estimates, costs }
  })
  const isBaselineBilled = seed % 8 !== 0
  const habits = {
    recommended: [isBaselineBilled ? 0.03 + 0.2 * uniform() : 0, 0.2],
    followed: 0.5 + 0.5 * uniform(),
    runsBaseline: isBaselineBilled && uniform() < 0.5,
    billed: isListed ? 0.3 : 0.8,
    declared: 0.9,
    ...(isListed ? { discount: 0.4 + uniform() } : {})
  } as const
  return { ...ledgerOf(calls, habits, seed), isBaselineBilled }
}

/** Compares the report with the truth over ledgers, by the bills or, if `isListed`, at list prices. */
export interface FollowedCoverage {
  readonly ledgers: number
  /** Ledgers with an interval, and the share of them in [0, 1] in which it contains the true value. */
  readonly intervals: number
  readonly covered: number
  /** Ledgers that rest on an estimate, and ledgers without a bill of the baseline. */
  readonly estimates: number
  readonly unbilled: number
  /** The median size of the error over ledgers with an interval, as a share of the cost. */
  readonly error: number
  /** The same error of `realized.savings_vs_declared_est_usd`. */
  readonly errorOfRealized: number
}

export const followedCoverage = (
  ledgers: ReadonlyArray<KnownLedger & { readonly isBaselineBilled: boolean }>,
  isListed = false
): FollowedCoverage => {
  const found = ledgers.map(({ isBaselineBilled, listedTruthUsd, rows, truthUsd: billedTruthUsd }) => {
    const { followed, realized } = savings(rows, null).summary
    const saved = isListed ? followed?.listPrices ?? null : followed
    if (saved === null) throw new Error("a report of a window says what was followed")
    const truthUsd = isListed ? listedTruthUsd : billedTruthUsd
    const { basis, costBaselineUsd, savingsHighUsd: high, savingsLowUsd: low, savingsUsd } = saved
    const hasInterval = low !== null && high !== null
    return {
      basis,
      isBaselineBilled,
      hasInterval,
      isCovered: hasInterval && low <= truthUsd + 1e-12 && truthUsd <= high + 1e-12,
      error: Math.abs(savingsUsd - truthUsd) / costBaselineUsd,
      errorOfRealized: Math.abs(realized.savingsVsDeclaredEstUsd - truthUsd) / costBaselineUsd
    }
  })
  const known = found.filter(({ hasInterval }) => hasInterval)
  const median = (values: ReadonlyArray<number>) =>
    values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN
  return {
    ledgers: found.length,
    intervals: known.length,
    covered: known.filter(({ isCovered }) => isCovered).length / known.length,
    estimates: found.filter(({ basis }) => basis === "estimate").length,
    unbilled: found.filter(({ isBaselineBilled }) => !isBaselineBilled).length,
    error: median(known.map(({ error }) => error)),
    errorOfRealized: median(known.map(({ errorOfRealized }) => errorOfRealized))
  }
}
