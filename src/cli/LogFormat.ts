/* The variable of the log's format, which is read before any command's modules are loaded. */
import { Config } from "effect"
import { oneOf } from "./Variables.ts"

export const logFormat = oneOf("SEXTANT_LOG_FORMAT", ["logfmt", "json"]).pipe(Config.withDefault("logfmt"))
