#!/usr/bin/env node
// First: schemas made before it stay interpreted, which halves the speed of reading and writing bodies.
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Config, Console, Effect, Exit, Layer, Logger, Option, Schema } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { OpenApi } from "effect/http-api"
import { account } from "./AccountCommands.ts"
import { Api } from "../api/Api.ts"
import { backup, restore } from "./BackupCommands.ts"
import { logFormat } from "./Config.ts"
import { failureLine } from "./doctor/ErrorLine.ts"
import { shown } from "../domain/text/HiddenCharacters.ts"
import { AccountId, laneOf } from "../domain/Scope.ts"
import { version } from "../domain/System.ts"
import { keys } from "./KeyCommands.ts"
import * as Main from "./Layers.ts"
import { doctor, instance, migrate, retention, serviceConfig } from "./Commands.ts"
import { withoutFloods } from "../telemetry/log/LogFlood.ts"
import { logLines } from "../telemetry/log/LogLines.ts"
import { makeLogSink } from "../telemetry/log/LogSink.ts"

// What this process writes, keys and outcomes among it, is its owner's from the first byte.
process.umask(0o077)

const serve = Command.make("serve", {}, () => Layer.launch(Main.layerConfig)).pipe(
  Command.withDescription("Serve the API (the default)")
)

class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", {}) {
  override get message() {
    return "Name an actor with --user-id or a time with --since or --until"
  }
}

const moment = (name: string, description: string) =>
  Flag.Date(name).pipe(Flag.withDescription(description), Flag.optional)

const undo = Command.make(
  "undo",
  {
    instance,
    namespace: Flag.String("namespace").pipe(Flag.withDescription("This one only"), Flag.optional),
    userId: Flag.String("user-id").pipe(Flag.withDescription("Outcomes of this actor"), Flag.optional),
    since: moment("since", "Outcomes from this moment on, ISO 8601"),
    until: moment("until", "Outcomes before this moment, ISO 8601")
  },
  ({ instance, namespace, since, until, userId }) =>
    Effect.gen(function*() {
      if (Option.isNone(since) && Option.isNone(until) && Option.isNone(userId)) {
        return yield* new NothingToUndo()
      }
      const config = yield* serviceConfig
      if (Option.isSome(config.memoryUrl)) {
        yield* Console.error("SEXTANT_MEMORY_URL is set: what that memory was told is to be undone there")
      }
      const undone = yield* Main.undo(config, {
        accountId: AccountId.make(instance),
        lane: Option.isNone(namespace) ? null : laneOf(namespace.value),
        userId: Option.getOrNull(userId),
        since: Option.getOrNull(since),
        until: Option.getOrNull(until)
      })
      for (const { lane, outcomes } of undone) yield* Console.log(`${lane}\t${outcomes} outcomes undone`)
      if (undone.length === 0) yield* Console.log("No outcome matches; nothing was changed")
    })
).pipe(Command.withDescription(
  "Make outcomes as if they had never been told (of a memory alone: SEXTANT_DATA_DIR=.sextant-memory)"
))

const memory = Command.make("memory", {}, () => Layer.launch(Main.memoryLayerConfig)).pipe(
  Command.withDescription("Serve the memory alone, for services with SEXTANT_MEMORY_URL"),
  Command.withSubcommands([undo])
)

const openapi = Command.make(
  "openapi",
  {},
  () => Console.log(JSON.stringify(OpenApi.fromApi(Api), null, 2))
).pipe(
  Command.withDescription("Print the OpenAPI document")
)

const sextant = Command.make("sextant", {}, () => Layer.launch(Main.layerConfig)).pipe(
  Command.withDescription("Which language model should run this task? Sextant answers, and learns."),
  Command.withSubcommands([
    serve, memory, keys, account, migrate, retention,
    backup, restore, doctor, openapi
  ])
)

/** What went wrong: a line for an expected failure, the stack for a defect. */
const report = (cause: Cause.Cause<unknown>): void => {
  const error = Cause.squash(cause)
  // Effect's own parser says what is wrong with the command line before it asks for help.
  if (error instanceof CliError.ShowHelp) return
  console.error(shown(Cause.hasDies(cause) ? Cause.pretty(cause) : failureLine(error)))
}

/**
 * Ends the process: a stop by signal is a success, unless the work that was stopped says otherwise; any
 * failure is exit code 1. The failure is reported here and not by a handler inside the effect, because effect
 * skips the handlers of a fiber that is interrupted: a finalizer that failed at SIGTERM would end the process
 * in silence.
 */
const teardown = <E, A>(exit: Exit.Exit<E, A>, onExit: (code: number) => void): void => {
  if (Exit.isSuccess(exit)) return onExit(0)
  if (Cause.hasInterruptsOnly(exit.cause)) return onExit(Number(process.exitCode ?? 0))
  report(exit.cause)
  onExit(1)
}

const standardError = 2

// Standard output carries answers (a key, a document); what happened goes to standard error, a line per
// event, for people or for machines.
const logs = Layer.unwrap(Effect.gen(function*() {
  // A format that there is not is told with all other variables that are wrong, by whoever reads them.
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
