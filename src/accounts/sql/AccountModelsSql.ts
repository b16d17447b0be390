/** Driver of {@link AccountModelsStore}: the service's own database. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { identitiesAfter } from "../../catalog/ModelIdentities.ts"
import { AccountModels, isEmpty, noAccountModels } from "../../domain/account/AccountModels.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import { ModelIdentity } from "../../domain/model/ModelIdentity.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { AccountModelsStore, noModels, storedModels, type StoredModels } from "../AccountModels.ts"

/** Age at which a document is read again, and pause after a failed read, ms. */
const freshMs = 1_000
/** Maximum wait for a newer document while an older one is known, ms. Chosen. */
const waitMs = 20
const capacity = 2_000

interface Versioned extends StoredModels {
  readonly version: string | null
}

interface ModelsRow {
  readonly version: string
  /** The stored document; null if this process already knows its current version. */
  readonly document: unknown
  readonly identities: unknown
  readonly updatedAt: Date
}

const none: Versioned = { ...noModels, version: null }

const decode = Schema.decodeUnknownEffect(AccountModels)
const encode = Schema.encodeSync(AccountModels)
const decodeIdentities = Schema.decodeUnknownEffect(Schema.Array(ModelIdentity))
const encodeIdentities = Schema.encodeSync(Schema.Array(ModelIdentity))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const guarded = mapLedgerErrors(sql)

  const select = (accountId: AccountId, known: Versioned) =>
    guarded(accountId, Effect.gen(function*() {
      const [row] = yield* sql<ModelsRow>`
        select version::text as version, updated_at as "updatedAt",
          case when version::text is distinct from ${known.version}::text then document end as document,
          case when version::text is distinct from ${known.version}::text then identities end as identities
        from account_models_of(${accountId})`
      if (row === undefined) return none
      if (row.document === null) return known
      const { updatedAt, version } = row
      const identities = yield* decodeIdentities(row.identities)
      return { ...storedModels(yield* decode(row.document), updatedAt, identities), version }
    }), callAs)

  const known = yield* makeReadCache<Versioned, LedgerUnavailable>({
    capacity, freshMs, waitMs, pauseMs: freshMs, late: LedgerUnavailable.timedOut
  })

  const locked = Effect.fnUntraced(function*(accountId: AccountId) {
    const [row] = yield* sql<Pick<ModelsRow, "document" | "identities"> & { readonly at: Date }>`
      insert into account_models (account_id, document) values (${accountId}, '{}'::jsonb)
      on conflict (account_id) do update set document = account_models.document
        where account_models.account_id = ${accountId}
      returning document, identities, clock_timestamp() as at`
    return {
      // A stored document that cannot be decoded may still be replaced by a new one.
      document: yield* decode(row?.document).pipe(Effect.catch((cause) =>
        Effect.as(Effect.logWarning("Models that cannot be read are replaced", cause), noAccountModels))),
      identities: yield* decodeIdentities(row?.identities),
      at: row?.at ?? new Date(0)
    }
  })

  const store = (accountId: AccountId, document: AccountModels, shared: CatalogSnapshot) =>
    guarded(accountId, Effect.gen(function*() {
      const before = yield* locked(accountId)
      const identities = identitiesAfter(shared, before, document, before.at.toISOString())
      if (isEmpty(document) && identities.length === 0) {
        yield* sql`delete from account_models where account_id = ${accountId}`
        return none
      }
      const [row] = yield* sql<{ readonly version: string }>`
        update account_models set document = ${JSON.stringify(encode(document))}::text::jsonb,
          identities = ${JSON.stringify(encodeIdentities(identities))}::text::jsonb,
          version = gen_random_uuid(), updated_at = ${before.at}
        where account_id = ${accountId}
        returning version::text as version`
      return row === undefined ? none : { ...storedModels(document, before.at, identities), ...row }
    }))

  return {
    read: (accountId: AccountId) => known.read(accountId, (last = none) => select(accountId, last)),
    write: Effect.fnUntraced(function*(
      accountId: AccountId,
      document: AccountModels,
      shared: CatalogSnapshot
    ) {
      const stored = yield* store(accountId, document, shared)
      yield* known.store(accountId, stored)
      return stored
    })
  }
})

export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(AccountModelsStore, make)
