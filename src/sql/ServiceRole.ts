/* The database role that has only the rights that a running service needs. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { causeChain } from "../domain/text/ErrorMessage.ts"
import { applicationRole } from "./AccountScope.ts"
import { quoted } from "./SessionSettings.ts"
import { codeOf, sqlErrorIn } from "./Transient.ts"

/** Members of this role can act for accounts, but cannot change the schema or bypass row-level security. */
export const serviceRole = "sextant_service"

/** The error if the owner of the tables may not create or grant the roles of Sextant. */
export class RolesRefused extends Schema.TaggedError<RolesRefused>()("RolesRefused", {
  owner: Schema.String,
  made: Schema.Array(Schema.String)
}) {
  get cure() {
    const names = [applicationRole, serviceRole]
    return [
      ...names.filter((name) => !this.made.includes(name)).map((name) => `create role ${name} nologin`),
      `grant ${applicationRole} to ${serviceRole}`,
      `grant ${names.join(", ")} to ${quoted(this.owner)} with admin option`
    ].join("; ")
  }

  override get message() {
    return `${this.owner} may not create or grant the roles of Sextant (it lacks CREATEROLE, or their admin `
      + `option). As an administrator, run: ${this.cure}`
  }
}

const rolesRefused = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly owner: string; readonly made: ReadonlyArray<string> }>`
    select current_user::text as owner, array(select rolname::text from pg_roles
      where rolname in (${applicationRole}, ${serviceRole})) as made`
  return new RolesRefused({ owner: row?.owner ?? "", made: row?.made ?? [] })
})

/** Replaces PostgreSQL's refusal of a role by {@link RolesRefused}, which names the remedy. */
export const explainRoles = <A, E, R>(step: Effect.Effect<A, E, R>) =>
  Effect.catch(step, (error): Effect.Effect<
    never, E | RolesRefused | SqlError.SqlError, SqlClient.SqlClient
  > => {
    const refusal = sqlErrorIn(error)
    const isOfRole = refusal !== null && codeOf(refusal) === "42501"
      && causeChain(refusal).some((each) => / role\b/.test(String(each)))
    return isOfRole ? Effect.flatMap(rolesRefused, Effect.fail) : Effect.fail(error)
  })

/** Returns {@link RolesRefused} if this connection may not make or grant the roles; otherwise null. */
export const findRefusal = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly may: boolean }>`
    select rolsuper or rolcreaterole or exists (select from pg_roles app, pg_roles service
      where app.rolname = ${applicationRole} and service.rolname = ${serviceRole}
        and pg_has_role(app.oid, 'member') and pg_has_role(service.oid, app.oid, 'member')) as may
    from pg_roles where rolname = current_user`
  return row?.may === false ? yield* rolesRefused : null
})

/** The login role does not exist; the operator must create it, because it needs a password. */
export class NoSuchRole extends Schema.TaggedError<NoSuchRole>()("NoSuchRole", { role: Schema.String }) {
  override get message() {
    return `There is no role ${this.role}; make it first: create role ${this.role} login password '…'`
  }
}

export const grantService = Effect.fnUntraced(function*(role: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`select from pg_roles where rolname = ${role}`
  if (found === undefined) return yield* new NoSuchRole({ role })
  yield* sql`grant ${sql(serviceRole)} to ${sql(role)}`
})
