/* Handles `POST /v1/recommend` and `POST /v1/recommend/workflow`. */
import { Clock, Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import * as Problems from "../api/Problems.ts"
import type { RecommendRequest, RecommendResponse } from "../domain/Recommendation.ts"
import { nameOf, quoted } from "../domain/text/Text.ts"
import { wireEncoder } from "../domain/wire/WireEncoding.ts"
import type { WorkflowResponse } from "../domain/Workflow.ts"
import type { NoCandidateModels } from "../engine/NoCandidateModels.ts"
import { Recommender } from "../engine/Recommender.ts"
import type { BudgetExhausted } from "../ledger/Ledger.ts"
import { ownTurn } from "../resilience/CooperativeYield.ts"
import { definedIn, payloadOf, successOf } from "./Endpoints.ts"
import { AddUnits } from "./limits/Admitting.ts"
import { retryAfter } from "./limits/Retry.ts"
import { unknownFieldWarningsOfRequest, type WithWarnings } from "./UnknownFields.ts"

/** Most unknown ids that one `detail` names, count. */
const idsMax = 5

/** Which constraint removed how many models, and which ids are not known. */
const noCandidates = ({ removals, stepId, unknownIds }: NoCandidateModels) => {
  const removed = removals.map(({ constraint, count, unknown }) =>
    `${constraint} removed ${count}${unknown === 0 ? "" : ` (${unknown} unknown)`}`)
  const more = unknownIds.length - idsMax
  const unknown = [...unknownIds.slice(0, idsMax).map(nameOf), ...(more > 0 ? [`${more} more`] : [])]
  const parts = [
    `No models match the supplied constraints${stepId === null ? "" : ` of step ${quoted(stepId)}`}`,
    ...(removed.length > 0 ? [removed.join(", ")] : []),
    ...(unknown.length > 0 ? [`not in the catalog: ${unknown.join(", ")}`] : [])
  ]
  return new Problems.NoCandidateModels({ detail: parts.join("; ") })
}

/** Which budget it is, and when its period ends. */
const budgetExhausted = Effect.fnUntraced(function*({ endsAtMs, period, usd }: BudgetExhausted) {
  yield* retryAfter((endsAtMs - (yield* Clock.currentTimeMillis)) / 1_000)
  return yield* new Problems.BudgetExhausted({
    detail: `The account's budget of ${usd} USD for this ${period} has too little left; the ${period} ends `
      + `at ${new Date(endsAtMs).toISOString()}`
  })
})

const problemOf = (
  failure: BudgetExhausted | NoCandidateModels
): Effect.Effect<
  never, Problems.BudgetExhausted | Problems.NoCandidateModels, HttpServerRequest.HttpServerRequest
> => failure._tag === "BudgetExhausted" ? budgetExhausted(failure) : Effect.fail(noCandidates(failure))

/** Runs work of that many recommendations, after they were admitted. */
const withUnits = (units: number) => <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    yield* (yield* AddUnits)(units)
    return yield* work
  })

/** `POST /v1/recommend`. */
export const defined = definedIn(Api.groups.recommend, "recommend")
const ofWorkflow = definedIn(Api.groups.recommend, "recommendWorkflow")
const encodeRecommendation = wireEncoder(successOf<typeof RecommendResponse>(defined))
const encodeWorkflow = wireEncoder(successOf<typeof WorkflowResponse>(ofWorkflow))
const notesOnRecommendation = unknownFieldWarningsOfRequest(payloadOf(defined))
const notesOnWorkflow = unknownFieldWarningsOfRequest(payloadOf(ofWorkflow))

/** Recommends a model to the caller; `withWarnings` adds an `unknown_field` warning per unknown field. */
export const recommendation = (
  recommender: Recommender["Service"],
  payload: RecommendRequest,
  withWarnings: WithWarnings
) =>
  CurrentCaller.use(({ accountId }) => recommender.recommend(accountId, payload)).pipe(
    Effect.map((response) => HttpServerResponse.jsonUnsafe(encodeRecommendation(withWarnings(response)))),
    Effect.catch(problemOf)
  )

export const layer = HttpApiBuilder.group(Api, "recommend", Effect.fnUntraced(function*(handlers) {
  const recommender = yield* Recommender
  return handlers.handleAll({
    recommend: ({ payload, request }) =>
      Effect.flatMap(notesOnRecommendation(request), (withWarnings) =>
        recommendation(recommender, payload, withWarnings)),
    recommendWorkflow: ({ payload, request }) =>
      // The body is parsed again, which a workflow that is refused for its units does not wait for.
      Effect.flatMap(Effect.andThen(ownTurn, () => notesOnWorkflow(request)), (withWarnings) =>
        CurrentCaller.use(({ accountId }) => recommender.recommendWorkflow(accountId, payload)).pipe(
          Effect.tap(ownTurn),
          Effect.map((response) => HttpServerResponse.jsonUnsafe(encodeWorkflow(withWarnings(response)))),
          Effect.catch(problemOf)
        )).pipe(withUnits(payload.steps.length))
  })
}))
