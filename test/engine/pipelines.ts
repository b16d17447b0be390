import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Catalog } from "../../src/catalog/Catalog.ts"
import { FeedbackRequest, type FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import type { RecommendResponse } from "../../src/domain/Recommendation.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import { Learner } from "../../src/engine/Learner.ts"
import { heuristic } from "../../src/engine/recommend/Classify.ts"
import { Recommender } from "../../src/engine/Recommender.ts"
import { Settings } from "../../src/engine/Settings.ts"
import type { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import type { Ledger } from "../../src/ledger/Ledger.ts"
import * as RecentTasksLocal from "../../src/memory/local/RecentTasksLocal.ts"
import type { Memory } from "../../src/memory/Memory.ts"
import { Reasoner } from "../../src/reasoner/Reasoner.ts"
import * as LaneCalibrationLocal from "../local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import * as MemoryLocal from "../local/MemoryLocal.ts"
import { accountOf, measuredCard, request, snapshot, task } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"

/** Three models: the better, the dearer. */
export const catalog = snapshot([
  measuredCard("cheap", 0.6763, 0.1), measuredCard("middle", 0.7801, 1), measuredCard("dear", 0.9115, 10)
])

/** The first of a few riddles that the classifier is unsure of, whatever its weights are today. */
export const unclear: string = [
  "Look at this and do what is needed", "Sort out the German text: label it, then shorten it",
  "Explain and rewrite the table as a poem in SQL", "Handle the attached thing",
  "Write, translate and check the answer", "Tell me about it", "Make it better"
].find((text) => heuristic(task({ task: text, taskType: null })).isUncertain) ?? assert.fail("all were clear")

/** A memory of its own for every test that provides it. */
export const localMemory = (): Layer.Layer<Memory> =>
  Layer.fresh(MemoryLocal.layer()).pipe(Layer.provide(EmbedderLexical.layer))

interface Ports {
  readonly catalog?: Layer.Layer<Catalog>
  readonly memory?: Layer.Layer<Memory>
  readonly ledger?: Layer.Layer<Ledger>
  readonly lanes?: Layer.Layer<LaneCalibrations>
  readonly reasoner?: Layer.Layer<Reasoner>
  readonly settings?: Parameters<typeof Settings.layer>[0]
}

/** Both pipelines over in-process drivers, without a reasoner, but for what a test replaces. */
export const engine = (ports: Ports = {}): Layer.Layer<Recommender | Learner> =>
  Layer.mergeAll(Recommender.layer, Learner.layer).pipe(Layer.provide([
    ports.catalog ?? catalogOf(catalog),
    ports.memory ?? localMemory(),
    ports.ledger ?? Layer.fresh(LedgerLocal.layer),
    ports.lanes ?? Layer.fresh(LaneCalibrationLocal.layer),
    ports.reasoner ?? Reasoner.layerDisabled,
    RecentTasksLocal.layer,
    Settings.layer(ports.settings)
  ]))

export const recommend = (ask: Parameters<typeof request>[0] = {}, account = "acme") =>
  Recommender.use((recommender) => recommender.recommend(accountOf(account), request(ask)))

type Said = Partial<(typeof FeedbackRequest)["~type.make.in"]>

export const learn = (
  about: Pick<RecommendResponse, "recommendationId">,
  said: Said = {},
  account = "acme"
) =>
  Learner.use((learner) =>
    learner.learn(accountOf(account), {
      ...FeedbackRequest.make({
        recommendationId: about.recommendationId,
        chosenModelId: "cheap",
        outcome: "success",
        evidenceSource: "gate",
        ...said
      }),
      recommendationId: RecommendationId.parse(said.recommendationId ?? about.recommendationId)
    })
  )

/** Recommends and reports, `count` times; yields the last feedback's answer. */
export const teach = (
  count: number,
  said: Said = {},
  ask: Parameters<typeof request>[0] = {},
  account = "acme"
) =>
  Effect.gen(function*() {
    let last: FeedbackResponse | null = null
    for (let i = 0; i < count; i++) last = yield* learn(yield* recommend(ask, account), said, account)
    return last
  })
