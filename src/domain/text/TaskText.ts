/* The part of a task that is stored: its text, or only a vector. */
import { Schema } from "effect"

/**
 * `excerpt` stores the beginning and the end of the task's text. `none` stores a vector in place of the text.
 */
export const TaskText = Schema.Literals(["excerpt", "none"])
export type TaskText = typeof TaskText.Type

/** Returns the stricter of the service's and the account's setting: `none` if either is `none`. */
export const stricter = (service: TaskText, account: TaskText | null): TaskText =>
  service === "none" || account === "none" ? "none" : "excerpt"

/**
 * The vector of a task by one embedder: a unit vector. Each step of its 8-bit numbers has the size `scale`.
 * The vector contains no words of the task.
 */
export interface TaskVector {
  /** Name of the embedder, made of provider, model, dimensions and version. */
  readonly embedder: string
  readonly scale: number
  /** One signed byte per dimension, in base64. */
  readonly vector: string
}
