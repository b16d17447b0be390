/* Writes files whole or not at all: to a temporary name, which is then renamed. */
import {
  chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmdirSync, rmSync, statSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"

/** The text of a file; null without a file. Fails if it exists and cannot be read. */
export const readText = (path: string): string | null => existsSync(path) ? readFileSync(path, "utf8") : null

/**
 * Writes a file, with its present mode by default; a link stays a link. Yields the folders that it made.
 */
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

/** Removes a file, and the empty ones among the folders that were made for it, the innermost first. */
export const removeText = (path: string, made: ReadonlyArray<string>): void => {
  rmSync(path, { force: true })
  for (const folder of made) {
    try {
      rmdirSync(folder)
    } catch {
      // Somebody keeps other files there.
      return
    }
  }
}
