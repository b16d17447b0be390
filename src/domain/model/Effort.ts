/* Levels of reasoning effort. */
import { Schema } from "effect"
import { effortPattern } from "./ModelVariant.ts"

/** The name of a level as providers write it, such as `low`. */
export const Effort = Schema.String.check(Schema.isPattern(effortPattern, {
  expected: "at most 32 lower-case letters, digits, points, dashes and underscores"
}))
