/* Spool files of processes that ended in an outage. */
import { Effect, Schema } from "effect"
import { lchownSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Decision } from "../../domain/Decision.ts"
import { dayMs } from "../../domain/Time.ts"
import type { FileLock } from "../../sql/FileLock.ts"
import { ownerFor } from "./SpoolFolder.ts"
import { takeSpoolLock } from "./SpoolLock.ts"
import { readSpool, type SpoolSummary } from "./SpoolReader.ts"

/** A spool file could not be read. */
export class SpoolUnreadable extends Schema.TaggedError<SpoolUnreadable>()("SpoolUnreadable", {
  cause: Schema.Defect()
}) {}

/** The key of a decision, unique over all accounts. */
export const keyOf = ({ accountId, recommendationId }: Pick<Decision, "accountId" | "recommendationId">) =>
  `${accountId} ${recommendationId.toLowerCase()}`

/**
 * The file of a process that has ended. This process holds its lock, so no other one writes it out as well.
 */
export interface Inherited {
  readonly name: string
  /** The keys of its decisions. */
  readonly keys: ReadonlySet<string>
  /** Passes all its decisions to `write`; the reading stops when `write` yields false. */
  readonly writeOut: (
    write: (decisions: ReadonlyArray<Decision>) => Effect.Effect<boolean>
  ) => Effect.Effect<boolean, SpoolUnreadable>
  /** Removes the file, once all of it is in the ledger. */
  readonly remove: Effect.Effect<void>
}

export const attempt = <A>(act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: (cause) => new SpoolUnreadable({ cause }) })

/** Reads a file to its end; yields null when `use` stopped it. */
export const readThrough = (
  path: string,
  use: (decisions: ReadonlyArray<Decision>) => Effect.Effect<boolean>
): Effect.Effect<SpoolSummary | null, SpoolUnreadable> =>
  Effect.gen(function*() {
    const decisions = readSpool(path)
    for (;;) {
      const next = yield* attempt(() => decisions.next())
      if (next.done === true) return next.value
      if (yield* use(next.value)) continue
      yield* attempt(() => decisions.return({
        version: null, isKnown: true, damaged: 0, isTorn: false, unreadable: 0
      }))
      return null
    }
  })

const kept = (path: string) => path.replace(/\.spool$/, ".kept")

/** The file of a process that ended; null when it is empty or cannot be read. */
const inherit = Effect.fnUntraced(function*(path: string, lock: FileLock) {
  const keys = new Set<string>()
  const collected = yield* Effect.exit(readThrough(path, (decisions) =>
    Effect.sync(() => {
      for (const decision of decisions) keys.add(keyOf(decision))
      return true
    })))
  const summary = collected._tag === "Success" ? collected.value : null
  if (summary === null || !summary.isKnown) {
    yield* Effect.logWarning("A spool of decisions cannot be read, and is left as it is").pipe(
      Effect.annotateLogs({ path, version: summary?.version ?? "unknown" })
    )
    return null
  }
  if (summary.damaged > 0) {
    yield* Effect.logWarning("A spool of decisions is damaged; what is whole of it is used").pipe(
      Effect.annotateLogs({ path, damagedPlaces: summary.damaged })
    )
  }
  const inherited: Inherited = {
    name: path,
    keys,
    writeOut: (write) => Effect.map(readThrough(path, write), (read) => read !== null),
    remove: Effect.gen(function*() {
      // A decision that a newer version wrote stays for that version.
      if (summary.unreadable > 0) {
        yield* Effect.sync(() => renameSync(path, kept(path)))
        yield* Effect.logWarning("A spool holds decisions that this version cannot read, and is kept").pipe(
          Effect.annotateLogs({ path: kept(path), unreadable: summary.unreadable })
        )
      } else yield* Effect.sync(() => rmSync(path, { force: true }))
      lock.release()
    })
  }
  return inherited
})

/** How long a mark of an erased account is kept, ms: as long as an older file may exist. Chosen: 30 days. */
const erasedMs = 30 * dayMs

/**
 * The lock of a spool; null when another process holds it, or, with a line in the log, when it cannot be
 * opened.
 */
const lockOf = (path: string) =>
  Effect.catch(Effect.try({ try: () => takeSpoolLock(path), catch: (cause) => cause }), (cause) =>
    Effect.as(
      Effect.logWarning("A spool of decisions cannot be locked, and is left as it is", cause).pipe(
        Effect.annotateLogs({ path })
      ),
      null
    ))

/** Gives the folder's owner the files that root left there. */
const giveAll = (folder: string) => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const owner = ownerFor(path)
    const found = lstatSync(path, { throwIfNoEntry: false })
    // A hard link to a file in another folder keeps its owner.
    const isOurs = found?.isFile() === true && found.nlink === 1 && found.uid === 0
    if (owner !== null && isOurs) lchownSync(path, owner.uid, owner.gid)
  }
}

/** The files of processes that ended; removes their remains that are of no use any more. */
export const inheritAll = Effect.fnUntraced(function*(folder: string) {
  giveAll(folder)
  const names = readdirSync(folder)
  const inherited: Array<Inherited> = []
  // These come first: their locks are those of the spools beside them, which are held from then on.
  for (const name of names.filter((each) => each.endsWith(".spool.tmp"))) {
    // A process that has the lock is writing it.
    const lock = yield* lockOf(join(folder, name.replace(/spool\.tmp$/, "lock")))
    if (lock === null) continue
    rmSync(join(folder, name), { force: true })
    lock.release()
  }
  for (const name of names) {
    const path = join(folder, name)
    if (name.endsWith(".lock") && !names.includes(name.replace(/lock$/, "spool"))) {
      // Held while it is removed, so that a process that is about to use it notices.
      const lock = yield* lockOf(path)
      lock?.release()
    } else if (/\.erased(\.tmp)?$/.test(name) && Date.now() - statSync(path).mtimeMs > erasedMs) {
      rmSync(path, { force: true })
    } else if (name.endsWith(".spool")) {
      const lock = yield* lockOf(path.replace(/spool$/, "lock"))
      const own = lock === null ? null : yield* inherit(path, lock)
      if (own !== null) inherited.push(own)
      else lock?.release()
    }
  }
  return inherited
})

/** How many spools of ended processes are in a folder. */
const deadIn = (folder: string): number =>
  !statSync(folder).isDirectory() ? 0 : readdirSync(folder).filter((name) => {
    if (!name.endsWith(".spool")) return false
    const lock = takeSpoolLock(join(folder, name.replace(/spool$/, "lock")))
    lock?.release()
    return lock !== null
  }).length

/** Logs where decisions of another database wait, which this process must not write. */
export const sayOthers = (root: string, own: string) =>
  Effect.forEach(readdirSync(root).map((name) => join(root, name)).filter((path) => path !== own), (folder) =>
    Effect.try({ try: () => deadIn(folder), catch: (cause) => cause }).pipe(
      Effect.flatMap((files) =>
        files === 0
          ? Effect.void
          : Effect.logWarning("Decisions of another database wait on disk for a service on it to start").pipe(
            Effect.annotateLogs({ folder, files })
          )),
      Effect.catch((cause) =>
        Effect.logWarning("A folder beside the spool cannot be looked through", cause).pipe(
          Effect.annotateLogs({ folder })
        ))
    ), { discard: true })
