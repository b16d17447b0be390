/* Prompts that are in other rows or files than their calls, and that are collected before the calls. */
import { ownExcerptOf } from "../../domain/Task.ts"
import type { LeftOut } from "../LoggedCall.ts"

/** A prompt, and the key of its call or session, which the format's reader makes. */
export interface FoundPrompt {
  readonly key: string
  readonly text: string
  /** Time of the prompt, ms since 1970. The time is needed if the key is a session with several prompts. */
  readonly atMs?: number
}

export interface PromptTable {
  /** The prompt replaces an earlier prompt with the same key and time. */
  readonly add: (prompt: FoundPrompt) => void
  /** Returns a key's last prompt up to `byMs`, ms since 1970; null if there is no such prompt. */
  readonly find: (key: string, byMs?: number) => string | null
  /** Returns the prompts that belong to no call in the log. */
  readonly unused: () => Iterable<LeftOut>
}

interface Entry {
  readonly text: string
  readonly atMs: number
  isUsed: boolean
}

/** Counts entries up to `byMs`. The entries must be in the order of their times. */
const countBy = (entries: ReadonlyArray<Entry>, byMs: number): number => {
  let [from, to] = [0, entries.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((entries[middle]?.atMs ?? Infinity) <= byMs) from = middle + 1
    else to = middle
  }
  return from
}

/** The table stores only the part of each text that the engine would read. */
export const makePromptTable = (): PromptTable => {
  const entriesOf = new Map<string, Array<Entry>>()
  return {
    add: ({ atMs = 0, key, text }) => {
      const entries = entriesOf.get(key) ?? []
      const before = countBy(entries, atMs)
      const isSame = entries[before - 1]?.atMs === atMs
      const entry = { text: ownExcerptOf(text), atMs, isUsed: false }
      entries.splice(isSame ? before - 1 : before, isSame ? 1 : 0, entry)
      entriesOf.set(key, entries)
    },
    find: (key, byMs = Infinity) => {
      const entries = entriesOf.get(key) ?? []
      const entry = entries[countBy(entries, byMs) - 1]
      if (entry === undefined) return null
      entry.isUsed = true
      return entry.text
    },
    *unused() {
      for (const { isUsed } of [...entriesOf.values()].flat()) {
        if (!isUsed) yield { reason: "prompt_without_call", detail: null }
      }
    }
  }
}
