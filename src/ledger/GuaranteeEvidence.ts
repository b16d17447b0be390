/** Port: the evidence of guarantees, by account, lane and guarantee. */
import { Context, Effect } from "effect"
import { type ModelRestarts, restartOf } from "../domain/model/ModelIdentity.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import { type GuaranteeEvidence, type GuaranteeRule, noEvidence } from "../stats/GuaranteeStates.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** How outcomes are judged, and when they count. */
export interface EvidenceRule extends Omit<GuaranteeRule, "alpha" | "loss"> {
  /**
   * Age from which decisions of a time count as all written, ms. One that is written later is not counted.
   */
  readonly writeWaitMs: number
  /** Age from which a decision counts without a report, ms. */
  readonly reportWaitMs: number
  /** How long a label by neither a gate nor a human waits for a better one, ms. */
  readonly labelWaitMs: number
}

/** The terms that distinguish the guarantees of a lane. */
interface Terms {
  readonly baselineModelId: string
  readonly maxQualityLoss: number
  readonly confidence: number
}

export interface GuaranteeQuery extends Terms {
  readonly accountId: AccountId
  readonly lane: Lane
  /** When models' ids changed their meaning; earlier trials are no evidence. */
  readonly restarts: ModelRestarts
}

/** The fields that decide from when trials against a baseline count. */
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
  /**
   * The stored evidence of an account, or of one lane: a bounded number of guarantees, the last used first.
   */
  readonly list: (
    accountId: AccountId,
    lane: Lane | null
  ) => Effect.Effect<ReadonlyArray<KeptEvidence>, LedgerUnavailable>
}

/** Without a driver there is no evidence, so every guarantee is earning. */
export const GuaranteeEvidences = Context.Reference<GuaranteeEvidencesPort>(
  "sextant/ledger/GuaranteeEvidences",
  { defaultValue: () => ({ read: () => Effect.succeed(noEvidence), list: () => Effect.succeed([]) }) }
)
