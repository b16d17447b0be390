/* Driver of {@link VoteSecrets}: the service's own database. */
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { type VoteSecret, VoteSecrets } from "../VoteSecrets.ts"

/** Longest time until another process's new secret is used for signing, and an ended one no more, ms. */
const freshMs = 5_000
/** Pause after a failed read, ms. */
const pauseMs = 1_000
/** Accounts remembered, count; each takes about a hundred bytes. Names in forged tokens take places too. */
const capacity = 10_000

interface SecretRow {
  readonly version: number
  readonly secret: string
}

const secretOf = ([row]: ReadonlyArray<SecretRow>): VoteSecret | null =>
  row === undefined ? null : { version: row.version, secret: Redacted.make(row.secret) }

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const guarded = mapLedgerErrors(sql)
  const known = yield* makeReadCache<VoteSecret | null, LedgerUnavailable>({
    capacity, freshMs, pauseMs, late: LedgerUnavailable.timedOut
  })

  const select = (accountId: AccountId) =>
    guarded(accountId, Effect.map(
      sql<SecretRow>`select version, secret from vote_secret_of(${accountId})`, secretOf
    ), callAs)

  /** Of processes that make the first one at once, one does. */
  const insert = (accountId: AccountId, isNew: boolean) =>
    guarded(accountId, retryTransient(Effect.map(
      sql<SecretRow>`insert into vote_secret (account_id, version, secret)
        values (${accountId}, 1, ${randomBytes(32).toString("base64url")})
        on conflict (account_id) do update set
          version = vote_secret.version + case when ${isNew}::boolean then 1 else 0 end,
          secret = case when ${isNew}::boolean then excluded.secret else vote_secret.secret end,
          made_at = case when ${isNew}::boolean then now() else vote_secret.made_at end
        where vote_secret.account_id = ${accountId}
        returning version, secret`,
      secretOf
    ))).pipe(
      Effect.flatMap((secret) => secret === null
        ? Effect.die(new Error("An upsert yields its row"))
        : Effect.as(known.store(accountId, secret), secret))
    )

  return {
    readOrMake: Effect.fnUntraced(function*(accountId: AccountId) {
      return (yield* known.read(accountId, () => select(accountId))) ?? (yield* insert(accountId, false))
    }),
    find: (accountId: AccountId, version: number) =>
      known.read(accountId, () => select(accountId), (held) => held !== null && held.version >= version),
    rotate: (accountId: AccountId) => Effect.map(insert(accountId, true), ({ version }) => version)
  }
})

/** In the service's own database, on either engine. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(VoteSecrets, make)
