/** Port: the evidence of guarantees, by account, lane and guarantee. */
import { Context, Effect } from "effect"
import { type ModelRestarts, restartOf } from "../domain/model/ModelIdentity.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import { type GuaranteeEvidence, type GuaranteeRule, noEvidence } from "../stats/GuaranteeStates.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** How outcomes are judged, and when they count. */
export interface EvidenceRule extends Omit<GuaranteeRule, "alpha" | "loss"> {
  /** Age from which all decisions of a time have been written, ms; later ones are passed over. */
  readonly writeWaitMs: number
  /** Age from which a decision counts without a report, ms. */
  readonly reportWaitMs: number
  /** Time that a label which neither a gate nor a human gave waits for a better one, ms. */
  readonly labelWaitMs: number
}

/** What distinguishes the guarantees of a lane. */
interface Terms {
  readonly baselineModelId: string
  readonly maxQualityLoss: number
  readonly confidence: number
}

export interface GuaranteeQuery extends Terms {
  readonly accountId: AccountId
  readonly lane: Lane
  /** When ids came to stand for other models: what ran before is no evidence. */
  readonly restarts: ModelRestarts
}

/** What says from when trials against a baseline count. */
export type TrialBasis = Pick<GuaranteeQuery, "baselineModelId" | "restarts">

/** From when trials of a candidate against the baseline count, ms since 1970; 0 for always. */
export const evidenceSince = (
  { baselineModelId, restarts }: TrialBasis,
  candidateId: string | null
): number =>
  Math.max(restartOf(restarts, baselineModelId), candidateId === null ? 0 : restartOf(restarts, candidateId))

/** The evidence of one guarantee, as reports read it. */
export interface KeptEvidence extends Terms {
  readonly lane: Lane
  readonly evidence: GuaranteeEvidence
}

interface GuaranteeEvidencesPort {
  /** A few seconds old; the last evidence read while the ledger is slow or out. */
  readonly read: (
    query: GuaranteeQuery,
    rule: EvidenceRule
  ) => Effect.Effect<GuaranteeEvidence, LedgerUnavailable>
  /** What is kept of an account, or of one lane of it, a bounded part: the guarantees that went on last. */
  readonly list: (
    accountId: AccountId,
    lane: Lane | null
  ) => Effect.Effect<ReadonlyArray<KeptEvidence>, LedgerUnavailable>
}

/** Without a driver nothing is known, and every guarantee is earning. */
export const GuaranteeEvidences = Context.Reference<GuaranteeEvidencesPort>(
  "sextant/ledger/GuaranteeEvidences",
  { defaultValue: () => ({ read: () => Effect.succeed(noEvidence), list: () => Effect.succeed([]) }) }
)
