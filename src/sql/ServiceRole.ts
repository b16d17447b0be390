import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The role that a running service needs: to act for accounts, to keep keys, to look for due reflections. Log
 * in as a member of it, and the service can neither change the schema nor see around row-level security.
 */
export const serviceRole = "sextant_service"

/** The role to be let in is not there; its password is for the operator to choose. */
export class NoSuchRole extends Schema.TaggedError<NoSuchRole>()("NoSuchRole", { role: Schema.String }) {
  override get message() {
    return `There is no role ${this.role}; make it first: create role ${this.role} login password '…'`
  }
}

/** Lets a login role run the service. */
export const grantService = Effect.fnUntraced(function*(role: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`select from pg_roles where rolname = ${role}`
  if (found === undefined) return yield* new NoSuchRole({ role })
  yield* sql`grant ${sql(serviceRole)} to ${sql(role)}`
})
