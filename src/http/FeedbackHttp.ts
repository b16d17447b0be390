/* Handles `POST /v1/feedback`. */
import { Effect, Redacted } from "effect"
import { CurrentCallerKey } from "../accounts/CallerKey.ts"
import { parse } from "../accounts/Key.ts"
import type { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import { Learner } from "../engine/Learner.ts"
import type { Handlers } from "./Endpoints.ts"
import { unavailable } from "./limits/Retry.ts"

export const handlers = Effect.gen(function*() {
  const learner = yield* Learner
  return {
    feedback: ({ payload }) =>
      Effect.gen(function*() {
        const { accountId } = yield* CurrentCaller
        const caller = yield* CurrentCallerKey
        const keyId = caller === null ? undefined : parse(Redacted.value(caller.key))?.keyId
        const recommendationId = RecommendationId.parse(payload.recommendationId)
        return yield* learner.learn(accountId, { ...payload, recommendationId }, keyId)
      }).pipe(Effect.catch(unavailable("The ledger")))
  } satisfies Handlers<typeof Api.groups.feedback>
})
