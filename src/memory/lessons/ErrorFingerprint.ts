/* Recognises an error that occurs again, by its text without line numbers, paths and addresses. */
import { createHash } from "node:crypto"
import { cut, textLimits } from "../../domain/text/TextLimits.ts"

/** Maximum length of a headline (the line that names the error), characters. */
const headlineMax = 300
/** Maximum number of an error's words that are compared, the first ones. */
const tokensMax = 150
/** Maximum number of lines tried as the headline. */
const headlinesMax = 8

/**
 * Patterns of the parts that differ between occurrences of an error, in order of replacement. Most
 * repetitions are limited, so that the time for matching is linear in the text's length.
 */
const substitutions: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  [/\u001b\[[0-9;?]{0,16}[A-Za-z]/g, " "],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "<id>"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\w)/g, "<time>"],
  [/\b\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?!\w)/g, "<time>"],
  [/\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>()]{1,2000}/gi, "<url>"],
  [/(?:\b[a-z]:)?(?:[\w.@+~$-]{0,64}[\\/]){1,64}[\w.@+~$-]{0,64}/gi, "<path>"],
  [/\b0x[0-9a-f]+\b|\b(?=[0-9a-f]{0,64}\d)[0-9a-f]{8,64}\b/gi, "<hex>"],
  [/[^\S\n]+/g, " "]
]

/** Matches numbers, and codes that identify an error (TS2322, E0308, status 404). */
const codeOrNumber = new RegExp(
  [
    String.raw`\b[A-Z]{1,5}\d{3,5}\b`,
    String.raw`\b(?:status(?: code)?|http|exit code|errno|code)[ :=]{1,3}\d{1,5}\b`,
    String.raw`\d+(?:[.,_]\d+)*`
  ].join("|"),
  "gi"
)
const isCode = (text: string): boolean => /^[A-Z]+\d+$/.test(text) || /^[a-z].*[ :=]/i.test(text)

/**
 * Replaces the parts of an error that differ between occurrences, but not codes that identify the error.
 * Normalising a text twice gives the same result as once.
 */
export const normaliseError = (text: string): string =>
  substitutions
    .reduce(
      (rest, [pattern, replacement]) => rest.replace(pattern, replacement),
      cut(text, textLimits.errorText)
    )
    .replace(codeOrNumber, (found) =>
      isCode(found) ? found : found.replace(/\d+(?:[.,_]\d+)*/g, "<n>"))
    .split("\n").map((line) => line.trim()).filter((line) => line !== "").join("\n")

const errorClass = new RegExp(
  String.raw`\b[A-Za-z_$][\w$]{0,60}(?:Error|Exception|Failure|Fault|Timeout|Interrupt|Panic)\b(?!\.)`
    + String.raw`|\berror\[\w{1,8}\]`
)
const softly =
  /\b(?:error|panic(?:ked)?|fatal|exception|abort(?:ed)?|fail(?:ed|ure|s)?|timed? ?out|denied|refused)\b/i
const isFrame = (line: string): boolean => /^(?:at |File "|from |goroutine |#<n>|\.{3} )/.test(line)

/** Returns the lines that may name the error, at least one, the likeliest first. */
const headlinesIn = (normalised: string): ReadonlyArray<string> => {
  const lines = normalised.split("\n").filter((line) => !isFrame(line))
  // The text before the class name is dropped, because it comes from the logger or the module.
  const named = lines.flatMap((line) => {
    const at = errorClass.exec(line)?.index
    return at === undefined ? [] : [line.slice(at)]
  })
  const found = named.length > 0 ? named : lines.filter((line) => softly.test(line))
  // Python prints the raised error last; most other languages print it first.
  const ordered = /\bTraceback \(most recent call last\)/.test(normalised) ? found.toReversed() : found
  const headlines = ordered.length > 0 ? ordered : lines.length > 0 ? lines : [normalised]
  return headlines.slice(0, headlinesMax).map((line) => cut(line, headlineMax))
}

const placeholders = /<(?:id|time|url|path|hex|n)>/g
const commonWords = new Set([
  "the", "and", "for", "with", "from", "file", "line", "most", "recent", "call", "last", "traceback",
  "error", "exception", "module", "node_modules", "anonymous", "internal", "native"
])

/**
 * Returns a normalised text's first distinct words, without common ones. Codes such as 404 count as words.
 */
export const tokensOf = (normalised: string): ReadonlyArray<string> => {
  const words = normalised.replace(placeholders, " ").toLowerCase()
    .match(/[\p{L}_][\p{L}\p{N}_]{2,60}|\d{3,5}/gu)
  return [...new Set(words ?? [])].filter((word) => !commonWords.has(word)).slice(0, tokensMax)
}

const fingerprintOf = (headline: string): string =>
  createHash("sha256").update(headline.toLowerCase()).digest("hex").slice(0, 16)

export interface ErrorFingerprint {
  /**
   * Hash of the headline, 16 hex digits. Most headlines that differ only in ids, times, paths or numbers have
   * the same hash.
   */
  readonly fingerprint: string
  /** The error's class, for example `TypeError`; null if the headline names none. */
  readonly errorType: string | null
  readonly headline: string
  readonly tokens: ReadonlyArray<string>
}

/** Returns a fingerprint for each possible headline, at least one, the likeliest first. */
export const fingerprintsOf = (text: string): readonly [ErrorFingerprint, ...Array<ErrorFingerprint>] => {
  const normalised = normaliseError(text)
  const tokens = tokensOf(normalised)
  const printOf = (headline: string): ErrorFingerprint => ({
    fingerprint: fingerprintOf(headline),
    errorType: errorClass.exec(headline)?.[0] ?? null,
    headline,
    tokens
  })
  const [first = "", ...others] = headlinesIn(normalised)
  return [printOf(first), ...others.map(printOf)]
}
