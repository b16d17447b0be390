/* Port: whether an account is being moved to another cell. */
import { Context, Effect } from "effect"
import type { AccountId } from "../domain/Scope.ts"

/** Without a driver no account moves. */
interface AccountMovesPort {
  /**
   * Whether readers' votes are refused, since the account's last rows are about to be copied; at most half a
   * second old, and false while that cannot be read: a vote waits out an outage.
   */
  readonly isClosedToVotes: (accountId: AccountId) => Effect.Effect<boolean>
}

export const AccountMoves = Context.Reference<AccountMovesPort>("sextant/accounts/AccountMoves", {
  defaultValue: () => ({ isClosedToVotes: () => Effect.succeed(false) })
})
