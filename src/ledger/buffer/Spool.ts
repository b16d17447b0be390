/* The spool: decisions of an outage on disk, so that they survive the end of the process. */
import { Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { rmdirSync } from "node:fs"
import { join } from "node:path"
import { gauged, measure, meters } from "../../telemetry/Metrics.ts"
import { bufferSettings } from "./BufferSettings.ts"
import type { Decisions } from "./DecisionBuffer.ts"
import { decisionToJson } from "./DecisionJson.ts"
import { erasuresIn, type IsErased } from "./SpoolErasure.ts"
import { makeSpoolFolder, spoolRoot } from "./SpoolFolder.ts"
import { frameOf } from "./SpoolFrames.ts"
import {
  attempt, inheritAll, type Inherited, readThrough, sayOthers, type SpoolUnreadable
} from "./SpoolInheritance.ts"
import { takeSpoolLock } from "./SpoolLock.ts"
import { makeSpoolWriter, type SpoolFault, type SpoolWriter } from "./SpoolWriter.ts"

export interface Spool {
  /**
   * Forces decisions to disk; false when they are only in memory, and then the log has the reason. `isAgain`:
   * they were counted as missed before.
   */
  readonly append: (decisions: Decisions, isAgain?: boolean) => Effect.Effect<boolean>
  /** Removes this process's file if `isDone` holds after all appends. */
  readonly removeIf: (isDone: () => boolean) => Effect.Effect<void>
  /** Passes all decisions of this process's file to `write`, as {@link Inherited.writeOut}. */
  readonly writeOut: Inherited["writeOut"]
  readonly inherited: ReadonlyArray<Inherited>
  /**
   * A predicate for decisions that must not be written because their account was erased. While it fails, any
   * decision may be one.
   */
  readonly isErased: Effect.Effect<IsErased, SpoolUnreadable>
}

const none: Spool = {
  append: () => Effect.succeed(false),
  removeIf: () => Effect.void,
  writeOut: () => Effect.succeed(true),
  inherited: [],
  isErased: Effect.succeed(() => false)
}

/** The process's spool; `none` without a data directory that can be written. */
export const Spool = Context.Reference<Spool>("sextant/ledger/buffer/Spool", { defaultValue: () => none })

/** An unused path, and the lock that shows that its process runs. */
const ownPath = (dataDirectory: string, database: string) => {
  for (;;) {
    // Another process that stops may just have removed the folder.
    const folder = makeSpoolFolder(dataDirectory, database)
    const path = join(folder, randomBytes(8).toString("hex"))
    const lock = takeSpoolLock(`${path}.lock`)
    if (lock !== null) return { path: `${path}.spool`, lock }
  }
}

const logFailure = (message: string) => Effect.ignore({ log: "Warn", message })

/** Removes the folder when it is empty. */
const tidy = (folder: string) => {
  try {
    rmdirSync(folder)
  } catch {
    // It holds a file, or another process has just removed it: both are fine.
  }
}

/** Logs what the disk did not do, a repeated reason once until `reset`. */
const makeFaultLog = (path: string, writer: SpoolWriter) => {
  let saidReason: SpoolFault["reason"] | null = null
  return {
    say: (fault: SpoolFault) => {
      if (fault.reason === saidReason) return Effect.void
      saidReason = fault.reason
      switch (fault.reason) {
        case "full":
          return Effect.logWarning("The spool of decisions is full: further ones are only in memory").pipe(
            Effect.annotateLogs({ path, bytes: writer.bytes() }))
        case "failed":
          return Effect.logWarning("The spool of decisions fails: they are only in memory", fault.cause)
        case "kept":
          return Effect.logWarning(
            "The spool file of written decisions cannot be removed: the next start writes them again",
            fault.cause
          ).pipe(Effect.annotateLogs({ path }))
      }
    },
    reset: () => {
      saidReason = null
    }
  }
}

/** Reads which decisions belong to erased accounts; logs once in a row that this cannot be read. */
const makeErasureReads = (folder: string): Spool["isErased"] => {
  let isUnsure = false
  return attempt(() => erasuresIn(folder)).pipe(
    Effect.tap(() => Effect.sync(() => {
      isUnsure = false
    })),
    Effect.tapError(({ cause }) => {
      if (isUnsure) return Effect.void
      isUnsure = true
      return Effect.logError(
        "Which accounts were erased cannot be read: until then, decisions that wait are kept",
        cause
      ).pipe(Effect.annotateLogs({ folder }))
    })
  )
}

const make = (dataDirectory: string, database: string) =>
  Effect.gen(function*() {
    const folder = makeSpoolFolder(dataDirectory, database)
    yield* sayOthers(spoolRoot(dataDirectory), folder)
    const inherited = yield* inheritAll(folder)
    const { lock, path } = ownPath(dataDirectory, database)
    const writer = makeSpoolWriter(path, bufferSettings.spoolBytesMax)
    yield* gauged(meters.spoolBytes({}), writer.bytes)
    const missed = (count: number) => measure((add) => add(meters.spoolMissed({}), count))
    yield* missed(0)
    yield* Effect.addFinalizer(() =>
      // If its file stays, the next start finds the lock free and writes the file out.
      Effect.all([
        Effect.tryPromise(writer.close).pipe(logFailure("The spool of decisions cannot be closed")),
        Effect.try({ try: lock.release, catch: (cause) => cause }).pipe(
          logFailure("The lock of the spool of decisions cannot be removed")
        ),
        Effect.sync(() => tidy(folder))
      ], { discard: true }))
    const faults = makeFaultLog(path, writer)

    const spool: Spool = {
      append: Effect.fnUntraced(function*(decisions: Decisions, isAgain = false) {
        const bytes = Buffer.concat(decisions.map((each) => frameOf(Buffer.from(decisionToJson(each)))))
        const fault = yield* Effect.promise(() => writer.append(bytes))
        if (fault === null) return true
        if (!isAgain) yield* missed(decisions.length)
        yield* faults.say(fault)
        return false
      }),
      removeIf: (isDone) =>
        Effect.flatMap(Effect.promise(() => writer.removeIf(isDone)), (fault) =>
          fault === null ? Effect.sync(faults.reset) : faults.say(fault)),
      writeOut: (write) =>
        writer.bytes() === 0
          ? Effect.succeed(true)
          : Effect.map(readThrough(path, write), (read) => read !== null),
      inherited,
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
