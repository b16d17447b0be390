/** Driver of {@link Keys}: the service's own database. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../domain/Scope.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { Keys, KeysUnavailable } from "../Keys.ts"
import { endedMs, type KeyStore, makeKeys, useMarkMs } from "../KeyStore.ts"

const infoFields = {
  accountId: AccountId,
  keyId: Schema.String,
  role: Schema.String,
  createdAt: Schema.Date,
  expiresAt: Schema.NullOr(Schema.Date),
  lastUsedAt: Schema.NullOr(Schema.Date),
  revokedAt: Schema.NullOr(Schema.Date)
}
const decodeInfos = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(infoFields)))
const decodeNames = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ accountId: AccountId, keyId: Schema.String }))
)
const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({
    ...infoFields,
    salt: Schema.Uint8Array,
    keyHash: Schema.Uint8Array,
    remainingMs: Schema.NullOr(Schema.Finite),
    isUnmarked: Schema.Boolean
  }))
)

const unavailable = Effect.mapError((cause: unknown) => new KeysUnavailable({ reason: reasonOf(cause) }))

const storeOver = (sql: SqlClient.SqlClient): KeyStore => {
  const info = sql.literal(
    `account_id as "accountId", key_id as "keyId", role, created_at as "createdAt", expires_at as "expiresAt",
      last_used_at as "lastUsedAt", revoked_at as "revokedAt"`
  )
  // The database's clock tells whether a key has ended, because the clock of a process may be wrong.
  const now = sql.literal("clock_timestamp()")
  const milliseconds = (count: number) => sql`${count}::float8 * interval '1 millisecond'`
  const isMarked = sql`last_used_at > ${now} - ${milliseconds(useMarkMs)}`
  return {
    // The look-up runs outside any account's scope, because only the key names the account.
    find: (accountId, keyId) =>
      sql`
        select ${info}, salt, key_hash as "keyHash", (${isMarked}) is not true as "isUnmarked",
          (extract(epoch from expires_at - ${now}) * 1000)::float8 as "remainingMs"
        from api_key
        where account_id = ${accountId} and key_id = ${keyId}`.pipe(
        Effect.flatMap(decodeFound),
        Effect.map(([stored]) => stored ?? null),
        unavailable
      ),
    insert: (key) =>
      sql`
        insert into api_key (account_id, key_id, role, salt, key_hash, created_at, expires_at)
        values (${key.accountId}, ${key.keyId}, ${key.role}, ${key.salt}, ${key.keyHash}, ${key.createdAt},
          ${key.expiresAt})
        on conflict do nothing returning key_id`.pipe(Effect.map((rows) => rows.length > 0), unavailable),
    // One statement sets the old key's end and stores the new key, so that no crash comes in between.
    replace: (accountId, keyId, overlapMs, next) =>
      sql`
        with old as (
          update api_key
          set expires_at = least(coalesce(expires_at, 'infinity'), ${now} + ${milliseconds(overlapMs)})
          where account_id = ${accountId} and key_id = ${keyId} and revoked_at is null
            and (expires_at is null or expires_at > ${now})
          returning account_id)
        insert into api_key (account_id, key_id, role, salt, key_hash, created_at, expires_at)
        select account_id, ${next.keyId}, ${next.role}, ${next.salt}, ${next.keyHash}, ${next.createdAt},
          ${next.expiresAt}::timestamptz
        from old returning key_id`.pipe(Effect.map((rows) => rows.length > 0), unavailable),
    markUse: (accountId, keyId) =>
      sql`
        update api_key set last_used_at = ${now}
        where account_id = ${accountId} and key_id = ${keyId} and (${isMarked}) is not true`.pipe(
        Effect.asVoid,
        unavailable
      ),
    list: sql`select ${info} from api_key order by account_id, key_id`.pipe(
      Effect.flatMap(decodeInfos),
      unavailable
    ),
    revoke: (accountId, keyId) =>
      sql`
        update api_key set revoked_at = ${now}
        where account_id = ${accountId} and key_id = ${keyId} and revoked_at is null
        returning key_id`.pipe(Effect.map((rows) => rows.length > 0), unavailable),
    ended: sql`
      select account_id as "accountId", key_id as "keyId" from api_key
      where least(revoked_at, expires_at) between ${now} - ${milliseconds(endedMs)} and ${now}`.pipe(
      Effect.flatMap(decodeNames),
      unavailable
    )
  }
}

export const layer: Layer.Layer<Keys, never, SqlClient.SqlClient> = Layer.effect(
  Keys,
  Effect.flatMap(SqlClient.SqlClient, (sql) => makeKeys(storeOver(sql)))
)
