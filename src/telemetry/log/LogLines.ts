/** The form of a log line on standard error. */
import { Logger } from "effect"
import { escapedLine } from "../../domain/text/HiddenCharacters.ts"

/** Without the number of the fiber, which says nothing to a person. */
const logfmt = Logger.map(Logger.formatLogFmt, (line) =>
  line.replace(/^(timestamp=\S+ level=\S+) fiber=\S+/, "$1"))

/**
 * One line for each event, for people or for machines. Control and bidirectional characters, which texts of
 * callers and dependencies may hold, are escaped, so that none reaches a terminal.
 */
export const logLines = (format: "json" | "logfmt"): Logger.Logger<unknown, string> =>
  Logger.map(format === "json" ? Logger.formatJson : logfmt, escapedLine)
