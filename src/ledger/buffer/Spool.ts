/* Decisions of an outage on disk, so that a process that dies in it takes none along. */
import { Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { rmdirSync } from "node:fs"
import { join } from "node:path"
import { gauged, measure, meters } from "../../telemetry/Metrics.ts"
import type { Decisions } from "./DecisionBuffer.ts"
import { bufferSettings } from "./BufferSettings.ts"
import { decisionToJson } from "./DecisionJson.ts"
import { erasuresIn, type IsErased } from "./SpoolErasure.ts"
import { makeSpoolFolder, spoolRoot } from "./SpoolFolder.ts"
import { frameOf } from "./SpoolFrames.ts"
import {
  attempt, inheritAll, type Inherited, readThrough, sayOthers, type SpoolUnreadable
} from "./SpoolInheritance.ts"
import { takeSpoolLock } from "./SpoolLock.ts"
import { makeSpoolWriter, type SpoolFault } from "./SpoolWriter.ts"

export interface Spool {
  /** Forces decisions to disk; false when they are in memory alone, and then the log says why. */
  readonly append: (decisions: Decisions) => Effect.Effect<boolean>
  /** Removes this process's file if `isDone` holds once all appends are through. */
  readonly removeIf: (isDone: () => boolean) => Effect.Effect<void>
  /** Has `write` write all of this process's file, as {@link Inherited.writeOut}. */
  readonly writeOut: Inherited["writeOut"]
  readonly inherited: ReadonlyArray<Inherited>
  /** Which decisions must not be written because their account was erased; where it fails, any may be. */
  readonly isErased: Effect.Effect<IsErased, SpoolUnreadable>
}

const none: Spool = {
  append: () => Effect.succeed(false),
  removeIf: () => Effect.void,
  writeOut: () => Effect.succeed(true),
  inherited: [],
  isErased: Effect.succeed(() => false)
}

/** The process's spool; without a data directory that it may write there is none. */
export const Spool = Context.Reference<Spool>("sextant/ledger/buffer/Spool", { defaultValue: () => none })

/** A name of its own, and the lock that says that its process lives. */
const ownPath = (dataDirectory: string, database: string) => {
  for (;;) {
    // Another process that stops may just have removed it.
    const folder = makeSpoolFolder(dataDirectory, database)
    const path = join(folder, randomBytes(8).toString("hex"))
    const lock = takeSpoolLock(`${path}.lock`)
    if (lock !== null) return { path: `${path}.spool`, lock }
  }
}

/** Removes the folder when nothing is in it. */
const tidy = (folder: string) => {
  try {
    rmdirSync(folder)
  } catch {
    // Something is in it, or another process has just removed it: either is as it should be.
  }
}

const make = (dataDirectory: string, database: string) =>
  Effect.gen(function*() {
    const folder = makeSpoolFolder(dataDirectory, database)
    yield* sayOthers(spoolRoot(dataDirectory), folder)
    const inherited = yield* inheritAll(folder)
    const { lock, path } = ownPath(dataDirectory, database)
    const writer = makeSpoolWriter(path, bufferSettings.spoolBytesMax)
    yield* gauged(meters.spoolBytes({}), writer.bytes)
    yield* measure((add) => add(meters.spoolMissed({}), 0))
    yield* Effect.addFinalizer(() =>
      // With its file left, the next start finds the lock free and writes the file out.
      Effect.andThen(Effect.promise(writer.close), Effect.sync(() => {
        lock.release()
        tidy(folder)
      })))

    let saidReason: SpoolFault["reason"] | null = null
    const say = (fault: SpoolFault) => {
      if (fault.reason === saidReason) return Effect.void
      saidReason = fault.reason
      return fault.reason === "full"
        ? Effect.logWarning("The spool of decisions is full: further ones are in memory alone").pipe(
          Effect.annotateLogs({ path, bytes: writer.bytes() }))
        : Effect.logWarning("The spool of decisions fails: they are in memory alone", fault.cause)
    }
    /** Whether the log says already that the marks of erased accounts cannot be read. */
    let isUnsure = false
    const isErased = attempt(() => erasuresIn(folder)).pipe(
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
    const missed = (count: number) => measure((add) => add(meters.spoolMissed({}), count))

    const spool: Spool = {
      append: Effect.fnUntraced(function*(decisions: Decisions) {
        const bytes = Buffer.concat(decisions.map((each) => frameOf(Buffer.from(decisionToJson(each)))))
        const fault = yield* Effect.promise(() => writer.append(bytes))
        if (fault === null) return true
        yield* missed(decisions.length)
        yield* say(fault)
        return false
      }),
      removeIf: (isDone) =>
        Effect.flatMap(Effect.promise(() => writer.removeIf(isDone)), (fault) => {
          saidReason = null
          return fault === null ? Effect.void : say(fault)
        }),
      writeOut: (write) =>
        writer.bytes() === 0
          ? Effect.succeed(true)
          : Effect.map(readThrough(path, write), (read) => read !== null),
      inherited,
      isErased
    }
    return spool
  })

/**
 * The spool in that data directory of that database's decisions, by its address without credentials. Where
 * the folder cannot be written there is none, which the log says once: decisions of an outage are then in
 * memory alone.
 */
export const layer = (dataDirectory: string, database: string): Layer.Layer<never> =>
  Layer.effect(
    Spool,
    make(dataDirectory, database).pipe(
      Effect.catchDefect((cause) =>
        Effect.as(
          Effect.logWarning(
            "No spool of decisions: an outage's are in memory alone, and end with the process",
            cause
          ).pipe(Effect.annotateLogs({ dataDirectory })),
          none
        ))
    )
  )
