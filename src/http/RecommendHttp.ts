/* Handles `POST /v1/recommend` and `POST /v1/recommend/workflow`. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import * as Problems from "../api/Problems.ts"
import { RecommendResponse } from "../domain/Recommendation.ts"
import { wireEncoder } from "../domain/WireEncoding.ts"
import { WorkflowResponse } from "../domain/Workflow.ts"
import type { NoCandidateModels } from "../engine/NoCandidateModels.ts"
import { Recommender } from "../engine/Recommender.ts"
import { ownTurn } from "../resilience/CooperativeYield.ts"
import { AddUnits } from "./limits/Admitting.ts"

const problemOf = ({ stepId }: NoCandidateModels) => {
  const ofStep = stepId === null ? "" : ` of step "${stepId}"`
  return new Problems.NoCandidateModels({ detail: `No models match the supplied constraints${ofStep}` })
}

/** Runs work of that many recommendations, after they were admitted. */
const withUnits = (units: number) => <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    yield* (yield* AddUnits)(units)
    return yield* work
  })

const encodeRecommendation = wireEncoder(RecommendResponse)
const encodeWorkflow = wireEncoder(WorkflowResponse)

export const layer = HttpApiBuilder.group(Api, "recommend", Effect.fnUntraced(function*(handlers) {
  const recommender = yield* Recommender
  return handlers.handleAll({
    recommend: ({ payload }) =>
      CurrentCaller.use(({ accountId }) => recommender.recommend(accountId, payload)).pipe(
        Effect.mapBoth({
          onFailure: problemOf,
          onSuccess: (response) => HttpServerResponse.jsonUnsafe(encodeRecommendation(response))
        })
      ),
    recommendWorkflow: ({ payload }) =>
      CurrentCaller.use(({ accountId }) => recommender.recommendWorkflow(accountId, payload)).pipe(
        Effect.tap(ownTurn),
        Effect.mapBoth({
          onFailure: problemOf,
          onSuccess: (response) => HttpServerResponse.jsonUnsafe(encodeWorkflow(response))
        }),
        withUnits(payload.steps.length)
      )
  })
}))
