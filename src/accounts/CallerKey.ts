/** The key of the request in progress, for drivers of a memory that verifies keys itself. */
import { Context, Effect, type Redacted, Schema } from "effect"
import { AccountId } from "../domain/Scope.ts"

/** A verified API key, and the account that it was verified for. */
export interface CallerKey {
  readonly accountId: AccountId
  readonly key: Redacted.Redacted<string>
}

/**
 * The key of the request that this fiber works for; null outside of a request. The HTTP authorization
 * provides it, the delivery to a remote memory the one that it remembers, and forked fibers inherit it.
 */
export const CurrentCallerKey = Context.Reference<CallerKey | null>(
  "sextant/accounts/CallerKey/CurrentCallerKey",
  { defaultValue: () => null }
)

/** There is no request in progress, or it is not the account's: its key must not be used. */
class NoCallerKey extends Schema.TaggedError<NoCallerKey>()("NoCallerKey", {
  accountId: AccountId
}) {
  override get message() {
    return `No request of the account ${this.accountId} is in progress, so there is no key to ask with`
  }
}

/** The key to ask about the account with. */
export const callerKeyOf = (accountId: AccountId): Effect.Effect<Redacted.Redacted<string>, NoCallerKey> =>
  Effect.flatMap(Effect.service(CurrentCallerKey), (caller) =>
    caller !== null && caller.accountId === accountId
      ? Effect.succeed(caller.key)
      : Effect.fail(new NoCallerKey({ accountId })))
