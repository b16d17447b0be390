/* The service as a replay uses it: the engine in this thread, asked as over HTTP. */
import { Context, Effect, FileSystem, Layer, Schema } from "effect"
import * as CatalogFile from "../../../src/catalog/file/CatalogFile.ts"
import type { Decision, DecisionCandidate } from "../../../src/domain/Decision.ts"
import { FeedbackRequest } from "../../../src/domain/feedback/Feedback.ts"
import { RecommendRequest } from "../../../src/domain/Recommendation.ts"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import { AccountId } from "../../../src/domain/Scope.ts"
import { Embedder } from "../../../src/embedder/Embedder.ts"
import {
  embedLexical, lexicalDimensions, lexicalIdentity
} from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { Learner } from "../../../src/engine/Learner.ts"
import * as PredictKinds from "../../../src/engine/PredictKinds.ts"
import { Recommender } from "../../../src/engine/Recommender.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import * as RecentTasksLocal from "../../../src/memory/local/RecentTasksLocal.ts"
import { type KindName, Predictor } from "../../../src/reports/Predictor.ts"
import { Reasoner } from "../../../src/reasoner/Reasoner.ts"
import * as LaneCalibrationLocal from "../../../test/local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../../../test/local/LedgerLocal.ts"
import * as MemoryLocal from "../../../test/local/MemoryLocal.ts"
import type { SettingsOver } from "./settings.ts"

/** The fields of a recommendation that the benchmarks read. */
export interface Advice {
  readonly recommendationId: string
  readonly modelId: string
  /** The level of effort of the picked model; null without one. */
  readonly effort: string | null
  /** Predicted success of the picked model, in [0, 1]. */
  readonly predicted: number
  /** Predicted success of every candidate, by {@link candidateOf}. */
  readonly predictions: ReadonlyMap<string, number>
  /** Estimated cost of every candidate, US dollars. */
  readonly estimatesUsd: ReadonlyMap<string, number>
  /** Attempts of its plan; null without a plan. */
  readonly plannedAttempts: number | null
}

/** A model and its level, if any, as a request names them. */
export const candidateOf = (modelId: string, effort: string | null | undefined): string =>
  effort === null || effort === undefined ? modelId : `${modelId}#${effort}`

export class ServiceFailed extends Schema.TaggedError<ServiceFailed>()("ServiceFailed", {
  cause: Schema.Defect()
}) {}

/** The calls that a replay makes, with bodies as they cross the wire, and the question that reports ask the engine. */
export class Service extends Context.Service<Service, {
  readonly recommend: (body: object) => Effect.Effect<Advice, ServiceFailed>
  readonly feedback: (body: object) => Effect.Effect<void, ServiceFailed>
  /** The models among those given that may run a kind of task, with their predictions. */
  readonly candidates: (
    kind: KindName,
    modelIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<DecisionCandidate>>
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
      find: (_accountId, recommendationId) =>
        Effect.sync(() => {
          const decision = open.get(recommendationId)
          return decision === undefined
            ? null
            : { decision, outcomes: [] }
        }),
      applyReport: (submission) =>
        Effect.suspend(() => {
          const decision = open.get(submission.decision.recommendationId)
          open.delete(submission.decision.recommendationId)
          // The ledger beneath gets those alone that are reported.
          return Effect.andThen(decision === undefined ? Effect.void : local.record([decision]), local.applyReport(submission))
        })
    })
  })
).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))

/** The built-in embedder, which remembers every text of its thread, because sliders and seeds repeat them. */
const vectors = new Map<string, Float32Array>()
const embedder = Layer.succeed(Embedder, {
  identity: lexicalIdentity,
  dimensions: lexicalDimensions,
  embed: (text) =>
    Effect.sync(() => {
      const vector = vectors.get(text) ?? embedLexical(text)
      vectors.set(text, vector)
      return vector
    })
})

const catalogOf = (json: string) =>
  CatalogFile.layerFile("arena.json").pipe(
    Layer.provide(FileSystem.layerNoop({ readFileString: () => Effect.succeed(json) }))
  )

const accountId = AccountId.make("arena")

const failed = (cause: unknown) => new ServiceFailed({ cause })

/** The real engine in this thread, over drivers that keep everything in memory; empty whenever provided. */
export const layerInProcess = (catalog: string, settings: SettingsOver) =>
  Layer.effect(
    Service,
    Effect.gen(function*() {
      const recommender = yield* Recommender
      const learner = yield* Learner
      const predictor = yield* Predictor
      const decodeAsk = Schema.decodeUnknownEffect(RecommendRequest)
      const decodeSaid = Schema.decodeUnknownEffect(FeedbackRequest)
      return Service.of({
        candidates: (kind, modelIds) => predictor.candidates(accountId, kind, modelIds),
        recommend: (body) =>
          decodeAsk(body).pipe(
            Effect.flatMap((request) => recommender.recommend(accountId, request)),
            Effect.map(({ plan, ranked, recommendationId, recommendedModel }) => ({
              recommendationId,
              modelId: recommendedModel.modelId,
              effort: recommendedModel.effort ?? null,
              predicted: recommendedModel.predictedSuccess,
              predictions: new Map(ranked.map(({ effort, modelId, predictedSuccess }) =>
                [candidateOf(modelId, effort), predictedSuccess])),
              estimatesUsd: new Map(ranked.map(({ effort, estCostUsd, modelId }) =>
                [candidateOf(modelId, effort), estCostUsd])),
              plannedAttempts: plan?.attempts.length ?? null
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
    Layer.provide(Layer.mergeAll(Recommender.layer, Learner.layer, PredictKinds.layer)),
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
