/* Removal of invisible characters, which can steer a terminal, a page or a reader. */

/**
 * Invisible format characters. The joiners U+200C and U+200D stay, because Persian, Hindi and emoji need
 * them.
 */
const invisible = "\\u{ad}\\u{61c}\\u{180e}\\u{200b}\\u{200e}\\u{200f}\\u{202a}-\\u{202e}\\u{2060}-\\u{206f}"
  + "\\u{feff}\\u{fff9}-\\u{fffb}\\u{e0000}-\\u{e0fff}"

/** Characters that are replaced: line and paragraph separators, and controls except tab and line feed. */
const controls = "\\u{0}-\\u{8}\\u{b}-\\u{1f}\\u{7f}-\\u{9f}\\u{2028}\\u{2029}"

const anyInvisible = new RegExp(`[${invisible}]`, "gu")
const anyControl = new RegExp(`\\r\\n?|[${controls}]`, "gu")
const anyHidden = new RegExp(`[${invisible}${controls}]`, "u")
const hiddenInLine = new RegExp(`[${invisible}${controls}\\n\\t]`, "gu")

/** Returns whether {@link shown} would remove or replace a character of a text. */
export const hasHidden = (text: string): boolean => anyHidden.test(text) || !text.isWellFormed()

/** Makes a text safe to show: removes invisible characters, and replaces control characters. */
export const shown = (text: string): string =>
  hasHidden(text)
    ? text.toWellFormed()
      .replace(anyControl, (found) => found.startsWith("\r") ? "\n" : " ")
      .replace(anyInvisible, "")
    : text

const escapeOf = (character: string): string =>
  character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Returns a log line in which escapes such as `\u200b` replace hidden characters. */
export const escapedLine = (line: string): string => line.toWellFormed().replace(hiddenInLine, escapeOf)

const escapedIn = (value: unknown): unknown => {
  if (typeof value === "string") return escapedLine(value)
  if (Array.isArray(value)) return value.map(escapedIn)
  return typeof value !== "object" || value === null
    ? value
    : Object.fromEntries(Object.entries(value).map(([name, own]) => [escapedLine(name), escapedIn(own)]))
}

/** Applies {@link escapedLine} to all names and texts of a JSON value. */
export const escapedTexts = <A>(value: A): A => escapedIn(value) as A // The shape stays.
