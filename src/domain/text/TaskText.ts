/* What is kept of a task: its words, or only where it lies among others. */
import { Schema } from "effect"

/** `excerpt`: its first and last words. `none`: no word, a vector of it instead. */
export const TaskText = Schema.Literals(["excerpt", "none"])
export type TaskText = typeof TaskText.Type

/** The stricter of what the service and the account say: where either says `none`, it is none. */
export const stricter = (service: TaskText, account: TaskText | null): TaskText =>
  service === "none" || account === "none" ? "none" : "excerpt"

/** Where one embedder places a task: a unit vector in 8-bit steps, `scale` to a step. No word of it. */
export interface TaskVector {
  /** Provider, model, dimensions and version. */
  readonly embedder: string
  readonly scale: number
  /** One signed byte per dimension, in base64. */
  readonly vector: string
}
