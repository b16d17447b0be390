/* The service as a replay uses it: the engine in this thread, or a running service over HTTP. */
import { Context, Effect, FileSystem, Layer, Schema } from "effect"
import * as CatalogFile from "../../../src/catalog/file/CatalogFile.ts"
import type { Decision } from "../../../src/domain/Decision.ts"
import { FeedbackRequest } from "../../../src/domain/Feedback.ts"
import { RecommendRequest } from "../../../src/domain/Recommendation.ts"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import { AccountId } from "../../../src/domain/Scope.ts"
import type { Embedder } from "../../../src/embedder/Embedder.ts"
import { Learner } from "../../../src/engine/Learner.ts"
import { Recommender } from "../../../src/engine/Recommender.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import * as RecentTasksLocal from "../../../src/memory/local/RecentTasksLocal.ts"
import { Reasoner } from "../../../src/reasoner/Reasoner.ts"
import * as LaneCalibrationLocal from "../../../test/local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../../../test/local/LedgerLocal.ts"
import * as MemoryLocal from "../../../test/local/MemoryLocal.ts"
import { builtIn } from "./embedders.ts"
import type { SettingsOver } from "./settings.ts"

/** What the arena reads of a recommendation. */
export interface Advice {
  readonly recommendationId: string
  readonly modelId: string
  /** Its level of effort; null without one. */
  readonly effort: string | null
  /** Of that model, in [0, 1]. */
  readonly predicted: number
  /** Of every candidate, by model id, or by that and the level as a request names both. */
  readonly predictions: ReadonlyMap<string, number>
  /** Estimated cost of each of them, US dollars. */
  readonly estimatesUsd: ReadonlyMap<string, number>
  /** Attempts of its plan, and whether the first repeats a model that has run; null without a plan. */
  readonly plannedAttempts: number | null
  readonly isRetry: boolean | null
}

/** A model and its level, if any, as a request names them. */
export const candidateOf = (modelId: string, effort: string | null | undefined): string =>
  effort === null || effort === undefined ? modelId : `${modelId}#${effort}`

export class ServiceFailed extends Schema.TaggedError<ServiceFailed>()("ServiceFailed", {
  cause: Schema.Defect()
}) {}

/** The two verbs that a replay needs, over the same bodies whether they cross a wire or not. */
export class Service extends Context.Service<Service, {
  readonly recommend: (body: object) => Effect.Effect<Advice, ServiceFailed>
  readonly feedback: (body: object) => Effect.Effect<void, ServiceFailed>
}>()("sextant/scripts/bench/arena/Service") {}

/** A ledger that forgets a decision after its feedback: a replay reads no reports. */
const ledger = Layer.effect(
  Ledger,
  Effect.map(Ledger, (local) => {
    const open = new Map<string, Decision>()
    return Ledger.of({
      ...local,
      record: (decisions) =>
        Effect.sync(() => {
          for (const decision of decisions) open.set(decision.recommendationId, decision)
        }),
      find: (_accountId, recommendationId) => Effect.sync(() => open.get(recommendationId) ?? null),
      settle: (settlement) =>
        Effect.suspend(() => {
          open.delete(settlement.recommendationId)
          return local.settle(settlement)
        })
    })
  })
).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))

const catalogOf = (json: string) =>
  CatalogFile.layerFile("arena.json").pipe(
    Layer.provide(FileSystem.layerNoop({ readFileString: () => Effect.succeed(json) }))
  )

const accountId = AccountId.make("arena")

const failed = (cause: unknown) => new ServiceFailed({ cause })

