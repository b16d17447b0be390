/*
 * Prompts that stand in other rows or files than their calls, by the call: OpenTelemetry's records of a log.
 * They are collected before the calls are read, up to so many bytes.
 */
import { ownExcerptOf } from "../../../../../src/domain/Task.ts"
import type { LabelLeftOut } from "./LabelTable.ts"

/** A prompt, and the call that it is of, as its format names calls. */
export interface FoundPrompt {
  readonly key: string
  readonly text: string
}

export interface PromptTable {
  /** Adds a prompt from a row of a file; a later one of a call takes the place of an earlier one. */
  readonly add: (prompt: FoundPrompt, file: number, line: number) => void
  /** The prompt of a call; null where no row has one. */
  readonly find: (key: string) => string | null
  /** Prompts that were not kept; and where all calls are known (`isWhole`), those that no call asked for. */
  readonly unused: (isWhole: boolean) => Iterable<LabelLeftOut>
}

/** Memory for prompts, bytes. Chosen: some hundred thousand prompts of usual length. */
const bytesMax = 128 * 2 ** 20

/** Memory that a prompt takes beside its text, bytes. */
const entryBytes = 300

interface Entry {
  readonly text: string
  readonly file: number
  readonly line: number
  isUsed: boolean
}

/** What of a text is kept is what the engine reads of it. */
export const makePromptTable = (bytesKept = bytesMax): PromptTable => {
  const entries = new Map<string, Entry>()
  /** Of each file, how many prompts were not kept, and the row of the first of them. */
  const lost = new Map<number, { readonly line: number; count: number }>()
  let bytes = 0
  const sizeOf = ({ text }: Pick<Entry, "text">): number => entryBytes + 2 * text.length
  return {
    add: ({ key, text }, file, line) => {
      const entry = { text: ownExcerptOf(text), file, line, isUsed: false }
      const before = entries.get(key)
      const grown = bytes + sizeOf(entry) - (before === undefined ? 0 : sizeOf(before))
      if (grown > bytesKept) {
        const ofFile = lost.get(file) ?? { line, count: 0 }
        ofFile.count++
        lost.set(file, ofFile)
        return
      }
      bytes = grown
      entries.set(key, entry)
    },
    find: (key) => {
      const entry = entries.get(key)
      if (entry === undefined) return null
      entry.isUsed = true
      return entry.text
    },
    *unused(isWhole) {
      for (const [file, { count, line }] of lost) {
        for (let i = 0; i < count; i++) yield { file, line, reason: "prompt_not_kept", detail: null }
      }
      if (!isWhole) return
      for (const { file, isUsed, line } of entries.values()) {
        if (!isUsed) yield { file, line, reason: "prompt_without_call", detail: null }
      }
    }
  }
}
