/* Reads the text of an answer from any supported SDK. */
import { attempt } from "../ForeignValues.ts"

/** Returns a text itself, or the joined texts of parts; null if no part has a text. */
const joined = (content: unknown): string | null => {
  if (typeof content === "string") return content
  const texts = [content].flat().map((part) => Object(part).text).filter((text) => typeof text === "string")
  return texts.length > 0 ? texts.join("") : null
}

/**
 * Returns the text of an answer from the AI SDK, OpenAI, Anthropic, Gemini or LangChain, or a plain text
 * itself. If the answer is a list of an agent's messages, the last message is read. Returns null if the
 * answer has no text, such as a tool call.
 */
export const answerText = (answer: unknown): string | null =>
  attempt(() => {
    const { choices, messages } = Object(answer)
    const inner = messages?.at(-1) ?? choices?.[0]?.message ?? answer
    const { content, output_text, text, tool_calls, toolCalls } = Object(inner)
    const words = joined(typeof inner === "string" ? inner : text ?? output_text ?? content)
    return words === "" && (toolCalls ?? tool_calls)?.length > 0 ? null : words
  }, null)
