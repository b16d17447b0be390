/* `sextant ask`: asks a running service for a recommendation, and prints it as text or JSON. */
import { Console, Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { warningWords } from "../../../packages/dashboard/src/WarningWords.ts"
import { SextantClient } from "../../client/Client.ts"
import type { RankedModel } from "../../domain/RankedModel.ts"
import { RecommendResponse } from "../../domain/Recommendation.ts"
import { dollars, percent } from "../../domain/text/Words.ts"
import { needsAction } from "../../domain/Warning.ts"
import { refusal } from "../Refusal.ts"
import { listOf, serviceKey, serviceUrl, switchFlag, textFlag } from "./Flags.ts"

/** Maximum time that `sextant ask` waits for the service's answer, ms. Chosen. */
const timeoutMs = 10_000

const modelLine = (model: RankedModel): string =>
  [
    model.requestedModelId ?? model.modelId, percent(model.predictedSuccess), dollars(model.estCostUsd),
    `because it is ${model.rationale}`
  ].join(" · ")

const textOf = ({ recommendationId, recommendedModel, warnings }: RecommendResponse): string =>
  [
    modelLine(recommendedModel),
    ...warnings.filter(needsAction).map((warning) => `Mind: ${warningWords(warning)}`),
    `Report how it went to /v1/feedback, as recommendation_id ${recommendationId}`
  ].join("\n")

export const ask = Command.make(
  "ask",
  {
    task: Argument.String("task").pipe(Argument.withDescription("The task, as you would tell it a model")),
    models: textFlag("models", "Models to choose from, as in gpt-5.5,gpt-5.4-mini; all by default"),
    isJson: switchFlag("json", "Print the answer as the API gives it")
  },
  ({ isJson, models, task }) =>
    Effect.gen(function*() {
      const baseUrl = yield* serviceUrl
      const key = yield* serviceKey
      const answer = yield* Effect.flatMap(SextantClient, (client) =>
        client.recommend({
          task: { task },
          ...Option.match(models, {
            onNone: () => ({}), onSome: (list) => ({ constraints: { candidateModels: listOf(list) } })
          })
        })).pipe(
          Effect.provide(SextantClient.layer({ baseUrl, apiKey: Redacted.value(key), timeoutMs })),
          Effect.catchTag("HttpClientError", (error) =>
            Effect.fail(error.response === undefined
              ? refusal(`No service answers at ${baseUrl}; SEXTANT_URL names another address`, error)
              : error))
        )
      yield* Console.log(isJson
        ? JSON.stringify(yield* Schema.encodeEffect(RecommendResponse)(answer))
        : textOf(answer))
    })
)
