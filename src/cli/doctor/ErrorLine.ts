import { Config, Predicate, Schema, SchemaIssue } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** Which variable is wrong, and what was expected; never what it holds, which may be a secret. */
const reasonOfConfig = ({ cause }: Config.ConfigError): string => {
  if (!(cause instanceof Schema.SchemaError)) {
    return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message
  }
  return format(cause.issue).issues.map(({ message, path = [] }) => {
    const name = path.map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".")
    return `${name}: ${message.replace(/^E/, "e")}`
  }).join("; ")
}

const depthMax = 8

/** An error, and what caused it, outermost first. */
const chainOf = (error: unknown): ReadonlyArray<unknown> => {
  const chain = [error]
  let last = error
  while (chain.length < depthMax && last instanceof Error && last.cause !== undefined) {
    last = last.cause
    chain.push(last)
  }
  return chain
}

const saysOf = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return reasonOfConfig(error)
  // Of several addresses that were tried, the first one's trouble is as good as any.
  if (error instanceof AggregateError && error.message === "") return saysOf(error.errors[0] ?? error.name)
  if (error instanceof Error) return error.message
  return typeof error === "object" ? "" : String(error)
}

const reasonLengthMax = 200

/** The innermost sentence of what went wrong, in one line: what wraps it says only that it did. */
export const errorLine = (error: unknown): string => {
  const embedded = reasonOfEmbedded(error)
  if (embedded !== null) return embedded
  const says = chainOf(error).map(saysOf).filter((text) => text !== "")
  const unspoken = error instanceof Error ? error.name : String(error)
  return inOneLine(says.at(-1) ?? unspoken).slice(0, reasonLengthMax)
}

/** The lines of a failure to read variables, one for each that is wrong. */
export const problemsOf = (error: Config.ConfigError): ReadonlyArray<string> =>
  error.cause instanceof Schema.SchemaError || error.cause.cause !== undefined
    ? [errorLine(error)]
    : error.cause.message.split("\n")

const isEmbedded = Predicate.isTagged("EmbeddedUnavailable")

/** What the embedded database says of itself, whole: it ends with what to do. */
const reasonOfEmbedded = (error: unknown): string | null => {
  const chain = chainOf(error)
  const from = chain.findIndex((each) => isEmbedded(each))
  if (from < 0) return null
  return inOneLine(chain.slice(from).map(saysOf).filter((text) => text !== "").join(": "))
}

const isOfDatabase = Predicate.or(Predicate.isTagged("SqlError"), isEmbedded)

/**
 * What ended a command, in one line: what it says itself, why, and where to look further. A line for each
 * variable that is wrong.
 */
export const failureLine = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return problemsOf(error).join("\n")
  const reason = errorLine(error)
  if (chainOf(error).some((each) => isOfDatabase(each))) {
    return `The database: ${reason}. To find out more, run \`sextant doctor\``
  }
  const own = inOneLine(saysOf(error))
  return own === "" || own.includes(reason) ? own || reason : `${own}: ${reason}`
}
