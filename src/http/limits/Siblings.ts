/* The counts that the processes of one port share, so that a limit does not grow with their number. */
import { Context, Effect } from "effect"

/**
 * What is counted: requests and feedback of an account, in units, failed keys and votes of an address, or
 * votes on an answer.
 */
export type Counted = "requests" | "feedback" | "failed keys" | "votes" | "votes on an answer"

export interface SiblingProcesses {
  /** Tells the other processes that this one has counted so much for a key. */
  readonly tell: (counted: Counted, key: string, units: number) => void
  /** Counts with `count` what other processes tell, at most some tenths of a second later. */
  readonly hear: (
    counted: Counted,
    count: (key: string, units: number) => Effect.Effect<void>
  ) => Effect.Effect<void>
}

/** The other processes of this one's port. By default there are none; `cli` sets it. */
export const Siblings = Context.Reference<SiblingProcesses>("sextant/http/limits/Siblings", {
  defaultValue: () => ({ tell: () => {}, hear: () => Effect.void })
})
