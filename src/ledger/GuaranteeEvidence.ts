/** Port of the evidence on guarantees, by account, lane and guarantee. */
import { Context, Effect } from "effect"
import { type ModelRestarts, restartOf } from "../domain/model/ModelIdentity.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import { type GuaranteeEvidence, type GuaranteeRule, noEvidence } from "../stats/GuaranteeStates.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/** The rule by which outcomes are judged, and the times from which decisions count. */
export interface EvidenceRule extends Omit<GuaranteeRule, "alpha" | "loss"> {
  /** Age at which all decisions of a time are taken as written, ms. A decision written later never counts. */
  readonly writeWaitMs: number
  /** Age from which a decision counts without a report, ms. */
  readonly reportWaitMs: number
  /** Time that a label from another source than a gate or a human waits for a better label, ms. */
  readonly labelWaitMs: number
}

/** The terms by which the guarantees of a lane differ. */
interface Terms {
  readonly baselineModelId: string
  readonly maxQualityLoss: number
  readonly confidence: number
}

export interface GuaranteeQuery extends Terms {
  readonly accountId: AccountId
  readonly lane: Lane
  /** When each model's id began to name another model; earlier trials are no evidence. */
  readonly restarts: ModelRestarts
}

/** The fields that decide since when trials against a baseline count. */
export type TrialBasis = Pick<GuaranteeQuery, "baselineModelId" | "restarts">

/** The time since which trials of a candidate against the baseline count, ms since 1970; 0 for always. */
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
  /** Reads evidence that is at most a few seconds old, or the last known if the ledger is slow or out. */
  readonly read: (
    query: GuaranteeQuery,
    rule: EvidenceRule
  ) => Effect.Effect<GuaranteeEvidence, LedgerUnavailable>
  /** Lists the stored evidence of an account or one lane, last used first, up to a bound. */
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
