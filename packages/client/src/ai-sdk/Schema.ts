/* Whether an answer is the JSON that a call asks for: what fails is sure to be no object of the caller's. */
import { attempt } from "../ForeignValues.ts"
import type { FinishReason, ResponseFormat } from "./Shapes.ts"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value

const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/**
 * Whether a value may fit a JSON schema: by types, required fields, enumerations and alternatives. What else
 * a schema says is not read, and fields that it does not name are let pass, as the SDK does.
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

/** Ends of a call that make no answer which could be judged. */
const noAnswers: ReadonlyArray<unknown> = ["error", "content-filter", "tool-calls"]

/** Whether a text is not the JSON that was asked for; false where none was, or where no answer is due yet. */
export const isMisfit = (
  format: ResponseFormat | undefined,
  finish: FinishReason | undefined,
  text: string
): boolean =>
  format?.type === "json" && !noAnswers.includes(finish?.unified)
  && !attempt(() => mayFit(format.schema, JSON.parse(text)), false)
