/* The two protocols of chat: where they are asked, with which key, and how they put question and answer. */
import { Option, Redacted, Schema } from "effect"
import { AnthropicStructuredOutput, OpenAiStructuredOutput } from "effect/ai"
import { bearer } from "../../resilience/HttpTransport.ts"

/** A question whose answer is an object of a given form. */
interface FormQuestion {
  readonly model: string
  readonly name: string
  readonly instructions: string
  readonly data: string
  readonly outputTokensMax: number
  /** JSON Schema of the answer. */
  readonly form: object
}

export interface Protocol {
  readonly path: string
  readonly headersOf: (apiKey: Option.Option<Redacted.Redacted<string>>) => Readonly<Record<string, string>>
  /** Field names of the usage: tokens of the question and of the answer. */
  readonly usageNames: readonly [input: string, output: string]
  /** A schema as the provider's models can keep to it. */
  readonly codecOf: typeof OpenAiStructuredOutput.toCodecOpenAI
  readonly bodyOf: (question: FormQuestion) => unknown
  /** The answer to the question of that name, as JSON; "" where there is none. None: not this protocol. */
  readonly answerIn: (body: unknown, name: string) => Option.Option<string>
}

/** A part of a message: words, or a tool's use. Others, such as thoughts, have neither. */
const Part = Schema.Struct({
  type: Schema.String,
  text: Schema.optional(Schema.String),
  name: Schema.optional(Schema.String),
  input: Schema.optional(Schema.Unknown)
})

const wordsIn = (parts: ReadonlyArray<typeof Part.Type>): string =>
  parts.map(({ text, type }) => type === "text" ? text ?? "" : "").join("")

/**
 * The JSON object in a model's words. Models that know no structured output put it behind their thoughts,
 * into a Markdown fence, a list or a sentence. "" where there is none.
 */
const objectIn = (words: string): string => {
  const said = words.trimStart()
  // Words that begin with the object may quote a mark of thoughts in it.
  const thoughtsEnd = said.startsWith("{") ? 0 : said.lastIndexOf("</think")
  if (thoughtsEnd < 0 && said.startsWith("<think")) return ""
  const start = said.indexOf("{", thoughtsEnd)
  return start < 0 ? "" : said.slice(start, said.lastIndexOf("}") + 1)
}

/** A completion; the content of a refusal is null. */
const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({
    message: Schema.Struct({ content: Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Part)])) })
  }))
})

/** OpenAI's chat completions, which many services speak, with a JSON schema for the answer. */
const openAi: Protocol = {
  path: "/chat/completions",
  headersOf: bearer,
  usageNames: ["prompt_tokens", "completion_tokens"],
  codecOf: OpenAiStructuredOutput.toCodecOpenAI,
  bodyOf: ({ data, form, instructions, model, name, outputTokensMax }) => ({
    model,
    messages: [{ role: "system", content: instructions }, { role: "user", content: data }],
    max_completion_tokens: outputTokensMax,
    response_format: { type: "json_schema", json_schema: { name, strict: true, schema: form } }
  }),
  answerIn: (body) =>
    Option.map(
      Schema.decodeUnknownOption(Completion)(body),
      ({ choices: [{ message: { content } }] }) =>
        objectIn(typeof content === "string" ? content : wordsIn(content ?? []))
    )
}

const Message = Schema.Struct({ content: Schema.Array(Part) })

/** Anthropic's messages, with a tool that takes the answer. */
const anthropic: Protocol = {
  path: "/messages",
  headersOf: (apiKey) => ({
    "anthropic-version": "2023-06-01",
    ...Option.match(apiKey, { onNone: () => ({}), onSome: (key) => ({ "x-api-key": Redacted.value(key) }) })
  }),
  usageNames: ["input_tokens", "output_tokens"],
  codecOf: AnthropicStructuredOutput.toCodecAnthropic,
  bodyOf: ({ data, form, instructions, model, name, outputTokensMax }) => ({
    model,
    system: instructions,
    messages: [{ role: "user", content: data }],
    max_tokens: outputTokensMax,
    // A tool that must be used is the one structured output that every one of its models knows.
    tools: [{ name, description: "Takes the answer.", input_schema: form }],
    tool_choice: { type: "tool", name }
  }),
  answerIn: (body, name) =>
    Option.map(Schema.decodeUnknownOption(Message)(body), ({ content }) => {
      const use = content.find((part) => part.type === "tool_use" && part.name === name)
      return use === undefined ? objectIn(wordsIn(content)) : JSON.stringify(use.input) ?? ""
    })
}

export const protocols = { openai: openAi, anthropic }
