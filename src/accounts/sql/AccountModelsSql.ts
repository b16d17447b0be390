/** Driver of {@link AccountModelsStore}: the service's own database. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountModels, isEmpty } from "../../domain/AccountModels.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { makeFreshCache } from "../../resilience/StaleCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { AccountModelsStore, noModels, type StoredModels } from "../AccountModels.ts"

/** Longest time until a change by another process is seen, and pause after a failed read, ms. */
const freshMs = 1_000
/**
 * How long a recommendation waits for a newer document than the last one, ms: it waits before the recall,
 * which has a budget of its own, and nearly every read takes less. Chosen.
 */
const waitMs = 20
/** Accounts remembered, count; a document takes at most some 60 kB, and most accounts have none. */
const capacity = 2_000

interface Versioned extends StoredModels {
  /** Null for an account without a document. */
  readonly version: string | null
}

interface Row {
  readonly version: string
  /** Null when it is the version that was named. */
  readonly document: unknown
  readonly updatedAt: Date
}

const none: Versioned = { ...noModels, version: null }

const decode = Schema.decodeUnknownEffect(AccountModels)
const encode = Schema.encodeSync(AccountModels)

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const guarded = mapLedgerErrors(sql)
  /** The version that this process holds of each account, so that an unchanged document is not read again. */
  const held = new Map<AccountId, Versioned>()

  const hold = (accountId: AccountId, stored: Versioned): Versioned => {
    held.delete(accountId)
    if (stored.version !== null) held.set(accountId, stored)
    const [oldest] = held.keys()
    if (held.size > capacity && oldest !== undefined) held.delete(oldest)
    return stored
  }

  const select = (accountId: AccountId) => {
    const known = held.get(accountId) ?? none
    return guarded(accountId, Effect.gen(function*() {
      const [row] = yield* sql<Row>`
        select version::text as version, updated_at as "updatedAt",
          case when version::text is distinct from ${known.version}::text then document end as document
        from account_models_of(${accountId})`
      if (row === undefined) return hold(accountId, none)
      if (row.document === null) return known
      const { updatedAt, version } = row
      return hold(accountId, { document: yield* decode(row.document), updatedAt, version })
    }), callAs)
  }

  const known = yield* makeFreshCache(select, { capacity, freshMs, pauseMs: freshMs, waitMs })

  const store = (accountId: AccountId, document: AccountModels) =>
    guarded(accountId, Effect.gen(function*() {
      if (isEmpty(document)) {
        yield* sql`delete from account_models where account_id = ${accountId}`
        return none
      }
      const [row] = yield* sql<{ readonly version: string; readonly updatedAt: Date }>`
        insert into account_models (account_id, document)
        values (${accountId}, ${JSON.stringify(encode(document))}::text::jsonb)
        on conflict (account_id) do update set
          document = excluded.document, version = excluded.version, updated_at = now()
        where account_models.account_id = ${accountId}
        returning version::text as version, updated_at as "updatedAt"`
      return row === undefined ? none : { document, ...row }
    }))

  return {
    read: known.read,
    write: Effect.fnUntraced(function*(accountId: AccountId, document: AccountModels) {
      const stored = yield* store(accountId, document)
      hold(accountId, stored)
      yield* known.store(accountId, stored)
      return stored
    })
  }
})

/** In the service's own database, on either engine. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(AccountModelsStore, make)
