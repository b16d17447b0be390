import { Context, Effect, Layer, ManagedRuntime, Schedule, type SchemaIssue } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { detailOf } from "../api/Detail.ts"
import { InvalidRequest } from "../api/Problems.ts"
import { FeedbackRequest } from "../domain/Feedback.ts"
import { DiagnoseRequest } from "../domain/Lesson.ts"
import { RecommendRequest, type RecommendResponse } from "../domain/Recommendation.ts"
import { WorkflowRequest } from "../domain/Workflow.ts"

export interface ClientOptions {
  /** Where the service answers, without `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Deadline of one recommendation, in milliseconds, default 1,000: it stands on the caller's own path. */
  readonly timeoutMs?: number
}

/** Deadline of every other call, per attempt, in milliseconds. */
const otherTimeoutMs = 10_000

/** Attempts in all, as the specification states for official clients. */
const feedbackAttemptsMax = 3
const feedbackBackoff = Schedule.exponential("100 millis")

const unavailableStatuses: ReadonlyArray<number> = [502, 503, 504]

interface Failure {
  readonly _tag: string
  readonly response?: { readonly status: number } | undefined
}

/** The service could not be reached or could not answer now; never 429 or another refusal. */
const isUnavailable = (failure: Failure): boolean => {
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

const refused = (issue: SchemaIssue.Issue) => new InvalidRequest({ detail: detailOf(issue) })

const make = Effect.fnUntraced(function*({ apiKey, baseUrl, timeoutMs = 1_000 }: ClientOptions) {
  const api = yield* HttpApiClient.make(Api, {
    transformClient: HttpClient.mapRequest((request) =>
      request.pipe(HttpClientRequest.prependUrl(baseUrl), HttpClientRequest.bearerToken(apiKey)))
  })
  const onPath = Effect.timeout(timeoutMs)
  const patiently = Effect.timeout(otherTimeoutMs)
  type Query<Endpoint extends (request: never) => unknown> = Parameters<Endpoint>[0] extends
    { readonly query: infer Q } ? Q : never

  return {
    /** Never retried: fail open to a default model instead. */
    recommend: (request: typeof RecommendRequest["~type.make.in"]) =>
      RecommendRequest.makeEffect(request).pipe(
        Effect.mapError(refused),
        Effect.flatMap((payload) => onPath(api.recommend.recommend({ payload })))
      ),
    /** Never retried. */
    recommendWorkflow: (request: typeof WorkflowRequest["~type.make.in"]) =>
      WorkflowRequest.makeEffect(request).pipe(
        Effect.mapError(refused),
        Effect.flatMap((payload) => patiently(api.recommend.recommendWorkflow({ payload })))
      ),
    /** Up to three attempts while the service is unavailable; the service counts a repeat once. */
    feedback: (request: typeof FeedbackRequest["~type.make.in"]) =>
      FeedbackRequest.makeEffect(request).pipe(
        Effect.mapError(refused),
        Effect.flatMap((payload) =>
          patiently(api.feedback.feedback({ payload })).pipe(
            Effect.retry({ schedule: feedbackBackoff, times: feedbackAttemptsMax - 1, while: isUnavailable })
          )
        )
      ),
    diagnose: (request: typeof DiagnoseRequest["~type.make.in"]) =>
      DiagnoseRequest.makeEffect(request).pipe(
        Effect.mapError(refused),
        Effect.flatMap((payload) => patiently(api.insight.diagnose({ payload })))
      ),
    models: (query: Query<typeof api.models.models> = {}) => patiently(api.models.models({ query })),
    strategies: (query: Partial<Query<typeof api.insight.strategies>> = {}) =>
      patiently(api.insight.strategies({ query: { max_strategies: 5, ...query } })),
    savings: (query: Partial<Query<typeof api.reports.savings>> = {}) =>
      patiently(api.reports.savings({ query: { days: 30, ...query } })),
    calibration: (query: Partial<Query<typeof api.reports.calibration>> = {}) =>
      patiently(api.reports.calibration({ query: { days: 30, ...query } })),
    policyValue: (query: Partial<Query<typeof api.reports.policyValue>> = {}) =>
      patiently(api.reports.policyValue({ query: { days: 30, ...query } })),
    dashboard: (query: Partial<Query<typeof api.reports.dashboard>> = {}) =>
      patiently(api.reports.dashboard({ query: { days: 30, ...query } })),
    memoryHealth: (query: Partial<Query<typeof api.insight.memoryHealth>> = {}) =>
      patiently(api.insight.memoryHealth({ query: { stale_threshold_days: 30, ...query } })),
    capabilities: patiently(api.system.capabilities()),
    /** Sends the key too, so that the probe reaches for the account's memory. */
    health: patiently(api.system.health())
  }
})

export type ClientShape = Effect.Success<ReturnType<typeof make>>

/** The service's API for Effect programs. Problems come back as the classes of `api/Problems.ts`. */
export class SextantClient
  extends Context.Service<SextantClient, ClientShape>()("sextant/client/SextantClient")
{
  /** Over whatever `HttpClient` is provided. */
  static readonly layerWithoutHttp = (options: ClientOptions) => Layer.effect(SextantClient, make(options))

  /** Over `fetch`. */
  static readonly layer = (options: ClientOptions) =>
    SextantClient.layerWithoutHttp(options).pipe(Layer.provide(FetchHttpClient.layer))
}

/** Which model to run, whatever happened. */
export interface Choice {
  readonly modelId: string
  /** Null when the client failed open; then nothing is to be reported to `feedback`. */
  readonly recommendation: RecommendResponse | null
  /** Why the client failed open, else null. */
  readonly failure: unknown
}

export interface PromiseClientOptions extends ClientOptions {
  /** What `choose` answers when the service does not. */
  readonly defaultModelId?: string
}

type RecommendInput = Parameters<ClientShape["recommend"]>[0]

/**
 * The same client in promises, for programs without Effect. Rejections are the typed failures themselves, for
 * example `NoCandidateModels` with its `detail`. `close` releases what the client holds.
 */
export const createClient = (options: PromiseClientOptions) => {
  const runtime = ManagedRuntime.make(SextantClient.layer(options))
  const promised = <Input extends ReadonlyArray<unknown>, A, E>(
    call: (client: ClientShape) => (...input: Input) => Effect.Effect<A, E>
  ) =>
  (...input: Input): Promise<A> => runtime.runPromise(SextantClient.use((client) => call(client)(...input)))
  const recommend = (request: RecommendInput): Promise<RecommendResponse> =>
    runtime.runPromise(SextantClient.use((client) => client.recommend(request)))

  return {
    recommend,
    /**
     * As `recommend`, but with a `defaultModelId` it never rejects: any failure answers that model instead.
     */
    choose: async (request: RecommendInput): Promise<Choice> => {
      try {
        const recommendation = await recommend(request)
        return { modelId: recommendation.recommendedModel.modelId, recommendation, failure: null }
      } catch (failure) {
        if (options.defaultModelId === undefined) throw failure
        return { modelId: options.defaultModelId, recommendation: null, failure }
      }
    },
    recommendWorkflow: promised((client) => client.recommendWorkflow),
    feedback: promised((client) => client.feedback),
    models: promised((client) => client.models),
    strategies: promised((client) => client.strategies),
    savings: promised((client) => client.savings),
    calibration: promised((client) => client.calibration),
    policyValue: promised((client) => client.policyValue),
    dashboard: promised((client) => client.dashboard),
    diagnose: promised((client) => client.diagnose),
    memoryHealth: promised((client) => client.memoryHealth),
    capabilities: promised((client) => () => client.capabilities),
    health: promised((client) => () => client.health),
    close: (): Promise<void> => runtime.dispose()
  }
}
