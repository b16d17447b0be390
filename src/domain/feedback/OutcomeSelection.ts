/** A selection of outcomes to delete. */
import type { AccountId, Lane } from "../Scope.ts"

/** Outcomes of an account. A null field selects everything. */
export interface OutcomeSelection {
  readonly accountId: AccountId
  readonly lane: Lane | null
  /** Only outcomes of this actor. */
  readonly userId: string | null
  /** Only outcomes at or after this time. */
  readonly since: Date | null
  /** Only outcomes before this time. */
  readonly until: Date | null
}
