/* The refusal of a command, with its reason. */
import { Schema } from "effect"

/**
 * A command did not do what it was asked to, because of its words or of what it found. The message says why;
 * `cause` is the error that it met, where it met one.
 */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const refusal = (message: string, cause?: unknown): Refusal =>
  new Refusal({ message, ...(cause === undefined ? {} : { cause }) })
