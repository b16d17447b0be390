import type { LedgerRow } from "../domain/Decision.ts"
import type { PolicyEstimate, PolicyValueResponse } from "../domain/Report.ts"
import * as Wilson from "../stats/Wilson.ts"
import { isReconciled, meanOf, type ReconciledRow, successOf } from "./Reconciled.ts"

/** A label from a gate or a human that may teach; a judge or a bare assertion cannot value a policy. */
const isTrusted = ({ feedback }: ReconciledRow): boolean =>
  feedback.teaches && (feedback.provenance === "gate" || feedback.provenance === "human")

const isFollowed = ({ decision, feedback }: ReconciledRow): boolean =>
  feedback.chosenModelId === decision.recommendedModelId

const paidUsd = ({ decision, feedback }: ReconciledRow): number =>
  feedback.actualCostUsd ?? decision.costRecommendedUsd

/**
 * The policy that was deployed, from the rows that followed it: no model and no weights, so each such row
 * counts as one observation. A bill counts before its estimate.
 */
const deployed = (trusted: ReadonlyArray<ReconciledRow>): PolicyEstimate => {
  const followed = trusted.filter(isFollowed)
  const successValue = meanOf(followed, ({ feedback }) => successOf(feedback.outcome))
  const interval = successValue === null ? null : Wilson.interval95(successValue, followed.length)
  return {
    policy: "deployed",
    n: trusted.length,
    successValue,
    costValue: meanOf(followed, paidUsd),
    matchedShare: followed.length / trusted.length,
    successLow: interval?.low ?? null,
    successHigh: interval?.high ?? null,
    effectiveSampleSize: followed.length,
    basis: "empirical"
  }
}

/** The best prediction among the candidates; the pick's own where none was kept. */
const oracleSuccess = ({ decision }: ReconciledRow): number =>
  decision.candidates.reduce(
    (best, { predictedSuccess }) => Math.max(best, predictedSuccess),
    decision.predictedSuccess
  )

/**
 * What policies are worth on the trusted rows. Rates are in [0, 1], costs in US dollars per call. No policies
 * without trusted rows; the regret (model-based, so it can be below 0) is null as long as no trusted row
 * followed us.
 */
export const policyValue = (rows: ReadonlyArray<LedgerRow>): PolicyValueResponse["report"] => {
  const reconciled = rows.filter(isReconciled)
  const trusted = reconciled.filter(isTrusted)
  const ours = trusted.length === 0 ? null : deployed(trusted)
  const oracle = meanOf(trusted, oracleSuccess)
  const achieved = ours?.successValue ?? null
  return {
    nTrusted: trusted.length,
    nTotalReconciled: reconciled.length,
    stochasticShare: meanOf(trusted, ({ decision }) => decision.propensity < 1 ? 1 : 0) ?? 0,
    policies: ours === null ? [] : [ours],
    regretVsOracle: oracle === null || achieved === null ? null : oracle - achieved
  }
}
