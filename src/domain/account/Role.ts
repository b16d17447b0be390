/* Roles of keys, and the rights that endpoints require. */
import { Schema } from "effect"

/**
 * A key of the role `read` may read the account's data. A key of the role `use` may read data, ask for
 * recommendations, and send feedback. A key of the role `admin` has the rights of `use`, and may set the
 * account's models.
 */
export const Role = Schema.Literals(["use", "read", "admin"])
export type Role = typeof Role.Type

export type Right = "read" | "use" | "admin"

const rights: Readonly<Record<Role, ReadonlyArray<Right>>> = {
  read: ["read"],
  use: ["read", "use"],
  admin: ["read", "use", "admin"]
}

export const holds = (role: Role, right: Right): boolean => rights[role].includes(right)

export const rolesWith = (right: Right): ReadonlyArray<Role> =>
  Role.literals.filter((role) => holds(role, right))

export const isRole = Schema.is(Role)
