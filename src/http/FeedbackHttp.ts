/* Handles `POST /v1/feedback`. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCallerKey } from "../accounts/CallerKey.ts"
import { parse } from "../accounts/Key.ts"
import { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import type { FeedbackRequest } from "../domain/Feedback.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import { Learner } from "../engine/Learner.ts"
import { definedIn, payloadOf } from "./Endpoints.ts"
import { unavailable } from "./limits/Retry.ts"
import { unknownFieldWarningsOfRequest, type WithWarnings } from "./UnknownFields.ts"

/** `POST /v1/feedback`. */
export const defined = definedIn(Api.groups.feedback, "feedback")
const notesOnReport = unknownFieldWarningsOfRequest(payloadOf(defined))

/** Learns from the caller's report; `withWarnings` adds an `unknown_field` warning per unknown field. */
export const learned = (learner: Learner["Service"], payload: FeedbackRequest, withWarnings: WithWarnings) =>
  Effect.gen(function*() {
    const { accountId } = yield* CurrentCaller
    const caller = yield* CurrentCallerKey
    const keyId = caller === null ? undefined : parse(Redacted.value(caller.key))?.keyId
    const recommendationId = RecommendationId.parse(payload.recommendationId)
    return yield* learner.learn(accountId, { ...payload, recommendationId }, keyId)
  }).pipe(
    Effect.map((response) => withWarnings(response)),
    Effect.catch(unavailable("The ledger"))
  )

export const layer = HttpApiBuilder.group(Api, "feedback", Effect.fnUntraced(function*(handlers) {
  const learner = yield* Learner
  return handlers.handleAll({
    feedback: ({ payload, request }) =>
      Effect.flatMap(notesOnReport(request), (withWarnings) => learned(learner, payload, withWarnings))
  })
}))
