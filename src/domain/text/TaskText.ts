/* The part of a task that is kept: its words, or only a vector. */
import { Schema } from "effect"

/** `excerpt`: the first and last words. `none`: a vector instead of any word. */
export const TaskText = Schema.Literals(["excerpt", "none"])
export type TaskText = typeof TaskText.Type

/** The stricter of the service's and the account's setting: `none` if either says `none`. */
export const stricter = (service: TaskText, account: TaskText | null): TaskText =>
  service === "none" || account === "none" ? "none" : "excerpt"

/**
 * A task's place in the space of one embedder: a unit vector in steps of 8 bits, `scale` to a step. It holds
 * no word.
 */
export interface TaskVector {
  /** Provider, model, dimensions and version. */
  readonly embedder: string
  readonly scale: number
  /** One signed byte per dimension, in base64. */
  readonly vector: string
}
