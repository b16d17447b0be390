import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../domain/Scope.ts"
import { Keys, KeysUnavailable } from "./Keys.ts"
import { type KeyStore, makeKeys } from "./KeyStore.ts"

const infoFields = {
  accountId: AccountId,
  keyId: Schema.String,
  createdAt: Schema.Date,
  revokedAt: Schema.NullOr(Schema.Date)
}
const decodeInfos = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(infoFields)))
const decodeStored = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...infoFields, salt: Schema.Uint8Array, keyHash: Schema.Uint8Array }))
)

const unavailable = Effect.mapError((cause: unknown) => new KeysUnavailable({ cause }))

const storeOver = (sql: SqlClient.SqlClient): KeyStore => {
  const info = sql.literal(
    `account_id as "accountId", key_id as "keyId", created_at as "createdAt", revoked_at as "revokedAt"`
  )
  return {
    // As the owner and outside any account's scope: the key is what tells the account.
    find: (accountId, keyId) =>
      sql`
        select ${info}, salt, key_hash as "keyHash" from api_key
        where account_id = ${accountId} and key_id = ${keyId}`.pipe(
        Effect.flatMap(decodeStored),
        Effect.map(([stored]) => stored ?? null),
        unavailable
      ),
    insert: (key) =>
      sql`
        insert into api_key (account_id, key_id, salt, key_hash, created_at)
        values (${key.accountId}, ${key.keyId}, ${key.salt}, ${key.keyHash}, ${key.createdAt})
        on conflict do nothing returning key_id`.pipe(Effect.map((rows) => rows.length > 0), unavailable),
    list: sql`select ${info} from api_key order by account_id, key_id`.pipe(
      Effect.flatMap(decodeInfos),
      unavailable
    ),
    revoke: (accountId, keyId, revokedAt) =>
      sql`
        update api_key set revoked_at = ${revokedAt}
        where account_id = ${accountId} and key_id = ${keyId} and revoked_at is null
        returning key_id`.pipe(Effect.map((rows) => rows.length > 0), unavailable)
  }
}

/** Keys in the service's own database, on either engine. */
export const layer: Layer.Layer<Keys, never, SqlClient.SqlClient> = Layer.effect(
  Keys,
  Effect.flatMap(SqlClient.SqlClient, (sql) => makeKeys(storeOver(sql)))
)
