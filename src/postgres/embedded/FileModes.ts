/* Closes the data directory to other users: removes the rights of group and others from its files. */
import { Effect } from "effect"
import { chmodSync, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { messageOf } from "../../domain/text/ErrorMessage.ts"
import { makePrivateFolder } from "../../sql/PrivateFolder.ts"
import { attempt } from "./EmbeddedFailure.ts"

/** Returns true for names that Sextant gives to files and folders, and for `lost+found`. */
const isOurs = (name: string): boolean =>
  /^(lock|postgresql|catalog|programs)([.-].*)?$/.test(name) || name === "lost+found"

const othersBits = 0o077
const stickyBit = 0o1000

interface Closed {
  /** Number of files and folders that were open to other users, and are now closed. */
  readonly count: number
  readonly problems: ReadonlyArray<string>
}

const closeTree = (path: string, closed: { count: number }): void => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.isSymbolicLink() || stat.isSocket()) return
  if ((stat.mode & othersBits) !== 0 && (stat.isFile() || stat.isDirectory())) {
    chmodSync(path, stat.mode & ~othersBits & 0o7777)
    closed.count++
  }
  if (stat.isDirectory()) for (const name of readdirSync(path)) closeTree(join(path, name), closed)
}

/**
 * Closes Sextant's files in a data directory to other users. The directory itself is left as it is if it is
 * sticky or has files of other programs, because it may be `/tmp` or a home that was given by mistake.
 */
const closeDirectory = (directory: string): Closed => {
  makePrivateFolder(directory)
  const closed = { count: 0 }
  const problems: Array<string> = []
  const tried = (path: string, step: () => void) => {
    try {
      step()
    } catch (error) {
      problems.push(`${path} stays open to other users: ${messageOf(error)}`)
    }
  }
  const names = readdirSync(directory)
  const { mode } = lstatSync(directory)
  if ((mode & othersBits) !== 0) {
    if ((mode & stickyBit) !== 0) {
      problems.push(`${directory} stays open to other users: it is a folder that they share`)
    } else if (names.every(isOurs)) {
      tried(directory, () => {
        chmodSync(directory, mode & ~othersBits & 0o7777)
        closed.count++
      })
    } else problems.push(`${directory} stays open to other users: it holds files that are not Sextant's`)
  }
  for (const name of names.filter((each) => isOurs(each) && each !== "lost+found")) {
    const path = join(directory, name)
    tried(path, () => closeTree(path, closed))
  }
  return { count: closed.count, problems }
}

const needs = "it must exist or be creatable, and be writable"

/** Closes a data directory to other users as far as possible, and logs the changes and what stays open. */
export const keepToOwner = (directory: string) =>
  Effect.gen(function*() {
    const closed = yield* attempt(`The data directory ${directory} cannot be used: ${needs}`, () =>
      closeDirectory(directory))
    if (closed.count > 0) {
      yield* Effect.logInfo(`Closed ${closed.count} files and folders of ${directory} to other users`)
    }
    for (const line of closed.problems) yield* Effect.logWarning(line)
  })
