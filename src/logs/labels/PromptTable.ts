/*
 * Prompts in other rows or files than their calls, by the call. OpenTelemetry has them in log records. They
 * are collected before the calls are read.
 */
import { ownExcerptOf } from "../../domain/Task.ts"
import type { LeftOut } from "../LoggedCall.ts"

/** A prompt, and the key of its call or session, made by the format's reader. */
export interface FoundPrompt {
  readonly key: string
  readonly text: string
  /** Time of the prompt, ms since 1970. Needed if the key is a session with several prompts. */
  readonly atMs?: number
}

export interface PromptTable {
  /** Adds a prompt. It replaces an earlier one with the same key and time. */
  readonly add: (prompt: FoundPrompt) => void
  /** The last prompt of a key that is not later than `byMs`, ms since 1970. Null without one. */
  readonly find: (key: string, byMs?: number) => string | null
  /** Prompts that belong to no call in the log. */
  readonly unused: () => Iterable<LeftOut>
}

interface Entry {
  readonly text: string
  readonly atMs: number
  isUsed: boolean
}

/** Number of entries that are not later than `byMs`. The entries are in the order of their times. */
const countBy = (entries: ReadonlyArray<Entry>, byMs: number): number => {
  let [from, to] = [0, entries.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((entries[middle]?.atMs ?? Infinity) <= byMs) from = middle + 1
    else to = middle
  }
  return from
}

/** Makes an empty table. It keeps only the part of a text that the engine would read. */
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
