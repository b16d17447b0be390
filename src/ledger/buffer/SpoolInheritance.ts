/* What processes that died in an outage have left in a spool folder. */
import { Effect, Schema } from "effect"
import { lchownSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Decision } from "../../domain/Decision.ts"
import { ownerFor } from "./SpoolFolder.ts"
import { type SpoolLock, takeSpoolLock } from "./SpoolLock.ts"
import { readSpool, type SpoolSummary } from "./SpoolReader.ts"

/** A spool file could not be read. */
export class SpoolUnreadable extends Schema.TaggedError<SpoolUnreadable>()("SpoolUnreadable", {
  cause: Schema.Defect()
}) {}

/** Names a decision among all accounts'. */
export const keyOf = ({ accountId, recommendationId }: Pick<Decision, "accountId" | "recommendationId">) =>
  `${accountId} ${recommendationId.toLowerCase()}`

/** The file of a process that has died; this process holds its lock, so no other one writes it out too. */
export interface Inherited {
  readonly name: string
  /** Of every decision in it. */
  readonly keys: ReadonlySet<string>
  /** Has `write` write all of it; what `write` yields false for ends the reading. */
  readonly writeOut: (
    write: (decisions: ReadonlyArray<Decision>) => Effect.Effect<boolean>
  ) => Effect.Effect<boolean, SpoolUnreadable>
  /** Removes the file: all of it is in the ledger. */
  readonly remove: Effect.Effect<void>
}

export const attempt = <A>(act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: (cause) => new SpoolUnreadable({ cause }) })

/** Reads a file to its end; yields null when `use` ended it. */
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

/** A dead process's file, unless it cannot be read or holds nothing. */
const inherit = Effect.fnUntraced(function*(path: string, lock: SpoolLock) {
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
      // What a newer version wrote is for it to read.
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

/** Marks of erased accounts are of use while a file from before may be there, ms. Chosen: 30 days. */
const erasedMs = 30 * 86_400_000

/** A spool's lock; null, and a line in the log, where it is another user's, as one that is held. */
const lockOf = (path: string) =>
  Effect.catch(Effect.try({ try: () => takeSpoolLock(path), catch: (cause) => cause }), (cause) =>
    Effect.as(
      Effect.logWarning("A spool of decisions cannot be locked, and is left as it is", cause).pipe(
        Effect.annotateLogs({ path })
      ),
      null
    ))

/** Gives the folder's owner what root has left there when it did not do so itself. */
const giveAll = (folder: string) => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const owner = ownerFor(path)
    const found = lstatSync(path, { throwIfNoEntry: false })
    // Not a name of a file that lies elsewhere as well.
    const isOurs = found?.isFile() === true && found.nlink === 1 && found.uid === 0
    if (owner !== null && isOurs) lchownSync(path, owner.uid, owner.gid)
  }
}

/** The files of dead processes, and what they leave behind that is of no use any more. */
export const inheritAll = Effect.fnUntraced(function*(folder: string) {
  giveAll(folder)
  const names = readdirSync(folder)
  const inherited: Array<Inherited> = []
  // First, as their locks are those of the spools beside them, which are held from then on.
  for (const name of names.filter((each) => each.endsWith(".spool.tmp"))) {
    // Another process that has the lock is writing it.
    const lock = yield* lockOf(join(folder, name.replace(/spool\.tmp$/, "lock")))
    if (lock === null) continue
    rmSync(join(folder, name), { force: true })
    lock.release()
  }
  for (const name of names) {
    const path = join(folder, name)
    if (name.endsWith(".lock") && !names.includes(name.replace(/lock$/, "spool"))) {
      // Held while it is removed, so that a process which is just making it finds out.
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

/** How many spools of dead processes are in the folder. */
const deadIn = (folder: string): number =>
  !statSync(folder).isDirectory() ? 0 : readdirSync(folder).filter((name) => {
    if (!name.endsWith(".spool")) return false
    const lock = takeSpoolLock(join(folder, name.replace(/spool$/, "lock")))
    lock?.release()
    return lock !== null
  }).length

/** Says where decisions of another database wait, which this process must not write. */
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
