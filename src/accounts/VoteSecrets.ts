/* Port: what accounts sign the tokens of votes with. */
import { Context, Effect, type Redacted } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { NotSent } from "../resilience/FailureReason.ts"

/** The secret of an account; the tokens of an earlier version have ended. */
export interface VoteSecret {
  /** From 1. */
  readonly version: number
  readonly secret: Redacted.Redacted<string>
}

/** Secrets by account. Without a driver no token is signed, and none is good. */
interface VoteSecretsPort {
  /** The account's secret, which is made where it has none; at most a few seconds old. */
  readonly readOrMake: (accountId: AccountId) => Effect.Effect<VoteSecret, LedgerUnavailable>
  /** The secret, read anew where the one that is known is older than that version; null without one. */
  readonly find: (
    accountId: AccountId,
    version: number
  ) => Effect.Effect<VoteSecret | null, LedgerUnavailable>
  /** Makes another secret, which ends every token of the account; yields its version. */
  readonly rotate: (accountId: AccountId) => Effect.Effect<number, LedgerUnavailable>
}

const out = () => Effect.fail(new LedgerUnavailable({ reason: new NotSent() }))

export const VoteSecrets = Context.Reference<VoteSecretsPort>("sextant/accounts/VoteSecrets", {
  defaultValue: () => ({ readOrMake: out, find: out, rotate: out })
})
