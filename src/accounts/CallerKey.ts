/** The caller's key, which drivers pass on if a remote memory verifies keys itself. */
import { Context, Effect, type Redacted, Schema } from "effect"
import { AccountId } from "../domain/Scope.ts"

export interface CallerKey {
  readonly accountId: AccountId
  readonly key: Redacted.Redacted<string>
}

/** The verified key for which the fiber works; null if none was set. Forked fibers inherit the key. */
export const CurrentCallerKey = Context.Reference<CallerKey | null>(
  "sextant/accounts/CallerKey/CurrentCallerKey",
  { defaultValue: () => null }
)

/** The fiber handles no request of the account, so it has no key of the account. */
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
