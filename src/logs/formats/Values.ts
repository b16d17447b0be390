/* Reads single values of a row that another program wrote. A value may be any JSON or text. */
import { scrub } from "../../domain/text/Text.ts"
import { tokensMax } from "../../domain/Units.ts"

export type Row = Readonly<Record<string, unknown>>

/** Fields whose values cannot be used, for a person to read: `completion_tokens: -5`. */
export type UnusableFields = Array<string>

/** Maximum length of a value that is shown to a person, characters. */
const shownMax = 40

const noteOf = (name: string, value: unknown): string => {
  const text = typeof value === "object" ? typeof value : String(value)
  return `${name}: ${text.length > shownMax ? `${text.slice(0, shownMax)}…` : text}`
}

export const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns a text, a number or a boolean as text; null for an empty text or any other value. */
export const textOf = (value: unknown): string | null => {
  if (typeof value === "string") return scrub(value) || null
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null
}

const jsonStart = /^\s*[[{"]/

/** Parses a text that contains JSON, as columns of CSV files and databases do. */
export const parsedOf = (value: unknown): unknown => {
  if (typeof value !== "string" || !jsonStart.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    // A text that begins like JSON, but is no valid JSON, is returned as it is.
    return value
  }
}

const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * Makes a reader of numbers in [min, max], which returns null for any other value. The reader adds a value
 * that is neither empty nor in [min, max] to `unusable`.
 */
const within = (
  min: number,
  max: number
) => (value: unknown, name: string, unusable: UnusableFields): number | null => {
  if (value === undefined || value === null || value === "") return null
  const isNumber = typeof value === "number" || (typeof value === "string" && numeric.test(value.trim()))
  const number = isNumber ? Number(value) : NaN
  if (number >= min && number <= max) return number
  unusable.push(noteOf(name, value))
  return null
}

/** Reads an amount in US dollars, in [0, 1e6]. */
export const usdOf = within(0, 1e6)

const amount = within(0, tokensMax)

/** Reads a count in [0, `tokensMax`], rounded to a whole number. */
export const countOf = (value: unknown, name: string, unusable: UnusableFields): number | null => {
  const number = amount(value, name, unusable)
  return number === null ? null : Math.round(number)
}

/** Maximum believable duration of a call, ms. Chosen. */
const timeMax = 86_400_000
const time = within(0, timeMax)

/** Reads a duration from 0 to 24 hours, rounded to whole milliseconds. */
export const millisOf = (value: unknown, name: string, unusable: UnusableFields): number | null => {
  const number = time(value, name, unusable)
  return number === null ? null : Math.round(number)
}

/** Returns the time between two dates, ms; null if a date is missing, or the time is not 0 to 24 hours. */
export const millisBetween = (from: Date | null, to: Date | null): number | null => {
  const passed = from === null || to === null ? NaN : to.getTime() - from.getTime()
  return passed >= 0 && passed <= timeMax ? passed : null
}

/** A date as ISO 8601, PostgreSQL, ClickHouse and Python write it. A date without a time zone is in UTC. */
const dated = new RegExp(
  "^(\\d{4}-\\d\\d-\\d\\d)(?:[T ](\\d\\d:\\d\\d(?::\\d\\d)?)(?:[.,](\\d{1,9}))?)? ?"
  + "(Z|z|UTC|[+-]\\d\\d(?::?\\d\\d)?)?$"
)

const zoneOf = (zone: string | undefined): string => {
  if (zone === undefined || zone === "UTC" || zone === "z") return "Z"
  if (zone.length === 3) return `${zone}:00`
  return zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone
}

/** Returns a Unix time in milliseconds. The size of the value shows its unit: s, ms, µs or ns. */
const unixMs = (value: number): number => {
  if (value < 1e11) return value * 1e3
  if (value < 1e14) return value
  return value < 1e17 ? value / 1e3 : value / 1e6
}

/** Returns true if the month has this day. `Date.parse` would read 30 February as 2 March. */
const isDay = (day: string): boolean =>
  Number(day.slice(8)) <= 28 || new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8))

/** Reads a date from a text or from Unix time; null for any other value. */
export const dateOf = (value: unknown): Date | null => {
  const text = typeof value === "string" ? value.trim() : ""
  const number = typeof value === "number" ? value : numeric.test(text) ? Number(text) : NaN
  const parts = dated.exec(text)
  const [, day = "", hour = "00:00:00", fraction = "0", zone] = parts ?? []
  if (day !== "" && !isDay(day)) return null
  const seconds = hour.length === 5 ? `${hour}:00` : hour
  const ms = parts === null ? unixMs(number) : Date.parse(
    `${day}T${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}${zoneOf(zone)}`
  )
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date
}

const yes: ReadonlySet<unknown> = new Set([true, 1, "true", "True", "TRUE", "1", "t"])

/** Returns true if a flag is set, in one of its usual spellings. */
export const isSet = (value: unknown): boolean => yes.has(value)

/** Reads tags from a list, from a list as JSON text, or from words separated by commas. */
export const tagsOf = (value: unknown): ReadonlyArray<string> => {
  const parsed = parsedOf(value)
  const words: ReadonlyArray<unknown> = Array.isArray(parsed)
    ? parsed
    : typeof parsed === "string" ? parsed.split(",").map((word) => word.trim()) : []
  return words.flatMap((word) => textOf(word) ?? [])
}
