/* Roles of keys, and the rights that endpoints require. */
import { Schema } from "effect"

/**
 * The role of a key. A key with the role `use` may ask for recommendations, send feedback, and read
 * everything. A key with the role `read` may read everything, including the dashboard. A key with the role
 * `admin` may do the same as `use`, and change the account's settings.
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

/** Returns the roles that have a right, in the order in which {@link Role} lists them. */
export const rolesWith = (right: Right): ReadonlyArray<Role> =>
  Role.literals.filter((role) => holds(role, right))

export const isRole = Schema.is(Role)
