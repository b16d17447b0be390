/* `sextant memory` serves the memory alone. `sextant memory undo` deletes outcomes from the storage. */
import { Console, Effect, Layer, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AccountId, laneOf } from "../../domain/Scope.ts"
import { nameOf } from "../../domain/text/Text.ts"
import { OutcomeImports } from "../../memory/OutcomeImport.ts"
import { sayInterrupted } from "../Interrupted.ts"
import * as Layers from "../Layers.ts"
import * as Processes from "../Processes.ts"
import { outcomesUnit, withProgress } from "../Progress.ts"
import { refusal } from "../Refusal.ts"
import { instance, serviceConfig, textFlag } from "./Flags.ts"

/** Refuses an `undo` of all outcomes, and an `undo` of an import with further conditions. */
const undecided = "Say which outcomes to delete: give --user-id, --since or --until, or --import alone"

const moment = (name: string, description: string) =>
  Flag.Date(name).pipe(Flag.withDescription(description), Flag.optional)

const undoImport = Effect.fnUntraced(function*(accountId: AccountId, importId: string) {
  const config = yield* serviceConfig
  // Imported outcomes are in the database of the memory, not of the service.
  if (Option.isSome(config.memoryUrl)) {
    return yield* refusal(
      "SEXTANT_MEMORY_URL is set: run this command where that memory runs. Nothing was deleted"
    )
  }
  const { lane, outcomes } = yield* Effect.flatMap(OutcomeImports, (imports) =>
    withProgress("Undoing", (report) =>
      imports.undo({ accountId, importId }, (deleted) => report(deleted, null)), outcomesUnit)).pipe(
    Effect.provide(Layers.outcomeImports(config)),
    sayInterrupted(() => "The import may be undone in part. To go on, run the same command again")
  )
  yield* Console.log(`${lane}\t${outcomes} outcomes deleted`)
})

const undo = Command.make(
  "undo",
  {
    instance,
    namespace: textFlag("namespace", "Only outcomes of this namespace"),
    userId: textFlag("user-id", "Only outcomes of this user"),
    since: moment("since", "Only outcomes from this moment on, ISO 8601"),
    until: moment("until", "Only outcomes before this moment, ISO 8601"),
    importId: Flag.String("import").pipe(
      Flag.withDescription("All outcomes that this `sextant import` added, and no others"),
      Flag.withSchema(Schema.String.check(Schema.isUUID())),
      Flag.optional
    )
  },
  ({ importId, instance, namespace, since, until, userId }) =>
    Effect.gen(function*() {
      if (Option.isSome(importId)) {
        const others: ReadonlyArray<Option.Option<unknown>> = [namespace, since, until, userId]
        if (others.some(Option.isSome)) return yield* refusal(undecided)
        return yield* undoImport(AccountId.make(instance), importId.value)
      }
      if (Option.isNone(since) && Option.isNone(until) && Option.isNone(userId)) {
        return yield* refusal(undecided)
      }
      const config = yield* serviceConfig
      if (Option.isSome(config.memoryUrl)) {
        yield* Console.error("SEXTANT_MEMORY_URL is set: run this command where that memory runs, too")
      }
      const { deleted, reset } = yield* Layers.deleteOutcomes(config, {
        accountId: AccountId.make(instance),
        lane: Option.isNone(namespace) ? null : laneOf(namespace.value),
        userId: Option.getOrNull(userId),
        since: Option.getOrNull(since),
        until: Option.getOrNull(until)
      })
      for (const { lane, outcomes } of deleted) yield* Console.log(`${lane}\t${outcomes} outcomes deleted`)
      for (const { baselineModelId, candidateModelId, lane, taskType } of reset) {
        yield* Console.log(`${lane}\tguarantee on ${nameOf(baselineModelId)}: the evidence of `
          + `${nameOf(candidateModelId)} for ${taskType} starts from nothing`)
      }
      if (deleted.length === 0) yield* Console.log("No outcome matches: nothing was deleted")
    })
).pipe(Command.withDescription(
  "Delete outcomes, with all that was learned from them (for `sextant memory`, set "
    + "SEXTANT_DATA_DIR=.sextant-memory)"
))

export const memory = Command.make("memory", {}, () => Layer.launch(Processes.memory)).pipe(
  Command.withSubcommands([undo])
)
