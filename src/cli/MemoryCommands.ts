/* `sextant memory`: serves the memory alone; `sextant memory undo` deletes outcomes from the storage. */
import { Console, Effect, Layer, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AccountId, laneOf } from "../domain/Scope.ts"
import { instance, serviceConfig } from "./Flags.ts"
import * as Layers from "./Layers.ts"
import * as Processes from "./Processes.ts"

/** `memory undo` was called without a criterion, which would delete every outcome. */
class NothingToUndo extends Schema.TaggedError<NothingToUndo>()("NothingToUndo", {}) {
  override get message() {
    return "Say which outcomes to delete: give --user-id, --since or --until"
  }
}

const moment = (name: string, description: string) =>
  Flag.Date(name).pipe(Flag.withDescription(description), Flag.optional)

const undo = Command.make(
  "undo",
  {
    instance,
    namespace: Flag.String("namespace").pipe(Flag.withDescription("Only outcomes of this "
      + "namespace"), Flag.optional),
    userId: Flag.String("user-id").pipe(Flag.withDescription("Only outcomes of this user"), Flag.optional),
    since: moment("since", "Only outcomes from this moment on, ISO 8601"),
    until: moment("until", "Only outcomes before this moment, ISO 8601")
  },
  ({ instance, namespace, since, until, userId }) =>
    Effect.gen(function*() {
      if (Option.isNone(since) && Option.isNone(until) && Option.isNone(userId)) {
        return yield* new NothingToUndo()
      }
      const config = yield* serviceConfig
      if (Option.isSome(config.memoryUrl)) {
        yield* Console.error("SEXTANT_MEMORY_URL is set: run this command where that memory runs, too")
      }
      const deleted = yield* Layers.deleteOutcomes(config, {
        accountId: AccountId.make(instance),
        lane: Option.isNone(namespace) ? null : laneOf(namespace.value),
        userId: Option.getOrNull(userId),
        since: Option.getOrNull(since),
        until: Option.getOrNull(until)
      })
      for (const { lane, outcomes } of deleted) yield* Console.log(`${lane}\t${outcomes} outcomes deleted`)
      if (deleted.length === 0) yield* Console.log("No outcome matches: nothing was deleted")
    })
).pipe(Command.withDescription(
  "Delete outcomes, with all that was learned from them (for `sextant memory`, set "
    + "SEXTANT_DATA_DIR=.sextant-memory)"
))

export const memory = Command.make("memory", {}, () => Layer.launch(Processes.memory)).pipe(
  Command.withSubcommands([undo])
)
