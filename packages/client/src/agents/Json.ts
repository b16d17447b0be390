/* Reads values that other programs wrote. Any field may be missing. */
import { readFileSync } from "node:fs"

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object at a name; empty without one. */
export const fieldsAt = (value: unknown, name: string): Fields => {
  const inner = isFields(value) ? value[name] : null
  return isFields(inner) ? inner : {}
}

/** The text at a name; empty without one. */
export const textAt = (value: unknown, name: string): string => {
  const text = isFields(value) ? value[name] : null
  return typeof text === "string" ? text : ""
}

/** The count at a name; 0 without one. */
export const countAt = (value: unknown, name: string): number => {
  const count = isFields(value) ? value[name] : null
  return typeof count === "number" && Number.isFinite(count) && count > 0 ? count : 0
}

/** The value of a JSON text; null if the text is not JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The objects in JSON lines. A half-written last line is left out. */
export const linesOf = (text: string): ReadonlyArray<Fields> =>
  text.split("\n").flatMap((line) => {
    const value = line === "" ? null : parsed(line)
    return isFields(value) ? [value] : []
  })

/** The text of a file; null if it cannot be read. */
export const textOfFile = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}
