/* The typed client of the API, for Effect programs. Other programs use `packages/client`. */
import { Context, Effect, Layer, Schedule, type SchemaIssue } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { detailOf } from "../api/Detail.ts"
import { InvalidRequest } from "../api/Problems.ts"
import { AccountModels } from "../domain/account/AccountModels.ts"
import { FeedbackRequest } from "../domain/feedback/Feedback.ts"
import { DiagnoseRequest } from "../domain/Lesson.ts"
import { RecommendRequest } from "../domain/Recommendation.ts"
import { RecommendationId } from "../domain/RecommendationId.ts"
import { WorkflowRequest } from "../domain/Workflow.ts"

interface ClientOptions {
  /** The URL of the service, without `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /**
   * Deadline of a recommendation, ms; 1,000 by default, because the caller of a model waits for the
   * recommendation.
   */
  readonly timeoutMs?: number
}

/** Deadline of each attempt of any call except `recommend`, ms. */
const otherTimeoutMs = 10_000

const feedbackTriesMax = 3
const feedbackBackoff = Schedule.exponential("100 millis")

const unavailableStatuses: ReadonlyArray<number> = [502, 503, 504]

interface ClientFailure {
  readonly _tag: string
  readonly response?: { readonly status: number } | undefined
}

/** Returns true if the service was unreachable, late or unavailable. */
const isUnavailable = (failure: ClientFailure): boolean => {
  switch (failure._tag) {
    case "TimeoutError":
    case "ServiceUnavailable":
      return true
    case "HttpClientError":
      return failure.response === undefined || unavailableStatuses.includes(failure.response.status)
    default:
      return false
  }
}

const invalidRequest = (issue: SchemaIssue.Issue) => new InvalidRequest({ detail: detailOf(issue) })

const make = Effect.fnUntraced(function*({ apiKey, baseUrl, timeoutMs = 1_000 }: ClientOptions) {
  const api = yield* HttpApiClient.make(Api, {
    transformClient: HttpClient.mapRequest((request) =>
      request.pipe(HttpClientRequest.prependUrl(baseUrl), HttpClientRequest.bearerToken(apiKey)))
  })
  const withinDeadline = Effect.timeout(timeoutMs)
  const withinTimeout = Effect.timeout(otherTimeoutMs)
  type Query<Endpoint extends (request: never) => unknown> = Parameters<Endpoint>[0] extends
    { readonly query: infer Q } ? Q : never
  /** Makes the method that asks for a report, which by default covers the last 30 days. */
  const report = <Q extends { readonly days: number }, A, E>(
    endpoint: (request: { readonly query: Q }) => Effect.Effect<A, E>
  ) =>
    (query: Partial<Q> = {}) => withinTimeout(endpoint({ query: { days: 30, ...query } as Q }))

  return {
    /** Never retried. If the recommendation fails, use a default model. */
    recommend: (request: typeof RecommendRequest["~type.make.in"]) =>
      RecommendRequest.makeEffect(request).pipe(
        Effect.mapError(invalidRequest),
        Effect.flatMap((payload) => withinDeadline(api.recommend.recommend({ payload })))
      ),
    /** Never retried. */
    recommendWorkflow: (request: typeof WorkflowRequest["~type.make.in"]) =>
      WorkflowRequest.makeEffect(request).pipe(
        Effect.mapError(invalidRequest),
        Effect.flatMap((payload) => withinTimeout(api.recommend.recommendWorkflow({ payload })))
      ),
    /** Tries up to three times while the service is unavailable, because a repeated report counts once. */
    feedback: (request: typeof FeedbackRequest["~type.make.in"]) =>
      FeedbackRequest.makeEffect(request).pipe(
        Effect.mapError(invalidRequest),
        Effect.flatMap((payload) =>
          withinTimeout(api.feedback.feedback({ payload })).pipe(
            Effect.retry({ schedule: feedbackBackoff, times: feedbackTriesMax - 1, while: isUnavailable })
          )
        )
      ),
    diagnose: (request: typeof DiagnoseRequest["~type.make.in"]) =>
      DiagnoseRequest.makeEffect(request).pipe(
        Effect.mapError(invalidRequest),
        Effect.flatMap((payload) => withinTimeout(api.insight.diagnose({ payload })))
      ),
    models: (query: Partial<Query<typeof api.models.models>> = {}) =>
      withinTimeout(api.models.models({ query: { include_stale: true, ...query } })),
    modelsHealth: withinTimeout(api.models.modelsHealth()),
    accountModels: withinTimeout(api.account.accountModels()),
    accountBudget: withinTimeout(api.account.accountBudget()),
    accountGuarantee: (query: Query<typeof api.account.accountGuarantee> = {}) =>
      withinTimeout(api.account.accountGuarantee({ query })),
    /** Never retried. Changing the account's models needs a key with the role `admin`. */
    setAccountModels: (document: typeof AccountModels["~type.make.in"]) =>
      AccountModels.makeEffect(document).pipe(
        Effect.mapError(invalidRequest),
        Effect.flatMap((payload) => withinTimeout(api.account.setAccountModels({ payload })))
      ),
    strategies: (query: Partial<Query<typeof api.insight.strategies>> = {}) =>
      withinTimeout(api.insight.strategies({ query: { max_strategies: 5, ...query } })),
    savings: report(api.reports.savings),
    calibration: report(api.reports.calibration),
    policyValue: report(api.reports.policyValue),
    dashboard: report(api.reports.dashboard),
    calls: report(api.reports.calls),
    observedCalls: report(api.reports.observedCalls),
    advice: report(api.reports.advice),
    retirement: (query: Partial<Query<typeof api.reports.retirement>> & { readonly model_id: string }) =>
      withinTimeout(api.reports.retirement({ query: { days: 30, ...query } })),
    /** Reads a decision; null if the account has no decision with this id. */
    decision: (recommendationId: string) =>
      RecommendationId.makeEffect(recommendationId).pipe(
        Effect.mapError(invalidRequest),
        Effect.flatMap((id) => withinTimeout(api.reports.decision({ query: { recommendation_id: id } })))
      ),
    memoryHealth: (query: Partial<Query<typeof api.insight.memoryHealth>> = {}) =>
      withinTimeout(api.insight.memoryHealth({ query: { stale_threshold_days: 30, ...query } })),
    capabilities: withinTimeout(api.system.capabilities()),
    /** `health` sends the key, so that the service also checks the account's memory if the key is valid. */
    health: withinTimeout(api.system.health())
  }
})

export type ClientShape = Effect.Success<ReturnType<typeof make>>

/** The API for Effect programs. A call that the API refuses fails with an error of `api/Problems.ts`. */
export class SextantClient
  extends Context.Service<SextantClient, ClientShape>()("sextant/client/SextantClient")
{
  static readonly layerWithoutHttp = (options: ClientOptions) => Layer.effect(SextantClient, make(options))

  /** Uses `fetch`. */
  static readonly layer = (options: ClientOptions) =>
    SextantClient.layerWithoutHttp(options).pipe(Layer.provide(FetchHttpClient.layer))
}
