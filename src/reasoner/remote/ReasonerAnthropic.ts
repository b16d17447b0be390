/** Driver of {@link Reasoner}: a model behind Anthropic's messages protocol. */
import { Effect, Layer, Schema, Stream } from "effect"
import { AiError, AnthropicStructuredOutput, LanguageModel } from "effect/ai"
import { HttpClient } from "effect/http"
import type { Catalog } from "../../catalog/Catalog.ts"
import { transport } from "../../resilience/HttpTransport.ts"
import { Reasoner } from "../Reasoner.ts"
import { type ReasonerSettings, reasonerSettings } from "../ReasonerSettings.ts"
import { anthropic } from "./Protocols.ts"
import { Calling, exchange, partsOf, type ReasonerOptions, textOf } from "./ReasonerClient.ts"
import { makeReasoner } from "./ReasonerModel.ts"

const Message = Schema.Struct({
  content: Schema.Array(Schema.Union([
    Schema.Struct({ type: Schema.Literal("tool_use"), name: Schema.String, input: Schema.Unknown }),
    Schema.Struct({ type: Schema.String })
  ]))
})

/** Input of the tool of that name in the message, as JSON; empty when the model did not use the tool. */
const handedTo = (name: string, { content }: typeof Message.Type): string => {
  const use = content.find((part) => "input" in part && part.name === name)
  return use === undefined || !("input" in use) ? "" : JSON.stringify(use.input) ?? ""
}

const make = Effect.fnUntraced(function*(options: ReasonerOptions, settings: ReasonerSettings) {
  const client = yield* HttpClient.HttpClient
  const protocol = anthropic(options, Message)
  const model = yield* LanguageModel.make({
    codecTransformer: AnthropicStructuredOutput.toCodecAnthropic,
    generateText: Effect.fnUntraced(function*(asked) {
      const { outputTokensMax } = yield* Effect.service(Calling)
      const format = asked.responseFormat
      const name = format.type === "json" ? format.objectName : "answer"
      const message = yield* exchange(client, options, protocol, {
        model: options.model,
        system: textOf(asked, "system"),
        messages: [{ role: "user", content: textOf(asked, "user") }],
        max_tokens: outputTokensMax,
        // A tool that must be used is the one structured output that every one of its models knows.
        ...(format.type === "text" ? {} : {
          tools: [{
            name,
            description: "Takes the answer.",
            // Seam: `effect/ai` types the schema of a request more widely than the transformer does.
            input_schema: AnthropicStructuredOutput.toCodecAnthropic(
              format.schema as Schema.Codec<unknown>
            ).jsonSchema
          }],
          tool_choice: { type: "tool", name }
        })
      })
      return partsOf(handedTo(name, message))
    }),
    streamText: () =>
      Stream.fail(AiError.make({
        module: "ReasonerAnthropic",
        method: "streamText",
        reason: new AiError.InvalidUserInputError({ description: "the reasoner's answers are not streamed" })
      }))
  })
  return yield* makeReasoner("anthropic", options.model, model, settings)
})

/** A model behind Anthropic's `/v1`, asked by message with a tool that takes the answer. */
export const layer = (
  options: ReasonerOptions,
  settings: ReasonerSettings = reasonerSettings
): Layer.Layer<Reasoner, never, Catalog> =>
  Layer.effect(Reasoner, make(options, settings)).pipe(Layer.provide(transport(settings)))
