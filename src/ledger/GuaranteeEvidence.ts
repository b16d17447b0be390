/** Port for the evidence on guarantees, by account, lane and guarantee. */
import { Context, Effect } from "effect"
import { type ModelRestarts, restartOf } from "../domain/model/ModelIdentity.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import { type GuaranteeEvidence, type GuaranteeRule, noEvidence } from "../stats/GuaranteeStates.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** The rule by which outcomes are judged, and the waits after which decisions are counted. */
export interface EvidenceRule extends Omit<GuaranteeRule, "alpha" | "loss"> {
  /** Age from which a moment's decisions are assumed to be written, ms. A later decision never counts. */
  readonly writeWaitMs: number
  /** Age from which a decision counts even if it has no report, ms. */
  readonly reportWaitMs: number
  /** Time that a label from another source than a gate or a human waits for a better label, ms. */
  readonly labelWaitMs: number
}

/** The terms in which the guarantees of a lane differ. */
interface Terms {
  readonly baselineModelId: string
  readonly maxQualityLoss: number
  readonly confidence: number
}

export interface GuaranteeQuery extends Terms {
  readonly accountId: AccountId
  readonly lane: Lane
  /** The times at which model ids began to name other models; earlier trials do not count as evidence. */
  readonly restarts: ModelRestarts
}

export type TrialBasis = Pick<GuaranteeQuery, "baselineModelId" | "restarts">

/** Returns the time from which trials against the baseline count, ms since 1970; 0 if all count. */
export const evidenceSince = (
  { baselineModelId, restarts }: TrialBasis,
  candidateId: string | null
): number =>
  Math.max(restartOf(restarts, baselineModelId), candidateId === null ? 0 : restartOf(restarts, candidateId))

/** The stored evidence of one guarantee, in the form that reports read. */
export interface KeptEvidence extends Terms {
  readonly lane: Lane
  readonly evidence: GuaranteeEvidence
}

interface GuaranteeEvidencesPort {
  /** Reads evidence at most a few seconds old, or the last known evidence if the ledger is unavailable. */
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
