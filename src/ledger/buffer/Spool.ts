/* The spool: decisions of an outage on disk, so that they survive the end of the process. */
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Decision } from "../../domain/Decision.ts"
import { dayMs } from "../../domain/Time.ts"
import type { FileLock } from "../../sql/FileLock.ts"
import { gauged, measure, meters } from "../../telemetry/Metrics.ts"
import { bufferSettings } from "./BufferSettings.ts"
import type { Decisions } from "./DecisionBuffer.ts"
import { erasuresIn, type IsErased, markedAt } from "./SpoolErasure.ts"
import { makeSpoolFile, type SpoolFault } from "./SpoolFile.ts"
import { makeSpoolFolder, spoolRoot, takeSpoolLock } from "./SpoolFolder.ts"
import { lineOf, linesIn, type SpoolLines } from "./SpoolLines.ts"

/** The spool's files, or their folder, could not be read. */
export class SpoolUnreadable extends Schema.TaggedError<SpoolUnreadable>()("SpoolUnreadable", {
  cause: Schema.Defect()
}) {}

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

/** A file of a process that ended. This process holds its lock, so no other one writes it out as well. */
interface Inherited {
  readonly path: string
  readonly lock: FileLock
  /** Lines that are left for a newer version, count. */
  unreadable: number
}

const unreadable = (cause: unknown) => new SpoolUnreadable({ cause })

const read = (path: string): Stream.Stream<SpoolLines, SpoolUnreadable> =>
  Stream.fromAsyncIterable(linesIn(path), unreadable)

/** The lock of a spool file; null when its process runs, or, with a line in the log, when it has none. */
const lockOf = (path: string) =>
  Effect.catch(Effect.try({ try: () => takeSpoolLock(path), catch: (cause) => cause }), (cause) =>
    Effect.as(
      Effect.logWarning("A spool of decisions cannot be locked, and is left as it is", cause).pipe(
        Effect.annotateLogs({ path })
      ),
      null
    ))

/** How long a mark of an erased account is kept, ms, and longer while a file is there. Chosen: 30 days. */
const erasedMs = 30 * dayMs

/** Takes the files of processes that ended; removes remains that are of no use any more. */
const inherit = Effect.fnUntraced(function*(folder: string) {
  const inherited = new Set<Inherited>()
  const names = readdirSync(folder)
  const hasFiles = names.some((each) => /\.(kept|spool)$/.test(each))
  const isOver = (name: string) => !hasFiles && (markedAt(name) ?? Infinity) < Date.now() - erasedMs
  for (const name of names.filter(isOver)) rmSync(join(folder, name), { force: true })
  const files = names.filter((name) => /\.(lock|spool)$/.test(name))
  for (const path of new Set(files.map((name) => join(folder, name.replace(/lock$/, "spool"))))) {
    const lock = yield* lockOf(path)
    if (lock !== null && existsSync(path)) inherited.add({ path, lock, unreadable: 0 })
    // The lock's file goes while it is held, so that a process that is about to use it notices.
    else lock?.release()
  }
  return inherited
})

/** Logs where decisions of another database wait, which this process must not write. */
const sayOthers = (root: string, own: string) =>
  Effect.forEach(readdirSync(root).map((name) => join(root, name)).filter((path) => path !== own), (folder) =>
    Effect.gen(function*() {
      const names = statSync(folder).isDirectory() ? readdirSync(folder) : []
      const locks = yield* Effect.forEach(names.filter((name) => name.endsWith(".spool")), (name) =>
        lockOf(join(folder, name)))
      const files = locks.filter((lock) => lock !== null)
      for (const lock of files) lock.release()
      if (files.length === 0) return
      yield* Effect.logWarning("Decisions of another database wait on disk for a service on it to start")
    }).pipe(
      Effect.catchDefect((cause) =>
        Effect.logWarning("A folder beside the spool cannot be looked through", cause)),
      Effect.annotateLogs({ folder })
    ), { discard: true })

/** The decisions of a file that is not whole too; `leave` is called where it cannot be read. */
const readInherited = (file: Inherited, leave: () => void): Spool["inherited"] => {
  let damaged = 0
  return read(file.path).pipe(
    Stream.map((lines) => {
      damaged += lines.damaged
      file.unreadable += lines.unreadable
      return lines.decisions
    }),
    Stream.onEnd(Effect.suspend(() =>
      damaged + file.unreadable === 0
        ? Effect.void
        : Effect.logWarning("A spool of decisions is not whole: what can be read of it is used").pipe(
          Effect.annotateLogs({ path: file.path, damaged, unreadable: file.unreadable })
        ))),
    Stream.catch(({ cause }) => {
      leave()
      return Stream.fromEffectDrain(
        Effect.logWarning("A spool of decisions cannot be read, and is left as it is", cause).pipe(
          Effect.annotateLogs({ path: file.path })
        ))
    })
  )
}

/** Removes an inherited file; one with lines for a newer version stays for that version. */
const dispose = async ({ lock, path, unreadable }: Inherited) => {
  if (unreadable > 0) await rename(path, path.replace(/spool$/, "kept"))
  await rm(path, { force: true })
  // An erasure that was killed leaves it.
  await rm(`${path}.tmp`, { force: true })
  lock.release()
}

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
  yield* sayOthers(spoolRoot(dataDirectory), folder)
  const inherited = yield* inherit(folder)
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
    ).pipe(Stream.flatMap(read), Stream.map(({ decisions }) => decisions)),
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
