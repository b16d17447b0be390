/* Functions of the database that act for one account within one statement. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { applicationRole } from "./AccountScope.ts"
import { serviceRole } from "./ServiceRole.ts"

/** A function in PL/pgSQL whose first parameter is `account text`. */
interface AccountFunction {
  readonly name: string
  /** The parameters after `account`, `decisions jsonb`; they must not be named like a column in the body. */
  readonly parameters: string
  /** The type of its result: `void`, `json`, `setof text` or `table (key text, response jsonb)`. */
  readonly returns: string
  /** Whether the function's statements look up rows by keys alone, so that none is planned by a scan. */
  readonly isByKey?: boolean
  /** Declarations of the body's variables, each ended by a semicolon. */
  readonly declare?: string
  /** Statements, each ended by a semicolon, that run as the application role for `account`. */
  readonly body: string
}

/**
 * Creates or replaces a function that does the work of a whole `withAccount` in one statement, so that it
 * costs one round trip in place of four: it takes on the application role, sets the account, and runs its
 * body under row-level security, which shows and accepts only that account's rows. Call it in a migration
 * after the one that creates the role of the service.
 *
 * The function has the rights of its caller and no others (it is no `security definer`): only a member of the
 * application role can run it, and only as that role, so there is nothing to gain by calling it or by
 * changing `search_path`. Role and account are local to the transaction, which is the statement's own. Inside
 * an open transaction they stay set until it ends; where another account is set already, the function fails
 * with 42501, like a `withAccount` inside another's. So call it alone or inside `withAccount` of the same
 * account:
 *
 *     // in the migration
 *     yield* accountFunction(sql, {
 *       name: "count_notes", parameters: "minimum integer", returns: "bigint",
 *       body: "return (select count(*) from note where account_id = account and size >= minimum);"
 *     })
 *     // in the driver: one round trip, no transaction around it
 *     const rows = yield* sql`select count_notes(${accountId}, ${minimum}::int) as notes`
 *
 * Rows go in as one `jsonb` parameter, `${text}::text::jsonb`, and are read by `jsonb_to_recordset`, which
 * takes less time than its twin for `json` where columns are `jsonb`. A body raises for what the
 * whole call must not survive, since then nothing of it is kept. A released function is called by older
 * copies too: replace it only by one that accepts the same calls.
 */
export const accountFunction = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  { body, declare = "", isByKey = false, name, parameters, returns }: AccountFunction
): Effect.fn.Return<void, SqlError.SqlError> {
  const signature = ["account text", parameters].filter((each) => each !== "").join(", ")
  // Assignments, because PL/pgSQL evaluates them without a query.
  yield* sql`${sql.literal(`
    create or replace function ${name}(${signature}) returns ${returns} language plpgsql
      ${isByKey ? "set enable_seqscan = off" : ""} as $function$
    declare
      entered text := current_setting('app.account', true);
      ${declare}
    begin
      if entered <> '' and entered is distinct from account then
        raise exception 'An account is set; the work of another cannot join its transaction'
          using errcode = 'insufficient_privilege';
      end if;
      entered := set_config('role', '${applicationRole}', true);
      entered := set_config('app.account', account, true);
      ${body}
    end $function$`)}`
  // Every role may run a new function, unless a hardened database says otherwise.
  yield* sql`grant execute on function ${sql(name)} to ${sql(applicationRole)}, ${sql(serviceRole)}`
})
