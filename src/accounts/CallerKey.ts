/** The key of the request in progress. Drivers use it if the memory itself verifies keys. */
import { Context, Effect, type Redacted, Schema } from "effect"
import { AccountId } from "../domain/Scope.ts"

/** A verified API key and its account. */
export interface CallerKey {
  readonly accountId: AccountId
  readonly key: Redacted.Redacted<string>
}

/**
 * The key of the request that this fiber serves; null outside of a request. The HTTP authorization provides
 * it. The delivery to a remote memory provides a remembered key. Forked fibers inherit it.
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

/** Returns the key for a call about the account. */
export const callerKeyOf = (accountId: AccountId): Effect.Effect<Redacted.Redacted<string>, NoCallerKey> =>
  Effect.flatMap(Effect.service(CurrentCallerKey), (caller) =>
    caller !== null && caller.accountId === accountId
      ? Effect.succeed(caller.key)
      : Effect.fail(new NoCallerKey({ accountId })))
