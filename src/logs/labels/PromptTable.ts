/*
 * Prompts that stand in other rows or files than their calls, by the call: OpenTelemetry's records of a log.
 * They are collected before the calls are read.
 */
import { ownExcerptOf } from "../../domain/Task.ts"
import type { LeftOut } from "../LoggedCall.ts"

/** A prompt, and the call that it is of, as its format names calls. */
export interface FoundPrompt {
  readonly key: string
  readonly text: string
  /** When it was given, ms since 1970, where the key is of several prompts: a session's. */
  readonly atMs?: number
}

export interface PromptTable {
  /** Adds a prompt; a later one of a call takes the place of an earlier one with the same time or none. */
  readonly add: (prompt: FoundPrompt) => void
  /** The last prompt of a call, of those given by then, ms since 1970; null where no row has one. */
  readonly find: (key: string, byMs?: number) => string | null
  /** Prompts that no call asked for. */
  readonly unused: () => Iterable<LeftOut>
}

interface Entry {
  readonly text: string
  readonly atMs: number
  isUsed: boolean
}

/** How many of the entries, which are in the order of their times, are no later. */
const countBy = (entries: ReadonlyArray<Entry>, byMs: number): number => {
  let [from, to] = [0, entries.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((entries[middle]?.atMs ?? Infinity) <= byMs) from = middle + 1
    else to = middle
  }
  return from
}

/** What of a text is kept is what the engine reads of it. */
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
