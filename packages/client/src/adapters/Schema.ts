/* Compares an answer's text with a JSON schema. Only texts that certainly do not fit are rejected. */
import { attempt } from "../ForeignValues.ts"

type Json = Readonly<Record<string, unknown>>

export const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value

export const isObject = (value: unknown): value is Json => typeOf(value) === "object"

const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** Checks only types, required fields, enumerations and alternatives; unnamed fields are allowed. */
const mayFit = (schema: unknown, value: unknown): boolean => {
  if (!isObject(schema)) return schema !== false
  const { anyOf, const: only, items, oneOf, properties, required, type } = schema
  const is = typeOf(value)
  const types = [type ?? is].flat().map((one) => one === "integer" ? "number" : one)
  const alternatives = anyOf ?? oneOf
  const words = schema["enum"] ?? (only === undefined ? only : [only])
  return types.includes(is)
    && (words === undefined || Object(value) === value || listOf(words).includes(value))
    && (alternatives === undefined || listOf(alternatives).some((one) => mayFit(one, value)))
    && (!isObject(value)
      || listOf(required).every((name) => Object.hasOwn(value, String(name)))
        && Object.entries(value).every(([name, one]) => mayFit(Object(properties)[name], one)))
    && listOf(Array.isArray(items) ? [] : value).every((one) => mayFit(items, one))
}

/** Whether a text is no JSON or certainly does not fit a schema. */
export const fails = (schema: unknown, text: string): boolean =>
  !attempt(() => mayFit(schema, JSON.parse(text)), false)
