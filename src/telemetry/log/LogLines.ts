/** The form of a log line on standard error. */
import { Logger } from "effect"
import { escapedLine } from "../../domain/text/HiddenCharacters.ts"

/**
 * One line for each event, for people or for machines. Control and bidirectional characters, which texts of
 * callers and dependencies may hold, are escaped, so that none reaches a terminal.
 */
export const logLines = (format: "json" | "logfmt"): Logger.Logger<unknown, string> =>
  Logger.map(format === "json" ? Logger.formatJson : Logger.formatLogFmt, escapedLine)
