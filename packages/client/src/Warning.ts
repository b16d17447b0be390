/* A line on the console, once per process and reason. */
import { notify } from "./ForeignValues.ts"

/** What this process was told. */
const told = new Set<string>()

/** Says a sentence, unless one of this reason was said. */
export type Warn = (reason: string, sentence: string) => void

export const createWarn = (isWanted?: boolean): Warn => (reason, sentence) => {
  if (isWanted === false || told.has(reason)) return
  told.add(reason)
  notify(() => console.warn(`sextant-client: ${sentence}`))
}
