/* The database role with just the rights that a running service needs. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The role whose members can run the service: act for accounts, store keys and look for due reflections. A
 * member can neither change the schema nor bypass row-level security.
 */
export const serviceRole = "sextant_service"

/** The login role does not exist. The operator creates it and chooses its password. */
export class NoSuchRole extends Schema.TaggedError<NoSuchRole>()("NoSuchRole", { role: Schema.String }) {
  override get message() {
    return `There is no role ${this.role}; make it first: create role ${this.role} login password '…'`
  }
}

/** Makes a login role a member of {@link serviceRole}. */
export const grantService = Effect.fnUntraced(function*(role: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`select from pg_roles where rolname = ${role}`
  if (found === undefined) return yield* new NoSuchRole({ role })
  yield* sql`grant ${sql(serviceRole)} to ${sql(role)}`
})
