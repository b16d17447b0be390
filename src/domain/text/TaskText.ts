/* The part of a task that is stored: its words, or only a vector. */
import { Schema } from "effect"

/** `excerpt`: the first and last words. `none`: a vector instead of words. */
export const TaskText = Schema.Literals(["excerpt", "none"])
export type TaskText = typeof TaskText.Type

/** Returns the stricter setting of service and account: `none` if either is `none`. */
export const stricter = (service: TaskText, account: TaskText | null): TaskText =>
  service === "none" || account === "none" ? "none" : "excerpt"

/**
 * The vector of a task by one embedder: a unit vector in steps of 8 bits, each of size `scale`. It contains
 * no words.
 */
export interface TaskVector {
  /** Name of the embedder: provider, model, dimensions and version. */
  readonly embedder: string
  readonly scale: number
  /** One signed byte per dimension, in base64. */
  readonly vector: string
}
