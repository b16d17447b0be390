/* The write methods of a memory that is in the ledger's database. */
import { Effect, type Latch } from "effect"
import { taskTextOf } from "../../accounts/AccountSettings.ts"
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import type { TaskText } from "../../domain/text/TaskText.ts"
import type { StoredWrites } from "../../ledger/ReportSubmission.ts"
import { withAccountLog } from "../../sql/AccountScope.ts"
import { retryTransient } from "../../sql/Transient.ts"
import type { LaneCount } from "../fold/FoldState.ts"
import type { Writes } from "../fold/TouchedKeys.ts"
import { measures } from "../index/Entry.ts"
import type { Memory } from "../Memory.ts"
import { textSettings } from "../TextSettings.ts"
import { laneKeyOf, type MemoryParts } from "./MemoryAccess.ts"
import { vectorsFor } from "./ObservationVectors.ts"
import { foldStored } from "./StoreWrites.ts"

interface WriteParts extends MemoryParts {
  /** A latch that is opened when an outcome causes a reflection. */
  readonly reflectionDue: Latch.Latch
  readonly keptText: TaskText
}

/** Returns true if the writes have task texts that may be stored. */
const keepsWords = (accountId: AccountId, writes: Writes, keptText: TaskText): Effect.Effect<boolean> =>
  writes.some(({ body, kind }) => kind === "teach" && body.teaches && body.task !== "")
    ? Effect.map(taskTextOf(accountId, keptText, textSettings.settingMs), (kept) => kept === "excerpt")
    : Effect.succeed(false)

/**
 * After writes are durable, makes this process's recalls see them, requests vectors, and wakes reflections.
 */
const notice = Effect.fnUntraced(function*(
  { backfill, ownWrites, reflectionDue, remote }: WriteParts,
  accountId: AccountId,
  { isReflectionDue, lanes, writes }: {
    readonly writes: Writes
    readonly lanes: ReadonlyArray<LaneCount>
    readonly isReflectionDue: boolean
  }
) {
  const nowMs = yield* monotonicMs
  for (const { lane, version } of lanes) ownWrites.add(laneKeyOf({ accountId, lane }), version, nowMs)
  for (const { body, kind } of remote === null ? [] : writes) {
    // The backfill makes no vectors for telemetry, because telemetry teaches no success.
    if (kind !== "teach" || !body.teaches || body.task === "") continue
    const hasVector = body.taskVectors?.some(({ embedder }) => embedder === remote?.identity) === true
    if (!hasVector) backfill?.request({ accountId, lane: body.lane }, nowMs, true)
  }
  if (isReflectionDue) yield* reflectionDue.open
})

export const makeWrites = (
  parts: WriteParts
): Pick<Memory["Service"], "prepare" | "store" | "deliver" | "write"> => {
  const { access: { unavailable }, embedder, keptText, remote, settings } = parts
  const embedders = [embedder.identity, ...(remote === null ? [] : [remote.identity])]
  const vectorsOf = vectorsFor({ embedder, remote })

  const storeUnderLock = Effect.fnUntraced(function*(
    accountId: AccountId,
    writes: Writes,
    keepsWords: boolean
  ) {
    const { isReflectionDue, lanes, written } = yield* foldStored(writes, {
      accountId, settings, embedders, importId: null, keepsWords
    })
    const onDurable = notice(parts, accountId, { writes, lanes, isReflectionDue })
    return { written, isElsewhere: false, onDurable } satisfies StoredWrites
  })
  const store = (accountId: AccountId, writes: Writes, keepsWords: boolean) =>
    writes.length === 0
      ? Effect.succeed<StoredWrites>({ written: [], isElsewhere: false, onDurable: Effect.void })
      : withAccountLog(accountId, 0)(() => storeUnderLock(accountId, writes, keepsWords))

  /** Adds vectors to an outcome. Telemetry that has no measurements needs no vector. */
  const embedded = Effect.fnUntraced(function*(write: MemoryWrite): Effect.fn.Return<MemoryWrite> {
    if (write.kind !== "teach" || !(write.body.teaches || measures(write.body))) return write
    return { ...write, body: { ...write.body, taskVectors: yield* vectorsOf(write.body) } }
  })

  return {
    prepare: vectorsOf,
    // For a report, memory stores no task text, because storing that text is the ledger's part.
    store: (accountId, writes) => unavailable(store(accountId, writes, false)),
    // Nothing is left to deliver, because `store` has already written everything.
    deliver: (_accountId, _revision, { answer }) => Effect.succeed(answer([])),
    write: Effect.fnUntraced(function*(given) {
      const write = yield* embedded(given)
      const { accountId } = given.body
      const isKept = yield* keepsWords(accountId, [write], keptText)
      const { onDurable, written: [written] } =
        yield* unavailable(retryTransient(store(accountId, [write], isKept)))
      yield* onDurable
      return written ?? (yield* Effect.die("A stored write has an answer"))
    })
  }
}
