/* The vote of an answer's reader, who has a token of one recommendation and no key. */
import { Schema } from "effect"
import type { Outcome } from "./Feedback.ts"
import { Prose } from "./text/Text.ts"
import { textLimits } from "./text/TextLimits.ts"
import { described, nullable, wire } from "./wire/Wire.ts"

export const Thumb = Schema.Literals(["up", "down"])
  .annotate({ identifier: "Thumb", description: "Whether the answer was good (`up`) or not (`down`)." })
export type Thumb = typeof Thumb.Type

/** What a thumb says of the call whose answer it is about. */
export const outcomeOfThumb: { readonly [T in Thumb]: Outcome } = { up: "success", down: "failure" }

export const VoteRequest = wire({
  thumb: described(Thumb, "Whether the answer was good."),
  comment: described(nullable(Prose(textLimits.comment)), "Why, in the reader's words.")
}, { identifier: "VoteRequest", description: "What a reader says of an answer." })
export type VoteRequest = typeof VoteRequest.Type

export const VoteResponse = wire({
  received: described(Schema.Literal(true), "Says nothing of the token: it is the same for a wrong one.")
}, { identifier: "VoteResponse", description: "The vote was received." })

/** How long the token of a recommendation is good, days. */
export const voteDays = 7

/** The last vote on a decision, as the ledger keeps it. */
export interface KeptVote {
  readonly thumb: Thumb
  /** Null without one, and where no words are kept. */
  readonly comment: string | null
  readonly votedAt: Date
  /** Rises with every change of the thumb; one sequence with the revisions of reports. */
  readonly revision: number
}
