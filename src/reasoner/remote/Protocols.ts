/* The two chat protocols, OpenAI's and Anthropic's: path, headers, question and answer. */
import { Option, Redacted, Schema } from "effect"
import { AnthropicStructuredOutput, OpenAiStructuredOutput } from "effect/ai"
import { bearer } from "../../resilience/HttpTransport.ts"

interface FormQuestion {
  readonly model: string
  readonly name: string
  readonly instructions: string
  readonly data: string
  readonly outputTokensMax: number
  readonly form: object
}

export interface Protocol {
  readonly path: string
  readonly headersOf: (apiKey: Option.Option<Redacted.Redacted<string>>) => Readonly<Record<string, string>>
  readonly usageNames: readonly [input: string, output: string]
  /** Converts a schema to the form that the provider supports. */
  readonly codecOf: typeof OpenAiStructuredOutput.toCodecOpenAI
  readonly bodyOf: (question: FormQuestion) => unknown
  /** Returns the answer's text, "" if there is no answer, or none if the body breaks the protocol. */
  readonly answerIn: (body: unknown, name: string) => Option.Option<string>
}

/** Parts of types other than `text` and `tool_use`, such as thoughts, are ignored. */
const Part = Schema.Struct({
  type: Schema.String,
  text: Schema.optional(Schema.String),
  name: Schema.optional(Schema.String),
  input: Schema.optional(Schema.Unknown)
})

const wordsIn = (parts: ReadonlyArray<typeof Part.Type>): string =>
  parts.map(({ text, type }) => type === "text" ? text ?? "" : "").join("")

/**
 * Extracts the JSON object, or "" if there is none. Models without structured output may put the object
 * after their thoughts, or into a Markdown fence, a list or a sentence.
 */
const objectIn = (words: string): string => {
  const said = words.trimStart()
  // A text that begins with the JSON object is taken to have no thoughts, even if it quotes `</think`.
  const thoughtsEnd = said.startsWith("{") ? 0 : said.lastIndexOf("</think")
  if (thoughtsEnd < 0 && said.startsWith("<think")) return ""
  const start = said.indexOf("{", thoughtsEnd)
  return start < 0 ? "" : said.slice(start, said.lastIndexOf("}") + 1)
}

/** The answer of OpenAI's protocol. `content` is null, for example, if the model refused to answer. */
const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({
    message: Schema.Struct({ content: Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Part)])) })
  }))
})

/** OpenAI's protocol of chat completions, which many services support, with a JSON schema for the answer. */
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

/** Anthropic's protocol of messages, with a tool that receives the answer. */
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
    // A tool is required, because only some of Anthropic's models support other structured output.
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
