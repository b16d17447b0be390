/* Writes files whole or not at all: a file is written under a temporary name, and then renamed. */
import {
  chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmdirSync, rmSync, statSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"

/** Returns the text of a file; null if there is no file. Throws if the file cannot be read. */
export const readText = (path: string): string | null => existsSync(path) ? readFileSync(path, "utf8") : null

/** Writes a file, or a link's target, and returns the folders that were made. `mode` sets the permissions. */
export const writeText = (path: string, text: string, mode?: number): ReadonlyArray<string> => {
  const made: Array<string> = []
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) made.push(folder)
  mkdirSync(dirname(path), { recursive: true })
  const file = existsSync(path) ? realpathSync(path) : path
  const temporary = `${file}.sextant-${process.pid}`
  const kept = mode ?? (existsSync(file) ? statSync(file).mode : 0o644)
  writeFileSync(temporary, text, { mode: kept })
  chmodSync(temporary, kept)
  renameSync(temporary, file)
  return made
}

/** Removes a file and the folders that were made for it, up to the first that is not empty. */
export const removeText = (path: string, made: ReadonlyArray<string>): void => {
  rmSync(path, { force: true })
  for (const folder of made) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}
