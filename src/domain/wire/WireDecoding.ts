/* A fast decoder of requests, compiled from their schemas. */
import { Option, Result, Schema, SchemaAST, SchemaParser } from "effect"
import { snakeCase } from "./Wire.ts"

/** Decodes a JSON value; returns undefined, which is no JSON value, if the decoder cannot decode it. */
type Decode = (value: unknown) => unknown

type DecodedPart = Schema.Constraint & {
  readonly DecodingServices: never
  readonly from?: DecodedPart
  readonly to?: DecodedPart & { readonly fields?: Readonly<Record<string, DecodedPart>> }
  readonly members?: ReadonlyArray<DecodedPart>
  readonly literals?: ReadonlyArray<unknown>
  readonly schema?: DecodedPart
}

const bySchema = (part: DecodedPart): Decode => {
  const parse = SchemaParser.decodeUnknownResult(part)
  return (value) => Result.getOrUndefined(parse(value))
}

/** Returns the value that the schema gives to a missing field; undefined if the field is required. */
const defaultOf = (part: DecodedPart): unknown =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Schema.Struct({ field: part }))({}))?.field

const decodeFields = (fields: Readonly<Record<string, DecodedPart>>): Decode => {
  const parts = Object.entries(fields).map(([key, part]) =>
    ({ key, name: snakeCase(key), decode: decodeOf(part), missing: defaultOf(part) }))
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
    const sent = value as Readonly<Record<string, unknown>>
    const decoded: Record<string, unknown> = {}
    for (const { decode, key, missing, name } of parts) {
      const held = sent[name]
      const own = held === undefined ? missing : decode(held)
      if (own === undefined) return undefined
      decoded[key] = own
    }
    return decoded
  }
}

const decodeLiterals = (literals: ReadonlyArray<unknown>): Decode => {
  const known = new Set(literals)
  return (value) => known.has(value) ? value : undefined
}

const decodeNullable = (decode: Decode): Decode => (value) => value === null ? null : decode(value)

const typeOfTag: Readonly<Record<string, string>> = { String: "string", Number: "number", Boolean: "boolean" }

/** Decodes a text, number or boolean that passes all checks of its schema. */
const decodePlain = ({ ast }: DecodedPart, type: string): Decode => {
  const checks = (ast.checks ?? []).flatMap(function flat(check): ReadonlyArray<SchemaAST.Filter<unknown>> {
    return check._tag === "Filter" ? [check] : check.checks.flatMap(flat)
  })
  return (value) => {
    if (typeof value !== type) return undefined
    for (const check of checks) {
      if (check.run(value, ast, {}) !== undefined) return undefined
    }
    return value
  }
}

const decodeOf = (part: DecodedPart): Decode => {
  const { ast, from, literals, members = [], schema, to } = part
  // A field with a default: `defaultOf` gives its value if it is missing.
  const hasDefault = from?.ast.context?.isOptional === true && to?.ast.checks === ast.checks
  if (to !== undefined && hasDefault) return decodeOf(to)
  if (ast.checks === undefined) {
    if (to?.fields !== undefined && to.ast.checks === undefined) return decodeFields(to.fields)
    if (literals !== undefined) return decodeLiterals(literals)
    const [own, ...others] = members.filter((member) => !SchemaAST.isNull(member.ast))
    if (own !== undefined && others.length === 0) return decodeNullable(decodeOf(own))
  }
  // A default of the constructor alone is ignored by decoding.
  if (schema !== undefined && schema.ast.checks === ast.checks && schema.ast.encoding === ast.encoding) {
    return decodeOf(schema)
  }
  const type = typeOfTag[ast._tag]
  return type === undefined || ast.encoding !== undefined ? bySchema(part) : decodePlain(part, type)
}

/**
 * Compiles a decoder of JSON values that gives the same result as the schema. For a value that the decoder
 * cannot decode, the decoder returns undefined, and the caller uses the schema. Decoded values share their
 * default values, so no caller may change them.
 */
export const wireDecoder = <S extends Schema.Constraint & { readonly DecodingServices: never }>(
  schema: S
): (value: unknown) => S["Type"] | undefined => decodeOf(schema) as (value: unknown) => S["Type"] | undefined
