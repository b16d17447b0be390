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
}

export interface PromptTable {
  /** Adds a prompt; a later one of a call takes the place of an earlier one. */
  readonly add: (prompt: FoundPrompt) => void
  /** The prompt of a call; null where no row has one. */
  readonly find: (key: string) => string | null
  /** Prompts that no call asked for. */
  readonly unused: () => Iterable<LeftOut>
}

/** What of a text is kept is what the engine reads of it. */
export const makePromptTable = (): PromptTable => {
  const entries = new Map<string, { readonly text: string; isUsed: boolean }>()
  return {
    add: ({ key, text }) => { entries.set(key, { text: ownExcerptOf(text), isUsed: false }) },
    find: (key) => {
      const entry = entries.get(key)
      if (entry === undefined) return null
      entry.isUsed = true
      return entry.text
    },
    *unused() {
      for (const { isUsed } of entries.values()) {
        if (!isUsed) yield { reason: "prompt_without_call", detail: null }
      }
    }
  }
}
