/* A table of two accounts' notes, for tests of what an account sees. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../src/domain/Scope.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"

export const mine = AccountId.make("mine")
export const other = AccountId.make("other")

/** The table, with the note "a" of one account and "b" of the other. */
export const Notes = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table note (account_id text not null, body text not null)`
  yield* sql`call secure_table('note')`
  yield* sql`insert into note values ('mine', 'a')`.pipe(withAccount(mine))
  yield* sql`insert into note values ('other', 'b')`.pipe(withAccount(other))
}))
