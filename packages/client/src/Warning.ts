/* A line on the console, once per process and reason. */
import { notify } from "./ForeignValues.ts"

/** The reasons of which this process has warned. */
const told = new Set<string>()

/** Logs a sentence, once per reason. */
export type Warn = (reason: string, sentence: string) => void

export const createWarn = (isWanted?: boolean): Warn => (reason, sentence) => {
  if (isWanted === false || told.has(reason)) return
  told.add(reason)
  notify(() => console.warn(`sextant-client: ${sentence}`))
}
