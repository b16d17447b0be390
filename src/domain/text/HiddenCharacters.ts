/* Finds and removes characters that steer a terminal, a page or a reader without being seen. */

/**
 * Format characters that are not seen: they turn text around (bidirectional marks, embeddings, overrides and
 * isolates), carry words that no reader sees (tags), or only look like nothing. The joiners U+200C and U+200D
 * are left alone: Persian, Hindi and emoji are written with them.
 */
const invisible = "\\u{ad}\\u{61c}\\u{180e}\\u{200b}\\u{200e}\\u{200f}\\u{202a}-\\u{202e}\\u{2060}-\\u{206f}"
  + "\\u{feff}\\u{fff9}-\\u{fffb}\\u{e0000}-\\u{e0fff}"

/** Line and paragraph separators, and every control but tab and line feed. */
const controls = "\\u{0}-\\u{8}\\u{b}-\\u{1f}\\u{7f}-\\u{9f}\\u{2028}\\u{2029}"

const anyInvisible = new RegExp(`[${invisible}]`, "gu")
const anyControl = new RegExp(`\\r\\n?|[${controls}]`, "gu")
const anyHidden = new RegExp(`[${invisible}${controls}]`, "u")
const hiddenInLine = new RegExp(`[${invisible}${controls}\\n\\t]`, "gu")

/** Whether a text holds a character that {@link shown} would not let out. */
export const hasHidden = (text: string): boolean => anyHidden.test(text) || !text.isWellFormed()

/**
 * A derived text as it may be shown: without invisible characters, a space for each control but tab and line
 * feed, U+FFFD for half of a surrogate pair.
 */
export const shown = (text: string): string =>
  hasHidden(text)
    ? text.toWellFormed()
      .replace(anyControl, (found) => found.startsWith("\r") ? "\n" : " ")
      .replace(anyInvisible, "")
    : text

const escapeOf = (character: string): string =>
  character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * A log line: hidden characters, line feeds and tabs as escapes, so that two texts stay two and a line stays
 * one. Inside a JSON string the escapes read as the characters.
 */
export const escapedLine = (line: string): string => line.toWellFormed().replace(hiddenInLine, escapeOf)

const escapedIn = (value: unknown): unknown => {
  if (typeof value === "string") return escapedLine(value)
  if (Array.isArray(value)) return value.map(escapedIn)
  return typeof value !== "object" || value === null
    ? value
    : Object.fromEntries(Object.entries(value).map(([name, own]) => [escapedLine(name), escapedIn(own)]))
}

/** A value of JSON with its names and texts as {@link escapedLine}: what is printed of it keeps its lines. */
export const escapedTexts = <A>(value: A): A => escapedIn(value) as A // The shape stays.
