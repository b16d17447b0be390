/* What must never be written from a spool again: decisions of an erased account or user. */
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

/** A mark's name says whose it is to those who know the names, and to nobody else. */
const markOf = (accountId: string, userId: string | null): string =>
  createHash("sha256").update(JSON.stringify([accountId, userId])).digest("hex") + suffix

/** Whether a decision was made before its account or its user was erased. */
export type IsErased = (decision: Pick<Decision, "accountId" | "userId" | "createdAt">) => boolean

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** What a folder holds, null where there is none. */
const namesIn = async (folder: string): Promise<ReadonlyArray<string> | null> => {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** A file that is made anew, for the folder's owner where root makes it. */
const openNew = async (path: string) => {
  await rm(path, { force: true })
  const file = await open(path, "wx", 0o600)
  const owner = ownerFor(path)
  if (owner !== null) await file.chown(owner.uid, owner.gid)
  return file
}

/** Appears under its name only with its time in it. */
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

/** What has been erased so far, of that folder; rejects when that cannot be read. */
export const erasuresIn = async (folder: string): Promise<IsErased> => {
  const marks = new Map<string, number>()
  for (const name of (await namesIn(folder) ?? []).filter((each) => each.endsWith(suffix))) {
    const path = join(folder, name)
    const atMs = Date.parse(await readFile(path, "utf8").catch(() => ""))
    // Another user's, or cut short: it was written when it was made.
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
  /** Decisions that were removed from files of processes that are dead. */
  readonly removed: number
  /** Files that live processes write: these will leave the decisions out, and remove the file soon. */
  readonly live: number
  /** Files that this version cannot read; delete them by hand if they may hold that account. */
  readonly unreadable: ReadonlyArray<string>
}

/** The same file without what was erased; yields how many decisions went, null where it cannot be read. */
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
 * Removes an account's decisions, or one user's of it, from the spool files in a database's `spoolFolder`,
 * and leaves a mark by which no process writes them into the ledger afterwards. Call it **before** the
 * ledger's rows are erased, so that those which a process has just written are among these.
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
