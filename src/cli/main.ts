#!/usr/bin/env node
// The command line `sextant`: what every command runs with.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Logger } from "effect"
import { withoutFloods } from "../telemetry/log/LogFlood.ts"
import { logLines } from "../telemetry/log/LogLines.ts"
import { makeLogSink } from "../telemetry/log/LogSink.ts"
import { logFormat } from "./LogFormat.ts"
import { sextantFor } from "./Sextant.ts"
import { beforeLine } from "./StartSpinner.ts"
import { teardown } from "./Teardown.ts"

// Files of this process hold keys and outcomes: only its owner may read them, from the first byte.
process.umask(0o077)

// A terminal that closes stops a command as SIGTERM does: Node would end at once, and leave the database
// running that it has started.
process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))

const standardError = 2

/** Logs go to standard error, one line per event; standard output carries results (a key, a document). */
const logs = Layer.unwrap(Effect.gen(function*() {
  // An unknown format is reported with all other wrong variables, when the command reads them.
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
