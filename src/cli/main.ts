#!/usr/bin/env node
// The command line `sextant`: runs the command with its logs and signals.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Logger } from "effect"
import { withoutFloods } from "../telemetry/log/LogFlood.ts"
import { logLines } from "../telemetry/log/LogLines.ts"
import { makeLogSink } from "../telemetry/log/LogSink.ts"
import { sextantFor } from "./Sextant.ts"
import { beforeLine } from "./StartSpinner.ts"
import { teardown } from "./Teardown.ts"
import { logFormat } from "./Variables.ts"

// Only the owner may read the files that this process writes, because they contain keys and outcomes.
process.umask(0o077)

// A closed terminal stops a command as SIGTERM does. By default, SIGHUP would end Node without a clean stop.
process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))

const standardError = 2

/** Log lines go to standard error, because standard output is for results. */
const logs = Layer.unwrap(Effect.gen(function*() {
  // If the log format is unknown, logs are in logfmt until the command reads all variables and reports it.
  const formatted = logLines(yield* Effect.orElseSucceed(logFormat, () => "logfmt" as const))
  const { write } = makeLogSink(standardError)
  const log = (line: string | undefined) => {
    if (line === undefined) return
    beforeLine()
    write(line)
  }
  return Logger.layer([Logger.map(withoutFloods(formatted), log)])
}))

const command = await sextantFor(process.argv.slice(2))

command.pipe(
  Effect.provide([NodeServices.layer, logs]),
  NodeRuntime.runMain({ teardown, disableErrorReporting: true })
)
