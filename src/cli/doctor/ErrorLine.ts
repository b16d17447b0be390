/* Writes an error in one line, for commands and the doctor. */
import { Config, Predicate, Schema, SchemaIssue } from "effect"
import { causeChain, inOneLine, representativeOf } from "../../domain/text/ErrorMessage.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

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

/** Maximum length of a line without a remedy, characters. */
const lineLengthMax = 200

/** Returns the innermost message in one line, or the error's whole message if it names a remedy. */
export const errorLine = (error: unknown): string => {
  const whole = wholeErrorLine(error)
  if (whole !== null) return whole
  const messages = causeChain(error).map(messageOf).filter((text) => text !== "")
  const withoutMessage = error instanceof Error ? error.name : String(error)
  return inOneLine(messages.at(-1) ?? withoutMessage).slice(0, lineLengthMax)
}

export const configErrorLines = (error: Config.ConfigError): ReadonlyArray<string> =>
  error.cause instanceof Schema.SchemaError || error.cause.cause !== undefined
    ? [errorLine(error)]
    : error.cause.message.split("\n")

const saysWhatToDo = Predicate.or(
  Predicate.isTagged("EmbeddedUnavailable"),
  Predicate.or(Predicate.isTagged("RolesRefused"), Predicate.isTagged("SettingsRefused"))
)

/** Returns the whole message of an error that names a remedy; null for other errors. */
const wholeErrorLine = (error: unknown): string | null => {
  const chain = causeChain(error)
  const from = chain.findIndex((each) => saysWhatToDo(each))
  if (from < 0) return null
  return inOneLine(chain.slice(from).map(messageOf).filter((text) => text !== "").join(": "))
}

const isOfDatabase = Predicate.or(Predicate.isTagged("SqlError"), saysWhatToDo)

/** Describes the error that ended a command by its message and its innermost cause. */
export const failureLine = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return configErrorLines(error).join("\n")
  const rootCause = errorLine(error)
  if (causeChain(error).some((each) => isOfDatabase(each))) {
    return `The database: ${rootCause}. To find out more, run \`sextant doctor\``
  }
  const own = inOneLine(messageOf(error))
  return own === "" || own.includes(rootCause) ? own || rootCause : `${own}: ${rootCause}`
}
