/** The form of a log line on standard error. */
import { Logger } from "effect"
import { escapedLine } from "../../domain/text/HiddenCharacters.ts"

/** Effect's format, without the number of the fiber, which means nothing to a person. */
const logfmt = Logger.map(Logger.formatLogFmt, (line) =>
  line.replace(/^(timestamp=\S+ level=\S+) fiber=\S+/, "$1"))

/** Control and bidirectional characters are escaped, because a caller's text could change a terminal. */
export const logLines = (format: "json" | "logfmt"): Logger.Logger<unknown, string> =>
  Logger.map(format === "json" ? Logger.formatJson : logfmt, escapedLine)
