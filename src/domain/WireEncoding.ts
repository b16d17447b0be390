/* A fast encoder of answers to their wire form. */
import type { Schema } from "effect"
import { snakeCase } from "./Wire.ts"

type Encode = (value: unknown) => unknown

/** The encoder of a value that is the same in code and on the wire. */
const same: Encode = (value) => value

/** The schemas that answers are made of. */
type Part = Schema.Constraint & {
  readonly fields?: unknown
  readonly to?: { readonly fields?: Readonly<Record<string, Part>> }
  readonly members?: ReadonlyArray<Part>
  readonly key?: Part
  readonly value?: Part
}

const encodeFields = (fields: Readonly<Record<string, Part>>): Encode => {
  const parts = Object.entries(fields).map(([key, part]) =>
    ({ key, name: snakeCase(key), encode: encodeOf(part) }))
  return (value) => {
    const held = value as Readonly<Record<string, unknown>>
    const encoded: Record<string, unknown> = {}
    for (const { encode, key, name } of parts) encoded[name] = encode(held[key])
    return encoded
  }
}

const encodeEach = (encode: Encode): Encode =>
  encode === same ? same : (value) => (value as ReadonlyArray<unknown>).map(encode)

const encodeNullable = (encode: Encode): Encode =>
  encode === same ? same : (value) => value === null ? null : encode(value)

const encodeOf = (part: Part): Encode => {
  const { ast, fields, key, members = [], to, value } = part
  if (to?.fields !== undefined) return encodeFields(to.fields)
  const [own = same, ...others] = members.map(encodeOf).filter((encode) => encode !== same)
  if (others.length === 0 && members.length > 0) return encodeNullable(own)
  if (value !== undefined && key === undefined) return encodeEach(encodeOf(value))
  const isSame = ast.encoding === undefined && fields === undefined && members.length === 0
    && (value === undefined || encodeOf(value) === same)
  if (isSame) return same
  throw new Error(`No plain encoding of a schema of ${ast._tag}`)
}

/**
 * The wire encoder of `schema`, which must be made of structs by `wire`, arrays, nulls and values that are
 * the same in JSON; any other schema throws here, before any value is encoded. The encoder renames and does
 * not validate: Effect's own encoder checks every value again and takes ten times as long, a twentieth of a
 * recommendation.
 */
export const wireEncoder = <S extends Schema.Constraint>(schema: S): (value: S["Type"]) => S["Encoded"] =>
  encodeOf(schema) as (value: S["Type"]) => S["Encoded"]
