/* `POST /v1/votes/{token}`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { VoteRequest, VoteResponse } from "../domain/Vote.ts"
import { described } from "../domain/wire/Wire.ts"
import { documented } from "./Docs.ts"
import { PayloadTooLarge, ServiceUnavailable, TooManyRequests, UnsupportedMediaType } from "./Problems.ts"

/** The path as the router matches it. */
export const votesPath = "/v1/votes/:token"

const params = { token: described(Schema.String, "The `vote_token` of a recommendation.") }

const vote = HttpApiEndpoint.post("vote", "/votes/:token", {
  params,
  payload: VoteRequest,
  success: VoteResponse,
  error: [PayloadTooLarge, ServiceUnavailable, TooManyRequests, UnsupportedMediaType]
}).annotateMerge(documented({
  summary: "Vote on an answer",
  right: null,
  query: params,
  description: [
    "For the reader of an answer, from a browser: needs the `vote_token` of its recommendation, and no key.",
    "Any origin may call it, without credentials. The answer is the same for a token that is wrong, has",
    "ended or is of a decision that is gone.",
    "",
    "The last vote of a recommendation counts, once, as a feedback with `evidence_source` `vote`: for the",
    "model that was reported to have run last, and before any report for the first. A label of any other",
    "source outranks it."
  ].join("\n"),
  example: { thumb: "down", comment: "It missed the second question." }
}))

export class VotesApi extends HttpApiGroup.make("votes")
  .add(vote)
  .annotateMerge(OpenApi.annotations({
    title: "Votes",
    description: "What readers say of answers; no key needed"
  }))
{}
