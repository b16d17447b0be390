/* Compiles the common subset of JSON Schema (2020-12). Unsupported keywords are refused, because ignoring
   them would pass wrong answers. A check recurses only as deep as the schema. */
import { attempt } from "../ForeignValues.ts"
import { isObject, typeOf } from "../adapters/Schema.ts"

export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

type Check = (value: unknown) => boolean
type Fields = Readonly<Record<string, unknown>>
/** Compiles a keyword's operand; null if it is invalid. `path` is the keyword's place in the schema. */
type Keyword = (operand: unknown, path: string, schema: Fields) => Check | null

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

/** Whether two JSON values are equal; the order of an object's fields does not matter. */
const isSame = (own: unknown, value: unknown): boolean => {
  if (Object(own) !== own || typeOf(own) !== typeOf(value)) return own === value
  const [left, right]: [Fields, Fields] = [Object(own), Object(value)]
  const names = Object.keys(left)
  return names.length === Object.keys(right).length
    && names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]))
}

const numberOf = (value: unknown): number | null => typeof value === "number" ? value : null
const itemsOf = (value: unknown): number | null => isList(value) ? value.length : null
/** Number of a text's code points; null for other values. */
const lengthOf = (value: unknown): number | null =>
  typeof value === "string"
    ? value.length - (value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g) ?? []).length
    : null

/** Limits a size, as `maxLength` does. A value for which `sizeOf` returns null passes. */
const limit = (
  sizeOf: (value: unknown) => number | null,
  isWithin: (size: number, bound: number) => boolean
): Keyword =>
(bound) => {
  if (typeof bound !== "number") return null
  return (value) => {
    const size = sizeOf(value)
    return size === null || isWithin(size, bound)
  }
}
const atLeast = (size: number, bound: number): boolean => size >= bound
const atMost = (size: number, bound: number): boolean => size <= bound

const typeNames = /^(null|boolean|integer|number|string|array|object)$/

const keywords: Readonly<Record<string, Keyword>> = {
  type: (operand) => {
    const types = [operand].flat()
    if (!types.every((one) => typeNames.test(String(one)))) return null
    return (value) => types.includes(typeOf(value)) || (types.includes("integer") && Number.isInteger(value))
  },
  enum: (operand) => isList(operand) ? (value) => operand.some((one) => isSame(one, value)) : null,
  const: (operand) => (value) => isSame(operand, value),
  minimum: limit(numberOf, atLeast),
  maximum: limit(numberOf, atMost),
  exclusiveMinimum: limit(numberOf, (size, bound) => size > bound),
  exclusiveMaximum: limit(numberOf, (size, bound) => size < bound),
  minLength: limit(lengthOf, atLeast),
  maxLength: limit(lengthOf, atMost),
  minItems: limit(itemsOf, atLeast),
  maxItems: limit(itemsOf, atMost),
  pattern: (operand) => {
    const pattern = typeof operand === "string" ? attempt(() => new RegExp(operand, "u"), null) : null
    return pattern && ((value) => typeof value !== "string" || pattern.test(value))
  },
  required: (operand) =>
    isList(operand)
      ? (value) => !isObject(value) || operand.every((name) => Object.hasOwn(value, String(name)))
      : null,
  properties: (operand, path) => {
    if (!isObject(operand)) return null
    const checks = Object.entries(operand)
      .map(([name, one]) => [name, compiled(one, `${path}/${name}`)] as const)
    return (value) =>
      !isObject(value) || checks.every(([name, check]) => !Object.hasOwn(value, name) || check(value[name]))
  },
  additionalProperties: (operand, path, { properties }) => {
    const check = compiled(operand, path)
    const isNamed = (name: string): boolean => isObject(properties) && Object.hasOwn(properties, name)
    return (value) =>
      !isObject(value) || Object.keys(value).every((name) => isNamed(name) || check(value[name]))
  },
  items: (operand, path) => {
    const check = compiled(operand, path)
    return (value) => !isList(value) || value.every(check)
  },
  anyOf: (operand, path) => {
    if (!isList(operand)) return null
    const checks = operand.map((one, i) => compiled(one, `${path}/${i}`))
    return (value) => checks.some((check) => check(value))
  }
}

/** Keywords that are not checked. JSON Schema's default is not to check the keyword `format`. */
const notes =
  /^(\$(schema|id|comment|defs)|definitions|title|description|default|examples|deprecated|\w+Only|format)$/

/** Throws a `TypeError` that names an unsupported keyword or an invalid operand. */
export const compiled = (schema: unknown, path = "#"): Check => {
  if (typeof schema === "boolean") return () => schema
  const checks = Object.entries(isObject(schema) ? schema : { "": schema }).flatMap(([name, operand]) => {
    if (notes.test(name)) return []
    const at = `${path}/${name}`
    const check = Object.hasOwn(keywords, name) && keywords[name]?.(operand, at, Object(schema))
    if (check) return [check]
    throw new TypeError(`gates.json: ${at} is not read; give a validator, such as one of zod or ajv`)
  })
  return (value) => checks.every((check) => check(value))
}
