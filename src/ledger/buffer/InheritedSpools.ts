/* The spool files of processes that ended, which the next process takes over. */
import { Effect, Schema, Stream } from "effect"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Decision } from "../../domain/Decision.ts"
import { dayMs } from "../../domain/Time.ts"
import type { FileLock } from "../../sql/FileLock.ts"
import { markedAt } from "./SpoolErasure.ts"
import { takeSpoolLock } from "./SpoolFolder.ts"
import { linesIn, type SpoolLines } from "./SpoolLines.ts"

/** The spool's files, or their folder, could not be read. */
export class SpoolUnreadable extends Schema.TaggedError<SpoolUnreadable>()("SpoolUnreadable", {
  cause: Schema.Defect()
}) {}

/** A file of a process that ended. This process holds its lock, so no other one writes it out as well. */
interface InheritedSpool {
  readonly path: string
  readonly lock: FileLock
  /** Lines that are left for a newer version, count. */
  unreadable: number
}

export const unreadable = (cause: unknown) => new SpoolUnreadable({ cause })

export const readSpool = (path: string): Stream.Stream<SpoolLines, SpoolUnreadable> =>
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
export const inheritSpools = Effect.fnUntraced(function*(folder: string) {
  const inherited = new Set<InheritedSpool>()
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

/** The decisions of a file that is not whole too; `leave` is called where it cannot be read. */
export const readInherited = (
  file: InheritedSpool,
  leave: () => void
): Stream.Stream<ReadonlyArray<Decision>> => {
  let damaged = 0
  return readSpool(file.path).pipe(
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
export const dispose = async ({ lock, path, unreadable }: InheritedSpool) => {
  if (unreadable > 0) await rename(path, path.replace(/spool$/, "kept"))
  await rm(path, { force: true })
  // An erasure that was killed leaves it.
  await rm(`${path}.tmp`, { force: true })
  lock.release()
}
