/* Removes the endings that gateways, clouds and releases put after a model's name. */

interface Shortened {
  readonly name: string
  /** True if the removed ending was a date or a revision, by which models may differ. */
  readonly isStamp: boolean
  /** True if the shortened name has Bedrock's form, in which a final `-v1` is no version of the model. */
  readonly isPackaged: boolean
}

/** Words after a colon that name a route of OpenRouter to the same model, or a service tier. */
const routingVariant =
  /:(?:free|beta|extended|thinking|online|nitro|floor|exacto|batch|flex|priority|latest)$/
/** Claude Code's ending `[1m]`, which asks for the long context. */
const longContext = /\[1m\]$/
/** The size of a model as Ollama writes it, as in `gpt-oss:20b`. */
const sizeTag = /:(\d+(?:\.\d+)?b)$/
/** Bedrock's revision, which may include a length of context: `:0`, `:0:200k`. */
const bedrockRevision = /:\d+(?::\d+k)?$/
/** Bedrock's ending: `-v1`, or `-v` and a number after a date. `-v2` without a date may be a version. */
const bedrockPackaging = /-v1$|(?<=-20\d{6})-v\d+$/
/** Bedrock's ending `-1` after the size of an open model, as in `gpt-oss-120b-1:0`. */
const bedrockNumber = /(\db)-1$/
/** Vertex's version, such as `@20250929` or `@001`. `atWord` matches words without a version: `@latest`. */
const atVersion = /@(\d{8}|\d{3})$/
const atWord = /@(?:default|latest|[a-z]+-[a-z]+-?\d+)$/
const served = /-maas$/
const latest = /-latest$/
const preview = /-preview$/

const month = "(?:0[1-9]|1[0-2])"
const day = "(?:0[1-9]|[12]\\d|3[01])"
/** A release date in one of the makers' forms: 2025-08-07, 20250807, 08-2024, 250807, 2508 or 0709. */
const date = new RegExp(
  `-(?:20\\d\\d-${month}-${day}|20\\d\\d${month}${day}|${month}-20\\d\\d|2\\d${month}${day}|2\\d${month}`
  + `|${month}${day})$`
)
const revision = /-00\d$/
/** The date after `-preview`, such as `-05-06`, which after another word would be a version. */
const previewDate = new RegExp(`(-preview)-${month}-(?:${day}|20\\d\\d)$`)
const experiment = new RegExp(`-exp-${month}-${day}$`)

const rules: ReadonlyArray<{
  readonly pattern: RegExp
  readonly left: string
  readonly isStamp?: true
  /** `begins`: an ending that shows Bedrock's form. `needs`: an ending to remove only from Bedrock's form. */
  readonly packaging?: "begins" | "needs"
}> = [
  { pattern: longContext, left: "" },
  { pattern: routingVariant, left: "" },
  { pattern: sizeTag, left: "-$1" },
  { pattern: bedrockRevision, left: "", packaging: "begins" },
  { pattern: bedrockPackaging, left: "", packaging: "needs" },
  { pattern: bedrockNumber, left: "$1", packaging: "needs" },
  { pattern: atVersion, left: "-$1" },
  { pattern: atWord, left: "" },
  { pattern: served, left: "" },
  { pattern: latest, left: "" },
  { pattern: previewDate, left: "$1", isStamp: true },
  { pattern: experiment, left: "", isStamp: true },
  { pattern: date, left: "", isStamp: true },
  { pattern: revision, left: "", isStamp: true },
  { pattern: preview, left: "" }
]

/** Number of characters at a name's end that the rules read. */
const endingMax = 32

const anyEnding = new RegExp(rules.map(({ pattern }) => `(?:${pattern.source})`).join("|"))

/** Returns the name without its outermost ending; null if it has no known ending. */
export const shortened = (name: string, isPackaged: boolean): Shortened | null => {
  const end = name.slice(-endingMax)
  if (!anyEnding.test(end)) return null
  for (const { isStamp = false, left, packaging, pattern } of rules) {
    if (packaging === "needs" && !isPackaged) continue
    if (!pattern.test(end)) continue
    const rest = name.slice(0, name.length - end.length) + end.replace(pattern, left)
    if (rest === "") return null
    return { name: rest, isStamp, isPackaged: packaging === undefined ? isPackaged : packaging === "begins" }
  }
  return null
}

/** Returns a name without its date or revision; null if it does not end with one. */
export const stampedStem = (name: string): string | null => {
  const rest = shortened(name, true)
  return rest?.isStamp === true ? rest.name : null
}

export const withoutLatest = (name: string): string | null =>
  latest.test(name) ? name.replace(latest, "") : null

/** Returns null for a name without the ending `-latest` or `-preview`. */
export const withoutStage = (name: string): string | null =>
  withoutLatest(name) ?? (preview.test(name) ? name.replace(preview, "") : null)

const dashedDate = new RegExp(`-(20\\d\\d)-(${month})-(${day})$`)
/** Claude's version may be before or after the tier: `claude-4.5-sonnet` is `claude-sonnet-4-5`. */
const tierLast = /^claude-(\d+(?:-\d+)?)-([a-z]+)(?=-|$)/

/** Returns the key of a name: dashes for points, dates in one form, and Claude's tier first. */
export const keyOf = (name: string): string =>
  name.replaceAll(".", "-").replace(dashedDate, "-$1$2$3").replace(tierLast, "claude-$2-$1")

/**
 * Returns a name's date as the number YYMMDD, with the day 00 if it is absent; null if the name has no year.
 */
export const releaseOf = (name: string): number | null => {
  const [ending = ""] = date.exec(keyOf(name)) ?? []
  const digits = ending.replaceAll("-", "")
  const isMonthFirst = /^-\d\d-/.test(ending)
  if (isMonthFirst) return Number(`${digits.slice(4)}${digits.slice(0, 2)}00`)
  if (digits.length > 4) return Number(digits.slice(-6))
  return digits.startsWith("2") ? Number(`${digits}00`) : null
}
