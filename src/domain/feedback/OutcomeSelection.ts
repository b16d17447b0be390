/** Which outcomes of an account are deleted. */
import type { AccountId, Lane } from "../Scope.ts"

/** Outcomes of an account; null does not narrow. */
export interface OutcomeSelection {
  readonly accountId: AccountId
  readonly lane: Lane | null
  /** Of this actor only. */
  readonly userId: string | null
  /** From this moment on. */
  readonly since: Date | null
  /** Before this moment. */
  readonly until: Date | null
}
