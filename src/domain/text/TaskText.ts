/* The part of a task that is stored: its text, or only a vector. */
import { Schema } from "effect"

/** `excerpt` stores the text's beginning and end, `none` a vector in place of the text. */
export const TaskText = Schema.Literals(["excerpt", "none"])
export type TaskText = typeof TaskText.Type

/** Returns the stricter of the service's and the account's setting: `none` if either is `none`. */
export const stricter = (service: TaskText, account: TaskText | null): TaskText =>
  service === "none" || account === "none" ? "none" : "excerpt"

/** A unit vector in place of a task's words. Each component is an 8-bit number times `scale`. */
export interface TaskVector {
  /** Name of the embedder, made of provider, model, dimensions and version. */
  readonly embedder: string
  readonly scale: number
  /** The 8-bit numbers, one signed byte per dimension, in base64. */
  readonly vector: string
}
