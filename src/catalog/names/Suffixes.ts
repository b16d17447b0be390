/* The endings that gateways, clouds and releases put after a model's name, and how they are taken off. */

/** A name without one of its endings. */
interface Shortened {
  readonly name: string
  /** Whether a date or a revision went: another one may be another model. */
  readonly isStamp: boolean
  /** Whether the name was in Bedrock's form, where `-v1` is a packaging and no version of the model. */
  readonly isPackaged: boolean
}

/** Words after a colon for another route to the same model, as OpenRouter has them, or a service tier. */
const routingVariant =
  /:(?:free|beta|extended|thinking|online|nitro|floor|exacto|batch|flex|priority|latest)$/
/** Claude Code's way to ask for the long context. */
const longContext = /\[1m\]$/
/** The size of a model in the form of Ollama: `gpt-oss:20b`. */
const sizeTag = /:(\d+(?:\.\d+)?b)$/
/** Bedrock's revision, with the context that was bought: `:0`, `:0:200k`. */
const bedrockRevision = /:\d+(?::\d+k)?$/
/** Bedrock's packaging, `-v1`; another number only after a date, since it could be the model's version. */
const bedrockPackaging = /-v1$|(?<=-20\d{6})-v\d+$/
/** Bedrock's packaging of open models: `gpt-oss-120b-1:0`. Only after a size is it no version. */
const bedrockNumber = /(\db)-1$/
/** Vertex's version, `@20250929` or `@001`, and what stands for none. */
const atVersion = /@(\d{8}|\d{3})$/
const atWord = /@(?:default|latest|[a-z]+-[a-z]+-?\d+)$/
const served = /-maas$/
const latest = /-latest$/
const preview = /-preview$/

const month = "(?:0[1-9]|1[0-2])"
const day = "(?:0[1-9]|[12]\\d|3[01])"
/** Release dates as makers write them: 2025-08-07, 20250807, 08-2024, 250807, 2508 and 0709. */
const date = new RegExp(
  `-(?:20\\d\\d-${month}-${day}|20\\d\\d${month}${day}|${month}-20\\d\\d|2\\d${month}${day}|2\\d${month}`
  + `|${month}${day})$`
)
const revision = /-00\d$/
/** A preview's date; two digits each, which would be a version anywhere else. */
const previewDate = new RegExp(`(-preview)-${month}-(?:${day}|20\\d\\d)$`)
const experiment = new RegExp(`-exp-${month}-${day}$`)

const rules: ReadonlyArray<{
  readonly pattern: RegExp
  readonly left: string
  readonly isStamp?: true
  /** Begins Bedrock's form, or needs it. */
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

/** Longest ending with what a rule looks at before it, characters: a longer name costs no more. */
const endingMax = 32

const anyEnding = new RegExp(rules.map(({ pattern }) => `(?:${pattern.source})`).join("|"))

/**
 * The name without its outermost ending; null when it has none that is known. A version's digits are never
 * taken off.
 */
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

/** The stem of a name that ends in a date or a revision; null for any other name. */
export const stampedStem = (name: string): string | null => {
  const rest = shortened(name, true)
  return rest?.isStamp === true ? rest.name : null
}

/** A model's name without its `-latest`; null for any other name. */
export const withoutLatest = (name: string): string | null =>
  latest.test(name) ? name.replace(latest, "") : null

/** A model's name without its `-latest` or `-preview`; null for any other name. */
export const withoutStage = (name: string): string | null =>
  withoutLatest(name) ?? (preview.test(name) ? name.replace(preview, "") : null)

const dashedDate = new RegExp(`-(20\\d\\d)-(${month})-(${day})$`)
/** Claude's versions stand before or after the tier: `claude-4.5-sonnet` is `claude-sonnet-4-5`. */
const tierLast = /^claude-(\d+(?:-\d+)?)-([a-z]+)(?=-|$)/

/** The form in which spellings are compared: dashes for points, dates in one form, Claude's tier first. */
export const keyOf = (name: string): string =>
  name.replaceAll(".", "-").replace(dashedDate, "-$1$2$3").replace(tierLast, "claude-$2-$1")

/** The release of a dated name as YYMMDD, day 0 where it has none; null for a date without a year. */
export const releaseOf = (name: string): number | null => {
  const [ending = ""] = date.exec(keyOf(name)) ?? []
  const digits = ending.replaceAll("-", "")
  const isMonthFirst = /^-\d\d-/.test(ending)
  if (isMonthFirst) return Number(`${digits.slice(4)}${digits.slice(0, 2)}00`)
  if (digits.length > 4) return Number(digits.slice(-6))
  return digits.startsWith("2") ? Number(`${digits}00`) : null
}
