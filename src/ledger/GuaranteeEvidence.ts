/** Port for the evidence on guarantees, by account, lane and guarantee. */
import { Context, Effect } from "effect"
import { type ModelRestarts, restartOf } from "../domain/model/ModelIdentity.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import { type GuaranteeEvidence, type GuaranteeRule, noEvidence } from "../stats/GuaranteeStates.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** Settings for collecting evidence that are the same for all guarantees. */
export interface EvidenceRule extends Omit<GuaranteeRule, "alpha" | "loss"> {
  /** Minimum age of decisions that are read, ms. A decision that takes longer to store may never count. */
  readonly writeWaitMs: number
  /** Age from which a decision counts even if it has no report, ms. */
  readonly reportWaitMs: number
  /** Time that a label from another source than a gate or a human waits for a better label, ms. */
  readonly labelWaitMs: number
}

/** The terms that together identify a guarantee within its lane. */
interface Terms {
  readonly baselineModelId: string
  readonly maxQualityLoss: number
  readonly confidence: number
}

export interface GuaranteeQuery extends Terms {
  readonly accountId: AccountId
  readonly lane: Lane
  /** When each model id last began to name another model; trials of the id before then do not count. */
  readonly restarts: ModelRestarts
}

export type TrialBasis = Pick<GuaranteeQuery, "baselineModelId" | "restarts">

/** Returns the time from which trials against the baseline count, ms since 1970; 0 if all count. */
export const evidenceSince = (
  { baselineModelId, restarts }: TrialBasis,
  candidateId: string | null
): number =>
  Math.max(restartOf(restarts, baselineModelId), candidateId === null ? 0 : restartOf(restarts, candidateId))

export interface KeptEvidence extends Terms {
  readonly lane: Lane
  readonly evidence: GuaranteeEvidence
}

interface GuaranteeEvidencesPort {
  /** Reads evidence at most a few seconds old, or the last known if the ledger is slow or unavailable. */
  readonly read: (
    query: GuaranteeQuery,
    rule: EvidenceRule
  ) => Effect.Effect<GuaranteeEvidence, LedgerUnavailable>
  readonly list: (
    accountId: AccountId,
    lane: Lane | null
  ) => Effect.Effect<ReadonlyArray<KeptEvidence>, LedgerUnavailable>
}

/** If no driver is provided, there is no evidence, so no guarantee has a proven candidate. */
export const GuaranteeEvidences = Context.Reference<GuaranteeEvidencesPort>(
  "sextant/ledger/GuaranteeEvidences",
  { defaultValue: () => ({ read: () => Effect.succeed(noEvidence), list: () => Effect.succeed([]) }) }
)
