/** The figures of policies on a log: estimates with intervals, and verdicts. */
import { resample } from "../../../../src/stats/Bootstrap.ts"
import type { Evidence } from "../../../../src/stats/LogEvidence.ts"
import { chosen } from "../../../../src/stats/PolicyRules.ts"
import { ofDeployed, ofRules, type PolicySums } from "../../../../src/stats/PolicySums.ts"
import { bestWayOf } from "./BestWay.ts"
import { type Columns, evidencesOf, shareMin } from "./LogColumns.ts"
import {
  costOf, differenceOf, type Estimate, meanOf, type Means, savingOf, successOf
} from "./LogEstimates.ts"
import { labelsNeeded, type Shown, type Verdict, verdictOf, type Withheld, withheldOf } from "./LogVerdict.ts"

/** The figures of one policy, as far as the log can give them. */
export interface PolicyFigures {
  /** Mean success of the policy's picks, in [0, 1]. */
  readonly success: Estimate | null
  /** Mean cost of a row with the policy's picks, US dollars. */
  readonly costUsd: Estimate | null
  /** Saved share of the logged cost, below 1. */
  readonly saving: Estimate | null
  /** Success of the policy minus the logged success. */
  readonly successDifference: Estimate | null
  /** Mean estimated cost of the policy's picks, US dollars. */
  readonly estimatedUsd: number
  /** Share of the rows that ran the policy's pick, in [0, 1]. */
  readonly matchedShare: number
  readonly matchedLabelled: number
  /** Effective sample size of the labelled matched rows. @see Kish, Survey Sampling (1965) */
  readonly effectiveSampleSize: number
  readonly verdict: Verdict
  /** Why the log cannot judge the policy or its saving; null if it can. */
  readonly withheld: Withheld | null
  readonly labelsNeeded: number | null
}

interface BestFigures {
  /** Index of the cheapest judged policy whose success is at most 1 point below the log's own success. */
  readonly policy: number
  /** The lower of two savings, of this policy and of a cross-validated choice; the interval covers both. */
  readonly saving: Estimate
  readonly successDifference: Estimate
}

export interface LogFigures {
  readonly policies: ReadonlyArray<PolicyFigures>
  /** Best policy; "untold" if none can be compared with the logged policy; null if none is good enough. */
  readonly best: BestFigures | "untold" | null
}

interface Collected {
  readonly columns: Columns
  /** Index of the picked model, by policy and row. */
  readonly picks: ReadonlyArray<ReadonlyArray<number>>
  /** The policy that picks the logged models, the baseline of savings. */
  readonly logged: number
}

/** Sums of each policy. All picks of the logged policy ran, so only their outcomes can be missing. */
const sumsOf = (evidence: Evidence, { logged, picks }: Collected): ReadonlyArray<PolicySums> => {
  const { models } = evidence.log
  const rules = picks.map((models_) => chosen(Int32Array.from(models_, (model, row) => row * models + model)))
  return ofRules(evidence, rules).map((sums, policy) => policy === logged ? ofDeployed(evidence) : sums)
}

const habitOf = ({ logged, models, share }: Columns, picks: ReadonlyArray<number>) => {
  let [weight, squares, rows, matched] = [0, 0, 0, 0]
  picks.forEach((pick, row) => {
    const own = share[row * models + pick]!
    const isMatch = pick === logged[row]
    if (isMatch) matched += 1
    if (own < shareMin) return
    rows += 1
    weight += isMatch ? 1 / own : 0
    squares += isMatch ? (1 / own - 1) ** 2 : 1
  })
  return { matched, habitFit: weight / Math.max(1, rows), habitError: Math.sqrt(squares) / Math.max(1, rows) }
}

const worse = (a: Estimate, b: Estimate): Estimate =>
  ({ value: Math.min(a.value, b.value), low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) })

/** Judges all policies. */
export const judged = (log: Collected): LogFigures => {
  const { columns, logged, picks } = log
  const rows = columns.logged.length
  const evidence = evidencesOf(columns)
  const sums = { success: sumsOf(evidence.success, log), bills: sumsOf(evidence.bills, log) }
  const resamples = resample(evidence.success.log.blocks)
  // The logged policy gets the noise reversed, so that its noise is independent of other policies' noise.
  const mirrored = { ...resamples, noise: resamples.noise.toReversed() }
  const means = picks.map((_, policy): Means => {
    const of = policy === logged ? mirrored : resamples
    return { success: meanOf(sums.success[policy]!, of), bills: meanOf(sums.bills[policy]!, of) }
  })
  const base = means[logged]!
  const labelled = columns.quality.filter((each) => !Number.isNaN(each)).length
  const shown = picks.map((ofPolicy, policy): Shown & { readonly matched: number } => {
    const { bills, success } = means[policy]!
    const isLogged = policy === logged
    return {
      success: success.worth, bills: bills.worth, blocks: Math.min(success.blocks, bills.blocks),
      ...(isLogged ? { matched: rows, habitFit: 1, habitError: 0 } : habitOf(columns, ofPolicy))
    }
  })
  const withheld = shown.map(withheldOf)
  const isSame = picks.map((ofPolicy) => ofPolicy.every((pick, row) => pick === picks[logged]![row]))
  const none: Estimate = { value: 0, low: 0, high: 0 }
  const figuresOf = (policy: number): PolicyFigures => {
    const own = means[policy]!
    const { matched, success } = shown[policy]!
    const isJudged = withheld[policy] === null
    const isCompared = isJudged && withheld[logged] === null && policy !== logged
    const saving = !isCompared ? null : isSame[policy] ? none : savingOf(own, base)
    const found = verdictOf(policy === logged, withheld[policy]!, saving)
    return {
      success: isJudged ? successOf(own) : null,
      costUsd: isJudged ? costOf(own) : null,
      saving,
      successDifference: !isCompared ? null : isSame[policy] ? none : differenceOf(own, base),
      estimatedUsd: own.bills.worth.costUsd ?? 0,
      matchedShare: matched / Math.max(1, rows),
      matchedLabelled: success.matched,
      effectiveSampleSize: success.effectiveSampleSize,
      ...found,
      labelsNeeded: found.verdict === "baseline"
        ? null
        : labelsNeeded(found.withheld, success.matched, labelled, saving)
    }
  }
  const waySumsOf = (policy: number) => ({ success: sums.success[policy]!, bills: sums.bills[policy]! })
  const bestOf = (): LogFigures["best"] => {
    const ways = picks.flatMap((_, policy) =>
      withheld[policy] === null && policy !== logged && !isSame[policy] ? [policy] : [])
    if (withheld[logged] !== null || ways.length === 0) return "untold"
    const best = bestWayOf(ways.map(waySumsOf), waySumsOf(logged))
    if (best === null) return null
    const policy = ways[best.way]!
    const apart = { success: meanOf(best.sums.success, resamples), bills: meanOf(best.sums.bills, resamples) }
    const [own, chosen] = [savingOf(means[policy]!, base), savingOf(apart, base)]
    if (own === null || chosen === null) return null
    return {
      policy,
      saving: worse(own, chosen),
      successDifference: worse(differenceOf(means[policy]!, base), differenceOf(apart, base))
    }
  }
  return { policies: picks.map((_, policy) => figuresOf(policy)), best: bestOf() }
}