/** The real engine in this thread, over drivers that keep everything in memory; empty whenever provided. */
export const layerInProcess = (
  catalog: string,
  settings: SettingsOver,
  embedder: Layer.Layer<Embedder> = builtIn
) =>
  Layer.effect(
    Service,
    Effect.gen(function*() {
      const recommender = yield* Recommender
      const learner = yield* Learner
      const decodeAsk = Schema.decodeUnknownEffect(RecommendRequest)
      const decodeSaid = Schema.decodeUnknownEffect(FeedbackRequest)
      return Service.of({
        recommend: (body) =>
          decodeAsk(body).pipe(
            Effect.flatMap((request) => recommender.recommend(accountId, request)),
            Effect.map(({ isRetry = null, plan, ranked, recommendationId, recommendedModel }) => ({
              recommendationId,
              modelId: recommendedModel.modelId,
              effort: recommendedModel.effort ?? null,
              predicted: recommendedModel.predictedSuccess,
              predictions: new Map(ranked.map(({ effort, modelId, predictedSuccess }) =>
                [candidateOf(modelId, effort), predictedSuccess])),
              estimatesUsd: new Map(ranked.map(({ effort, estCostUsd, modelId }) =>
                [candidateOf(modelId, effort), estCostUsd])),
              plannedAttempts: plan?.attempts.length ?? null,
              isRetry
            })),
            Effect.mapError(failed)
          ),
        feedback: (body) =>
          decodeSaid(body).pipe(
            Effect.flatMap((request) => learner.learn(accountId, {
              ...request, recommendationId: RecommendationId.parse(request.recommendationId)
            })),
            Effect.flatMap((answer) =>
              answer.accepted ? Effect.void : Effect.fail(`not accepted: ${answer.warnings.join(", ")}`)
            ),
            Effect.mapError(failed)
          )
      })
    })
  ).pipe(
    Layer.provide(Layer.mergeAll(Recommender.layer, Learner.layer)),
    Layer.provide([
      catalogOf(catalog),
      MemoryLocal.layer(settings.memory).pipe(Layer.provide(embedder)),
      ledger,
      LaneCalibrationLocal.layer,
      Reasoner.layerDisabled,
      RecentTasksLocal.layer,
      // A busy machine must not turn into recall timeouts: figures may not depend on its speed.
      Settings.layer({ ...settings, recallBudgetMs: 60_000 })
    ]),
    (layer) => Layer.fresh(layer)
  )

interface WireModel {
  readonly model_id: string
  readonly effort?: string | null
  readonly predicted_success: number
}

interface WireAnswer {
  readonly recommendation_id: string
  readonly recommended_model: WireModel
  readonly ranked: ReadonlyArray<WireModel & { readonly est_cost_usd: number }>
  readonly plan: { readonly attempts: ReadonlyArray<unknown> } | null
  readonly is_retry: boolean | null
}

/** A running service, whose own catalog and settings count. */
export const layerHttp = (baseUrl: string, key: string) => {
  const post = (path: string, body: object): Effect.Effect<unknown, ServiceFailed> =>
    Effect.tryPromise({
      try: async (): Promise<unknown> => {
        const response = await fetch(baseUrl + path, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
          body: JSON.stringify(body)
        })
        const text = await response.text()
        if (response.status !== 200) throw new Error(`${path} ${response.status} ${text.slice(0, 200)}`)
        return JSON.parse(text)
      },
      catch: failed
    })
  return Layer.succeed(Service, {
    recommend: (body) =>
      Effect.map(post("/v1/recommend", body), (answer) => {
        // The seam to the wire: the service's own tests hold it to this shape.
        const { is_retry, plan, ranked, recommendation_id, recommended_model } = answer as WireAnswer
        return {
          recommendationId: recommendation_id,
          modelId: recommended_model.model_id,
          effort: recommended_model.effort ?? null,
          predicted: recommended_model.predicted_success,
          predictions: new Map(ranked.map(({ effort, model_id, predicted_success }) =>
            [candidateOf(model_id, effort), predicted_success])),
          estimatesUsd: new Map(ranked.map(({ effort, est_cost_usd, model_id }) =>
            [candidateOf(model_id, effort), est_cost_usd])),
          plannedAttempts: plan?.attempts.length ?? null,
          isRetry: is_retry
        }
      }),
    feedback: (body) => Effect.asVoid(post("/v1/feedback", body))
  })
}
