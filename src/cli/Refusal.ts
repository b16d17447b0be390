/* The error of a command that refuses its work. */
import { Schema } from "effect"

/** The message says why the work is refused. */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const refusal = (message: string, cause?: unknown): Refusal =>
  new Refusal({ message, ...(cause === undefined ? {} : { cause }) })
