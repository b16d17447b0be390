/** The key of the request in progress. Drivers pass this key on if a remote memory verifies keys itself. */
import { Context, Effect, type Redacted, Schema } from "effect"
import { AccountId } from "../domain/Scope.ts"

export interface CallerKey {
  readonly accountId: AccountId
  readonly key: Redacted.Redacted<string>
}

/**
 * The key of the fiber's request; null if the fiber serves none. The HTTP authorization or the delivery of
 * writes to a remote memory sets the key, and forked fibers inherit it.
 */
export const CurrentCallerKey = Context.Reference<CallerKey | null>(
  "sextant/accounts/CallerKey/CurrentCallerKey",
  { defaultValue: () => null }
)

/** No request of the account is in progress, so there is no key to use. */
class NoCallerKey extends Schema.TaggedError<NoCallerKey>()("NoCallerKey", {
  accountId: AccountId
}) {
  override get message() {
    return `No request of the account ${this.accountId} is in progress, so there is no key to ask with`
  }
}

export const callerKeyOf = (accountId: AccountId): Effect.Effect<Redacted.Redacted<string>, NoCallerKey> =>
  Effect.flatMap(Effect.service(CurrentCallerKey), (caller) =>
    caller !== null && caller.accountId === accountId
      ? Effect.succeed(caller.key)
      : Effect.fail(new NoCallerKey({ accountId })))
