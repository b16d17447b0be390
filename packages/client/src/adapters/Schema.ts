/*
 * Compares a text with a call's JSON schema. A text that fails is certainly not the object that was asked
 * for.
 */
import { attempt } from "../ForeignValues.ts"

type Json = Readonly<Record<string, unknown>>

export const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value

export const isObject = (value: unknown): value is Json => typeOf(value) === "object"

const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/**
 * Whether a value may fit a JSON schema, by types, required fields, enumerations and alternatives. Other
 * keywords are not read. Unnamed fields pass, as in the SDK.
 */
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

/** Whether a text certainly does not fit a schema. */
export const fails = (schema: unknown, text: string): boolean =>
  !attempt(() => mayFit(schema, JSON.parse(text)), false)
