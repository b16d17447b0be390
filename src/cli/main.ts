#!/usr/bin/env node
// The command line `sextant`: its commands, and what every one of them runs with.
// This import comes first: schemas made before it stay interpreted, which halves the speed of HTTP bodies.
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Logger } from "effect"
import { Command } from "effect/cli"
import { OpenApi } from "effect/http-api"
import { account } from "./AccountCommands.ts"
import { backup, restore } from "./BackupCommands.ts"
import { logFormat } from "./Config.ts"
import { version } from "../domain/System.ts"
import { DocumentedApi } from "../http/DocumentedApi.ts"
import { keys } from "./KeyCommands.ts"
import { doctor, migrate, retention } from "./Commands.ts"
import { memory } from "./MemoryCommands.ts"
import * as Processes from "./Processes.ts"
import { teardown } from "./Teardown.ts"
import { withoutFloods } from "../telemetry/log/LogFlood.ts"
import { logLines } from "../telemetry/log/LogLines.ts"
import { makeLogSink } from "../telemetry/log/LogSink.ts"

// Files of this process hold keys and outcomes: only its owner may read them, from the first byte.
process.umask(0o077)

const serve = Command.make("serve", {}, () => Processes.service).pipe(
  Command.withDescription("Serve the API (the default)")
)

const openapi = Command.make(
  "openapi",
  {},
  () => Console.log(JSON.stringify(OpenApi.fromApi(DocumentedApi), null, 2))
).pipe(
  Command.withDescription("Print the OpenAPI document")
)

const sextant = Command.make("sextant", {}, () => Processes.service).pipe(
  Command.withDescription("Recommends a language model for a task, and learns from outcomes"),
  Command.withSubcommands([
    serve, memory, keys, account, migrate, retention,
    backup, restore, doctor, openapi
  ])
)

const standardError = 2

/** Logs go to standard error, one line per event; standard output carries results (a key, a document). */
const logs = Layer.unwrap(Effect.gen(function*() {
  // An unknown format is reported with all other wrong variables, when the command reads them.
  const formatted = logLines(yield* Effect.orElseSucceed(logFormat, () => "logfmt" as const))
  const { write } = yield* Effect.acquireRelease(
    Effect.sync(() => makeLogSink(standardError)),
    ({ close }) => Effect.sync(close)
  )
  const log = (line: string | undefined) => line === undefined ? undefined : write(line)
  return Logger.layer([Logger.map(withoutFloods(formatted), log)])
}))

sextant.pipe(
  Command.run({ version }),
  Effect.provide([NodeServices.layer, logs]),
  NodeRuntime.runMain({ teardown, disableErrorReporting: true })
)
