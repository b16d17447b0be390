/* The fields by which a report names its lanes and its days. */
import { Schema } from "effect"
import { described, nullable } from "../wire/Wire.ts"

export const windowFields = {
  namespace: described(
    nullable(Schema.String), "The requested namespace; null for all lanes of the account."
  ),
  days: described(Schema.Finite, "Length of the window, in days.")
}
