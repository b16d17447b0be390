import { Schema } from "effect"

/**
 * What a key is for. `use`: recommendations, feedback and everything that is read. `read`: everything that is
 * read, the dashboard included, and neither a recommendation nor feedback. `admin`: what `use` may, and the
 * account's settings.
 */
export const Role = Schema.Literals(["use", "read", "admin"])
export type Role = typeof Role.Type

/** What an endpoint needs of a key. */
export type Right = "read" | "use" | "admin"

const rights: Readonly<Record<Role, ReadonlyArray<Right>>> = {
  read: ["read"],
  use: ["read", "use"],
  admin: ["read", "use", "admin"]
}

export const holds = (role: Role, right: Right): boolean => rights[role].includes(right)

/** The roles that hold a right, in the order of {@link Role}. */
export const rolesWith = (right: Right): ReadonlyArray<Role> =>
  Role.literals.filter((role) => holds(role, right))

export const isRole = Schema.is(Role)
