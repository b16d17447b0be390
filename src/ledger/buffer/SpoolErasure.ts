/* Erased accounts and users, whose decisions must not be written from a spool any more. */
import { createHash } from "node:crypto"
import { open, readdir, readFile, rename, rm, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import type { Decision } from "../../domain/Decision.ts"
import { decisionToJson } from "./DecisionJson.ts"
import { ownerFor } from "./SpoolFolder.ts"
import { frameOf, spoolHeader } from "./SpoolFrames.ts"
import { takeSpoolLock } from "./SpoolLock.ts"
import { readSpool } from "./SpoolReader.ts"

const suffix = ".erased"

/** The name of a mark: a hash, which identifies an account only to a process that knows its name. */
const markOf = (accountId: string, userId: string | null): string =>
  createHash("sha256").update(JSON.stringify([accountId, userId])).digest("hex") + suffix

/** A predicate for decisions that were made before their account or user was erased. */
export type IsErased = (decision: Pick<Decision, "accountId" | "userId" | "createdAt">) => boolean

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** The names in a folder; null without a folder. */
const namesIn = async (folder: string): Promise<ReadonlyArray<string> | null> => {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** A new file, made for the folder's owner where root makes it. */
const openNew = async (path: string) => {
  await rm(path, { force: true })
  const file = await open(path, "wx", 0o600)
  const owner = ownerFor(path)
  if (owner !== null) await file.chown(owner.uid, owner.gid)
  return file
}

/** Makes a mark that gets its name only once the time is in it. */
const mark = async (path: string) => {
  const beside = `${path}.tmp`
  const file = await openNew(beside)
  try {
    await file.writeFile(new Date().toISOString())
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(beside, path)
}

/** The erasures so far of a folder; rejects when they cannot be read. */
export const erasuresIn = async (folder: string): Promise<IsErased> => {
  const marks = new Map<string, number>()
  for (const name of (await namesIn(folder) ?? []).filter((each) => each.endsWith(suffix))) {
    const path = join(folder, name)
    const atMs = Date.parse(await readFile(path, "utf8").catch(() => ""))
    // Without a readable time in it, the mark counts from when its file was made.
    marks.set(name, Number.isFinite(atMs) ? atMs : (await stat(path)).mtimeMs)
  }
  if (marks.size === 0) return () => false
  const isBefore = (createdAt: Date, name: string) => {
    const atMs = marks.get(name)
    return atMs !== undefined && createdAt.getTime() <= atMs
  }
  return ({ accountId, createdAt, userId }) =>
    isBefore(createdAt, markOf(accountId, null))
    || (userId !== null && isBefore(createdAt, markOf(accountId, userId)))
}

export interface SpoolErasure {
  /** Decisions that were removed from files of processes that ended. */
  readonly removed: number
  /** Files of running processes: these do not write the decisions, and remove the file later. */
  readonly live: number
  /** Files that this version cannot read; the operator deletes them if they may hold that account. */
  readonly unreadable: ReadonlyArray<string>
}

/** Rewrites a file without the erased decisions; yields how many were removed, null if it cannot be read. */
const rewrite = async (path: string, isErased: IsErased): Promise<number | null> => {
  const beside = `${path}.tmp`
  const to = await openNew(beside)
  let removed = 0
  let kept = 0
  try {
    await to.appendFile(spoolHeader())
    const decisions = readSpool(path)
    for (;;) {
      const next = await decisions.next()
      if (next.done === true) {
        if (next.value.isKnown && next.value.unreadable === 0) break
        await unlink(beside)
        return null
      }
      for (const decision of next.value) {
        if (isErased(decision)) removed++
        else {
          kept++
          await to.appendFile(frameOf(Buffer.from(decisionToJson(decision))))
        }
      }
    }
    await to.sync()
  } finally {
    await to.close()
  }
  if (kept === 0) await unlink(path)
  else await rename(beside, path)
  if (kept === 0) await unlink(beside)
  return removed
}

/**
 * Removes the decisions of an account, or of one of its users, from the spool files of a database, and leaves
 * a mark that keeps every process from writing them into the ledger later. Call it **before** the ledger's
 * rows are erased, so that decisions which a process has just written are among those rows.
 */
export const eraseSpooled = async (
  folder: string,
  accountId: string,
  userId: string | null
): Promise<SpoolErasure> => {
  const names = await namesIn(folder)
  if (names === null) return { removed: 0, live: 0, unreadable: [] }
  await mark(join(folder, markOf(accountId, userId)))
  const isErased = await erasuresIn(folder)
  let removed = 0
  let live = 0
  const unreadable: Array<string> = []
  for (const name of names.filter((each) => each.endsWith(".spool"))) {
    const path = join(folder, name)
    const lock = takeSpoolLock(path.replace(/\.spool$/, ".lock"))
    if (lock === null) {
      live++
      continue
    }
    try {
      const gone = await rewrite(path, isErased)
      if (gone === null) unreadable.push(path)
      else removed += gone
    } finally {
      lock.release()
    }
  }
  return { removed, live, unreadable: [...unreadable, ...names.filter((each) => each.endsWith(".kept"))] }
}
