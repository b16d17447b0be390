/*
 * Reads fields of the hosted backend's answers, which may be missing, spelled differently or of another type:
 * the protocol is known only from its clients. Every reader is total.
 */
import { Schema } from "effect"
import { cut, textLimits } from "../../domain/text/TextLimits.ts"

export type Fields = Readonly<Record<string, unknown>>

/** An answer's text as an object of anything. */
export const Answer = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** Longest id that is taken from the backend, in characters. */
export const idMax = 512

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Fields => isFields(value) ? value : {}

export const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** The first of the fields that is a text with something in it, its beginning; else null. */
export const textOf = (fields: Fields, ...names: ReadonlyArray<string>): string | null => {
  const text = names.map((name) => fields[name]).find((value) => typeof value === "string" && value !== "")
  return typeof text === "string" ? cut(text, textLimits.lessonContent).toWellFormed() : null
}

/** As {@link textOf}; an id that is too long is none, because its beginning would be another. */
export const idOf = (fields: Fields, ...names: ReadonlyArray<string>): string | null => {
  const id = textOf(fields, ...names)
  return id === null || id.length > idMax ? null : id
}

/** Beyond it a number of the backend's is none: no mean, age or score of ours comes near. */
const numberMax = 1e12

/** The first of the fields that is a number within reason; else null. */
export const numberOf = (fields: Fields, ...names: ReadonlyArray<string>): number | null => {
  const found = names.map((name) => fields[name]).find((value) =>
    typeof value === "number" && Math.abs(value) <= numberMax)
  return typeof found === "number" ? found : null
}

/** As {@link numberOf}, held within [0, 1]. */
export const shareOf = (fields: Fields, ...names: ReadonlyArray<string>): number | null => {
  const value = numberOf(fields, ...names)
  return value === null ? null : Math.min(1, Math.max(0, value))
}

/**
 * The first of the fields that counts: a number, or a list of what is counted; 0 when none does. At most the
 * largest number that is exact.
 */
export const countOf = (fields: Fields, ...names: ReadonlyArray<string>): number => {
  for (const name of names) {
    const value = fields[name]
    if (Array.isArray(value)) return value.length
    if (typeof value === "number" && Number.isFinite(value)) {
      return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(value)))
    }
  }
  return 0
}

/** A text parsed as JSON; null when it is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Null is the answer: a caller counts what cannot be read.
    return null
  }
}
