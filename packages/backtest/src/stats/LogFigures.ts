/** The figures of policies on a foreign log: estimates with intervals, and their verdicts. */
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

/** What a log says of one policy. Its estimates are null where the log cannot tell. */
export interface PolicyFigures {
  /** Rows that it was judged on. */
  readonly rows: number
  /** Mean success, in [0, 1], and mean cost per row in US dollars. */
  readonly success: Estimate | null
  readonly costUsd: Estimate | null
  /** Share of the logged cost that it saves, below 1; and its success less the logged. */
  readonly saving: Estimate | null
  readonly successDifference: Estimate | null
  /** Mean estimated cost of its picks, US dollars; no evidence. */
  readonly estimatedUsd: number
  /** Share of the rows on which its pick ran, in [0, 1], and how many of these have a label. */
  readonly matchedShare: number
  readonly matchedLabelled: number
  /** Equally weighted labelled rows that the matched ones are worth. @see Kish, Survey Sampling (1965) */
  readonly effectiveSampleSize: number
  readonly verdict: Verdict
  /** Why the verdict is "not_enough"; null otherwise. */
  readonly withheld: Withheld | null
  readonly labelsNeeded: number | null
}

/** The saving at the logged success. */
interface BestFigures {
  /** The policy that is cheapest among those that are as good. */
  readonly policy: number
  /** Its own figures, or what choosing so on other rows came to where that is worse. */
  readonly saving: Estimate
  readonly successDifference: Estimate
}

/** What a log says of all policies, and what it holds. */
export interface LogFigures {
  readonly rows: number
  readonly labelled: number
  readonly policies: ReadonlyArray<PolicyFigures>
  /** "untold" where the log cannot tell of the logged or of any other way; null where no way is as good. */
  readonly best: BestFigures | "untold" | null
}

/** What was collected of a log. */
interface Collected {
  readonly columns: Columns
  /** Per policy and row the model that it picks. */
  readonly picks: ReadonlyArray<ReadonlyArray<number>>
  /** The policy whose picks are the logged models, which savings are against. */
  readonly logged: number
}

/**
 * The sums of every policy, of one kind of outcome. The logged one's picks ran, so that only labels are
 * missing.
 */
const sumsOf = (evidence: Evidence, { logged, picks }: Collected): ReadonlyArray<PolicySums> => {
  const { models } = evidence.log
  const rules = picks.map((models_) => chosen(Int32Array.from(models_, (model, row) => row * models + model)))
  return ofRules(evidence, rules).map((sums, policy) => policy === logged ? ofDeployed(evidence) : sums)
}

/** How often a policy's picks ran, and how well the log's habit explains that. */
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

/** The lower of two estimates, as unsure as both. */
const worse = (a: Estimate, b: Estimate): Estimate =>
  ({ value: Math.min(a.value, b.value), low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) })

/** The figures of all policies. */
export const judged = (log: Collected): LogFigures => {
  const { columns, logged, picks } = log
  const rows = columns.logged.length
  const evidence = evidencesOf(columns)
  const sums = { success: sumsOf(evidence.success, log), bills: sumsOf(evidence.bills, log) }
  const resamples = resample(evidence.success.log.blocks)
  // What resampling cannot show is independent on the two sides of a comparison.
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
      rows,
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
  return { rows, labelled, policies: picks.map((_, policy) => figuresOf(policy)), best: bestOf() }
}
