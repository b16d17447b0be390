/* Looks for a word in files, whatever they are. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative } from "node:path"

/** The files below a folder that hold the word, by path. */
export const filesWith = (folder: string, word: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true)
    .filter((path) => readFileSync(join(folder, path)).includes(word))
    .map((path) => relative(folder, join(folder, path)))
