/** Driver of {@link Reasoner}: a model behind an OpenAI-compatible chat completion protocol. */
import { Effect, Layer, Schema, Stream } from "effect"
import { AiError, LanguageModel, OpenAiStructuredOutput } from "effect/ai"
import { HttpClient } from "effect/http"
import type { Catalog } from "../../catalog/Catalog.ts"
import { transport } from "../../resilience/HttpTransport.ts"
import { Reasoner } from "../Reasoner.ts"
import { type ReasonerSettings, reasonerSettings } from "../ReasonerSettings.ts"
import { openAi } from "./Protocols.ts"
import { Calling, exchange, partsOf, type ReasonerOptions, textOf } from "./ReasonerClient.ts"
import { makeReasoner } from "./ReasonerModel.ts"

/** A completion; the content of a refusal is null, which decodes as no structured answer. */
const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({
    message: Schema.Struct({ content: Schema.NullOr(Schema.String) })
  }))
})

const make = Effect.fnUntraced(function*(options: ReasonerOptions, settings: ReasonerSettings) {
  const client = yield* HttpClient.HttpClient
  const protocol = openAi(options, Completion)
  const model = yield* LanguageModel.make({
    codecTransformer: OpenAiStructuredOutput.toCodecOpenAI,
    generateText: Effect.fnUntraced(function*(asked) {
      const { outputTokensMax } = yield* Effect.service(Calling)
      const format = asked.responseFormat
      const { choices: [{ message }] } = yield* exchange(client, options, protocol, {
        model: options.model,
        messages: [
          { role: "system", content: textOf(asked, "system") },
          { role: "user", content: textOf(asked, "user") }
        ],
        max_completion_tokens: outputTokensMax,
        ...(format.type === "text" ? {} : {
          response_format: {
            type: "json_schema",
            json_schema: {
              name: format.objectName,
              strict: true,
              // Seam: `effect/ai` types the schema of a request more widely than the transformer does.
              schema: OpenAiStructuredOutput.toCodecOpenAI(format.schema as Schema.Codec<unknown>).jsonSchema
            }
          }
        })
      })
      return partsOf(message.content ?? "")
    }),
    streamText: () =>
      Stream.fail(AiError.make({
        module: "ReasonerOpenAi",
        method: "streamText",
        reason: new AiError.InvalidUserInputError({ description: "the reasoner's answers are not streamed" })
      }))
  })
  return yield* makeReasoner("openai", options.model, model, settings)
})

/** A model behind an OpenAI-compatible `/v1`, asked by chat completion with a JSON schema for the answer. */
export const layer = (
  options: ReasonerOptions,
  settings: ReasonerSettings = reasonerSettings
): Layer.Layer<Reasoner, never, Catalog> =>
  Layer.effect(Reasoner, make(options, settings)).pipe(Layer.provide(transport(settings)))
