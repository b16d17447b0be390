/** A selection of outcomes to delete. */
import type { AccountId, Lane } from "../Scope.ts"

/** A null field does not restrict the selection. */
export interface OutcomeSelection {
  readonly accountId: AccountId
  readonly lane: Lane | null
  readonly userId: string | null
  /** Selects only outcomes at or after this time. */
  readonly since: Date | null
  /** Selects only outcomes before this time. */
  readonly until: Date | null
}
