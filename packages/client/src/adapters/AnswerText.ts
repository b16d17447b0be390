/* The text of an answer, whichever SDK it comes from. */
import { attempt } from "../ForeignValues.ts"

/** A text, or the texts among parts; null without one. */
const joined = (content: unknown): string | null => {
  if (typeof content === "string") return content
  const texts = [content].flat().map((part) => Object(part).text).filter((text) => typeof text === "string")
  return texts.length > 0 ? texts.join("") : null
}

/**
 * The text of an answer: a text itself, or an answer of the AI SDK, OpenAI, Anthropic, Gemini or LangChain;
 * of an agent's messages the last one's. Null where there is none, as in a call of a tool.
 */
export const answerText = (answer: unknown): string | null =>
  attempt(() => {
    const { choices, messages } = Object(answer)
    const inner = messages?.at(-1) ?? choices?.[0]?.message ?? answer
    const { content, output_text, text, tool_calls, toolCalls } = Object(inner)
    const words = joined(typeof inner === "string" ? inner : text ?? output_text ?? content)
    return words === "" && (toolCalls ?? tool_calls)?.length > 0 ? null : words
  }, null)
