/* Reads JSON that other programs wrote, in which any field may be missing. */
import { readFileSync } from "node:fs"

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the object in a named field; `{}` if the field holds no object. */
export const fieldsAt = (value: unknown, name: string): Fields => {
  const inner = isFields(value) ? value[name] : null
  return isFields(inner) ? inner : {}
}

/** Returns the text in a named field; an empty text if the field holds no text. */
export const textAt = (value: unknown, name: string): string => {
  const text = isFields(value) ? value[name] : null
  return typeof text === "string" ? text : ""
}

/** Returns the number in a named field; 0 if the field holds no positive number. */
export const countAt = (value: unknown, name: string): number => {
  const count = isFields(value) ? value[name] : null
  return typeof count === "number" && Number.isFinite(count) && count > 0 ? count : 0
}

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns each line's JSON object, but skips other lines, such as a half-written last line. */
export const linesOf = (text: string): ReadonlyArray<Fields> =>
  text.split("\n").flatMap((line) => {
    const value = line === "" ? null : parsed(line)
    return isFields(value) ? [value] : []
  })

export const textOfFile = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}
