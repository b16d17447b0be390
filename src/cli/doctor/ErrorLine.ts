/* An error in one line, as commands print it and the doctor reports it. */
import { Config, Predicate, Schema, SchemaIssue } from "effect"
import { causeChain, inOneLine, representativeOf } from "../../domain/text/ErrorMessage.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Which variable is wrong, and what was expected; leaves out its value, which may be a secret. */
const configErrorLine = ({ cause }: Config.ConfigError): string => {
  if (!(cause instanceof Schema.SchemaError)) {
    return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message
  }
  return format(cause.issue).issues.map(({ message, path = [] }) => {
    const name = path.map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".")
    return `${name}: ${message.replace(/^E/, "e")}`
  }).join("; ")
}

const messageOf = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return configErrorLine(error)
  const representative = representativeOf(error)
  if (representative !== error) return messageOf(representative)
  if (error instanceof Error) return error.message
  return typeof error === "object" ? "" : String(error)
}

/** Longest line, characters. */
const lineLengthMax = 200

/** The message of the innermost cause, in one line: the errors around it say only that something failed. */
export const errorLine = (error: unknown): string => {
  const whole = wholeErrorLine(error)
  if (whole !== null) return whole
  const messages = causeChain(error).map(messageOf).filter((text) => text !== "")
  const withoutMessage = error instanceof Error ? error.name : String(error)
  return inOneLine(messages.at(-1) ?? withoutMessage).slice(0, lineLengthMax)
}

/** The lines of an error of the configuration, one for each variable that is wrong. */
export const configErrorLines = (error: Config.ConfigError): ReadonlyArray<string> =>
  error.cause instanceof Schema.SchemaError || error.cause.cause !== undefined
    ? [errorLine(error)]
    : error.cause.message.split("\n")

const saysWhatToDo = Predicate.or(
  Predicate.isTagged("EmbeddedUnavailable"),
  Predicate.or(Predicate.isTagged("RolesRefused"), Predicate.isTagged("SettingsRefused"))
)

/** The whole message of an error that ends with what to do; null for other errors. */
const wholeErrorLine = (error: unknown): string | null => {
  const chain = causeChain(error)
  const from = chain.findIndex((each) => saysWhatToDo(each))
  if (from < 0) return null
  return inOneLine(chain.slice(from).map(messageOf).filter((text) => text !== "").join(": "))
}

const isOfDatabase = Predicate.or(Predicate.isTagged("SqlError"), saysWhatToDo)

/**
 * The error that ended a command, in one line: its message, its cause, and how to find out more. An error of
 * the configuration has a line for each variable that is wrong.
 */
export const failureLine = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return configErrorLines(error).join("\n")
  const rootCause = errorLine(error)
  if (causeChain(error).some((each) => isOfDatabase(each))) {
    return `The database: ${rootCause}. To find out more, run \`sextant doctor\``
  }
  const own = inOneLine(messageOf(error))
  return own === "" || own.includes(rootCause) ? own || rootCause : `${own}: ${rootCause}`
}
