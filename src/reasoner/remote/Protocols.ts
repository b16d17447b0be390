/* The two protocols of chat: where they are asked, with which key, and how they count tokens. */
import { Option, Redacted, type Schema } from "effect"
import type { Protocol, ReasonerOptions } from "./ReasonerClient.ts"

type Keyed = Pick<ReasonerOptions, "apiKey">

/** OpenAI's chat completions, which many services speak. */
export const openAi = <S extends Schema.Codec<unknown>>({ apiKey }: Keyed, answer: S): Protocol<S> => ({
  path: "/chat/completions",
  headers: Option.match(apiKey, {
    onNone: () => ({}),
    onSome: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` })
  }),
  usageNames: ["prompt_tokens", "completion_tokens"],
  answer
})

/** Anthropic's messages. */
export const anthropic = <S extends Schema.Codec<unknown>>({ apiKey }: Keyed, answer: S): Protocol<S> => ({
  path: "/messages",
  headers: {
    "anthropic-version": "2023-06-01",
    ...Option.match(apiKey, { onNone: () => ({}), onSome: (key) => ({ "x-api-key": Redacted.value(key) }) })
  },
  usageNames: ["input_tokens", "output_tokens"],
  answer
})
