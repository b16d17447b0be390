/* The spool: decisions of an outage on disk, so that they survive the end of the process. */
import { Context, Effect, Layer, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { Decision } from "../../domain/Decision.ts"
import { gauged, measure, meters } from "../../telemetry/Metrics.ts"
import { bufferSettings } from "./BufferSettings.ts"
import type { Decisions } from "./DecisionBuffer.ts"
import {
  dispose, inheritSpools, readInherited, readSpool, type SpoolUnreadable, unreadable
} from "./InheritedSpools.ts"
import { erasuresIn, type IsErased } from "./SpoolErasure.ts"
import { makeSpoolFile, type SpoolFault } from "./SpoolFile.ts"
import { makeSpoolFolder, takeSpoolLock } from "./SpoolFolder.ts"
import { lineOf } from "./SpoolLines.ts"

export interface Spool {
  /**
   * Forces decisions to disk; false when they are only in memory, and then the log has the reason. `isAgain`:
   * they were counted as missed before.
   */
  readonly append: (decisions: Decisions, isAgain?: boolean) => Effect.Effect<boolean>
  /** Decisions in the files of processes that have ended, which are this process's from its start on. */
  readonly inherited: Stream.Stream<ReadonlyArray<Decision>>
  /** All decisions in this process's files. */
  readonly all: Stream.Stream<ReadonlyArray<Decision>, SpoolUnreadable>
  /** Removes this process's files if `isDone` holds after all appends. */
  readonly removeIf: (isDone: () => boolean) => Effect.Effect<void>
  /**
   * A predicate for decisions that must not be written because their account was erased. While it fails, any
   * decision may be one.
   */
  readonly isErased: Effect.Effect<IsErased, SpoolUnreadable>
}

const none: Spool = {
  append: () => Effect.succeed(false),
  inherited: Stream.empty,
  all: Stream.empty,
  removeIf: () => Effect.void,
  isErased: Effect.succeed(() => false)
}

/** The process's spool; `none` without a data directory that can be written. */
export const Spool = Context.Reference<Spool>("sextant/ledger/buffer/Spool", { defaultValue: () => none })

const faultMessages = {
  full: "The spool of decisions is full: further ones are only in memory",
  failed: "The spool of decisions fails: they are only in memory",
  kept: "The spool file of written decisions cannot be removed: the next start writes them again"
} as const

/** Logs what the disk did not do, a repeated reason once until `reset`. */
const makeFaultLog = (path: string) => {
  let saidReason: SpoolFault["reason"] | null = null
  return {
    say: ({ cause, reason }: SpoolFault) =>
      Effect.suspend(() => {
        if (reason === saidReason) return Effect.void
        saidReason = reason
        return Effect.logWarning(faultMessages[reason], cause).pipe(Effect.annotateLogs({ path }))
      }),
    reset: Effect.sync(() => {
      saidReason = null
    })
  }
}

/** Reads which decisions belong to erased accounts; logs once in a row that this cannot be read. */
const makeErasureReads = (folder: string): Spool["isErased"] => {
  let isUnsure = false
  return Effect.tryPromise({ try: () => erasuresIn(folder), catch: unreadable }).pipe(
    Effect.tapError(({ cause }) =>
      isUnsure
        ? Effect.void
        : Effect.logError(
          "Which accounts were erased cannot be read: until then, decisions that wait are kept", cause
        ).pipe(Effect.annotateLogs({ folder }))),
    Effect.onExit((exit) => Effect.sync(() => {
      isUnsure = exit._tag === "Failure"
    }))
  )
}

/** An unused path, and the lock that shows that its process runs. */
const ownPath = (folder: string) => {
  for (;;) {
    const path = join(folder, `${randomBytes(8).toString("hex")}.spool`)
    const lock = takeSpoolLock(path)
    if (lock !== null) return { path, lock }
  }
}

const make = Effect.fnUntraced(function*(dataDirectory: string, database: string) {
  const folder = makeSpoolFolder(dataDirectory, database)
  const inherited = yield* inheritSpools(folder)
  const { lock, path } = ownPath(folder)
  const locks = () => [lock, ...[...inherited].map((file) => file.lock)]
  // If files stay, the next start finds their locks free and takes them over.
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.try({ try: () => locks().forEach(({ release }) => release()), catch: unreadable }), {
      log: "Warn", message: "The locks of the spool of decisions cannot be removed"
    }))
  const file = makeSpoolFile(path, bufferSettings.spoolBytesMax)
  yield* gauged(meters.spoolBytes({}), file.bytes)
  const missed = (count: number) => measure((add) => add(meters.spoolMissed({}), count))
  yield* missed(0)
  const faults = makeFaultLog(path)

  const spool: Spool = {
    append: (decisions, isAgain = false) =>
      file.append(Buffer.from(decisions.map(lineOf).join(""))).pipe(
        Effect.as(true),
        Effect.catch((fault) =>
          Effect.andThen(isAgain ? Effect.void : missed(decisions.length), faults.say(fault)).pipe(
            Effect.as(false)
          ))
      ),
    inherited: Stream.fromIterable([...inherited]).pipe(
      Stream.flatMap((each) =>
        readInherited(each, () => {
          inherited.delete(each)
          each.lock.release()
        }))
    ),
    all: Stream.suspend(() =>
      Stream.fromIterable([...inherited].map((each) => each.path).concat(file.bytes() > 0 ? path : []))
    ).pipe(Stream.flatMap(readSpool), Stream.map(({ decisions }) => decisions)),
    removeIf: (isDone) =>
      file.removeIf(isDone, async () => {
        for (const each of inherited) {
          await dispose(each)
          inherited.delete(each)
        }
      }).pipe(Effect.andThen(faults.reset), Effect.catch(faults.say)),
    isErased: makeErasureReads(folder)
  }
  return spool
})

/**
 * The spool in a data directory for the decisions of one database, which is identified by its address without
 * credentials. Where the folder cannot be written there is no spool, which is logged once: decisions of an
 * outage are then only in memory.
 */
export const layer = (dataDirectory: string, database: string): Layer.Layer<never> =>
  Layer.effect(
    Spool,
    make(dataDirectory, database).pipe(
      Effect.catchDefect((cause) =>
        Effect.as(
          Effect.logWarning(
            "No spool of decisions: those of an outage are only in memory, and end with the process",
            cause
          ).pipe(Effect.annotateLogs({ dataDirectory })),
          none
        ))
    )
  )
