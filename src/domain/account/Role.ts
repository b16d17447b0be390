/* Roles of keys, and the rights that endpoints require. */
import { Schema } from "effect"

/**
 * The role of a key. `use`: recommendations, feedback and all reading. `read`: all reading, the dashboard
 * included. `admin`: like `use`, and also the account's settings.
 */
export const Role = Schema.Literals(["use", "read", "admin"])
export type Role = typeof Role.Type

/** The right that an endpoint requires of a key. */
export type Right = "read" | "use" | "admin"

const rights: Readonly<Record<Role, ReadonlyArray<Right>>> = {
  read: ["read"],
  use: ["read", "use"],
  admin: ["read", "use", "admin"]
}

export const holds = (role: Role, right: Right): boolean => rights[role].includes(right)

/** Returns the roles that have a right, in the order of {@link Role}. */
export const rolesWith = (right: Right): ReadonlyArray<Role> =>
  Role.literals.filter((role) => holds(role, right))

export const isRole = Schema.is(Role)
