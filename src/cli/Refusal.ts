/* The refusal of a command, with its reason. */
import { Schema } from "effect"

/**
 * A command refused its work. The message gives the reason, and `cause` is the error behind it, if there is
 * one.
 */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const refusal = (message: string, cause?: unknown): Refusal =>
  new Refusal({ message, ...(cause === undefined ? {} : { cause }) })
