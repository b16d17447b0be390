/* How an event is spelled on standard error. */
import { Logger } from "effect"
import { escapedLine } from "../../domain/text/HiddenCharacters.ts"

/**
 * A line per event, for people or for machines. What callers and dependencies wrote may be part of it: their
 * control and bidirectional characters come out as escapes, so that none reaches a terminal.
 */
export const logLines = (format: "json" | "logfmt"): Logger.Logger<unknown, string> =>
  Logger.map(format === "json" ? Logger.formatJson : Logger.formatLogFmt, escapedLine)
