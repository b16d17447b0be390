/* Migration 18 adds the role, the end and the last use of keys. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What a key is for, when it ends, and when it was last used. A version from before takes every key that it
 * can verify for one of the role `use` without an end. It cannot verify those of other roles, whose hash
 * covers the role; it takes a key beyond its end, and refuses a revoked one.
 */
export const keyRoles = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table api_key
      add column role text not null default 'use',
      add column expires_at timestamptz,
      add column last_used_at timestamptz`
})
