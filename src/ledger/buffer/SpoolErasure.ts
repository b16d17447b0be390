/* Erased accounts and users, whose decisions must not be written from a spool any more. */
import { createHash } from "node:crypto"
import { appendFile, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Decision } from "../../domain/Decision.ts"
import { syncPathAsync } from "../../sql/SyncToDisk.ts"
import { makeFile, takeSpoolLock } from "./SpoolFolder.ts"
import { linesIn, lineOf } from "./SpoolLines.ts"

/** A mark is an empty file: its name is of whom, as a hash, and when, in ms since 1970. */
const markPattern = /^([\da-f]{64})-(\d+)\.erased$/

/** The hash identifies an account or user only to a process that knows its name. */
const hashOf = (accountId: string, userId: string | null): string =>
  createHash("sha256").update(JSON.stringify([accountId, userId])).digest("hex")

/** When the mark of that name was made, ms since 1970; null for other files. */
export const markedAt = (name: string): number | null => {
  const [, , at] = markPattern.exec(name) ?? []
  return at === undefined ? null : Number(at)
}

/** A predicate for decisions that were made before their account or user was erased. */
export type IsErased = (decision: Pick<Decision, "accountId" | "userId" | "createdAt">) => boolean

/** The erasures so far of a folder; rejects when they cannot be read. */
export const erasuresIn = async (folder: string): Promise<IsErased> => {
  const marks = new Map<string, number>()
  for (const name of await readdir(folder)) {
    const [, hash = "", at] = markPattern.exec(name) ?? []
    if (at !== undefined) marks.set(hash, Math.max(Number(at), marks.get(hash) ?? 0))
  }
  if (marks.size === 0) return () => false
  const isMarked = (hash: string, createdAt: Date) => createdAt.getTime() <= (marks.get(hash) ?? -Infinity)
  return ({ accountId, createdAt, userId }) =>
    isMarked(hashOf(accountId, null), createdAt)
    || (userId !== null && isMarked(hashOf(accountId, userId), createdAt))
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
  await rm(beside, { force: true })
  makeFile(beside)
  let [removed, kept] = [0, 0]
  for await (const { decisions, unreadable } of linesIn(path)) {
    if (unreadable > 0) {
      await rm(beside)
      return null
    }
    const left = decisions.filter((decision) => !isErased(decision))
    removed += decisions.length - left.length
    kept += left.length
    await appendFile(beside, left.map(lineOf).join(""))
  }
  await syncPathAsync(beside)
  await rename(beside, path)
  if (kept === 0) await rm(path)
  return removed
}

/** The names in a folder; null without a folder. */
const namesIn = (folder: string): Promise<ReadonlyArray<string> | null> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null
    throw error
  })

/**
 * Removes the decisions of an account, or of one of its users, from the spool files of a database, and leaves
 * a mark that keeps every process from writing them into the ledger later. Call it **before** the ledger's
 * rows are erased, so that decisions which a process has just written are among those rows.
 *
 * @param now the database's time, by which decisions are dated; of a process that started without the
 *   database, by its machine's, so that the mark has the later one
 */
export const eraseSpooled = async (
  folder: string,
  accountId: string,
  userId: string | null,
  now: Date
): Promise<SpoolErasure> => {
  const names = await namesIn(folder)
  const unreadable: Array<string> = []
  let [removed, live] = [0, 0]
  if (names === null) return { removed, live, unreadable }
  const untilMs = Math.max(now.getTime(), Date.now())
  const mark = join(folder, `${hashOf(accountId, userId)}-${untilMs}.erased`)
  await rm(mark, { force: true })
  makeFile(mark)
  const isErased = await erasuresIn(folder)
  for (const path of names.filter((each) => each.endsWith(".spool")).map((each) => join(folder, each))) {
    const lock = takeSpoolLock(path)
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
  await syncPathAsync(folder)
  return { removed, live, unreadable: [...unreadable, ...names.filter((each) => each.endsWith(".kept"))] }
}
